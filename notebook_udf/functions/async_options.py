"""The options of async functions: calls in flight, time-outs, retries.

Names, defaults and meanings are those of FLIP-400 ("Public Interfaces");
the names that Flink gave two of them later are read as well. A declaration gives them as options of
``udf``, a conf for one function or for many, see ``conf_scopes``. ``worker.async_.in_flight``
carries them out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, get_args

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.options import FunctionOptions, OpenScope, choice, flag, parse_duration
from notebook_udf.suggestion import did_you_mean

OutputMode = Literal["ORDERED", "ALLOW_UNORDERED"]
RetryStrategy = Literal["FIXED_DELAY", "NO_RETRY"]

CONF_PREFIX = "udf.exec.async-scalar."
_MOST_IN_FLIGHT = 100_000
# Flink's names from 2.0 on.
_LATER_NAMES = {"max_concurrent_operations": "buffer_capacity", "retry_delay": "fixed_delay"}


def _count(value: Any, *, what: str) -> int:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= _MOST_IN_FLIGHT:
        raise DeclarationError(
            f"{what}: {value!r} is not a whole number from 1 to {_MOST_IN_FLIGHT:,}"
        )
    return value


def _upper(*allowed: str) -> Any:
    def parse(value: Any, *, what: str) -> str:
        lowered = choice(value, tuple(name.lower() for name in allowed), what=what)
        return lowered.upper()

    return parse


def _delay(value: Any, *, what: str) -> float:
    if value == 0 and not isinstance(value, bool):
        return 0.0
    return parse_duration(value, what=what)


def _exceptions(value: Any, *, what: str) -> tuple[str, ...]:
    listed = [value] if isinstance(value, type) or not isinstance(value, Iterable) else value
    names = []
    for each in listed:
        if not (isinstance(each, type) and issubclass(each, Exception)):
            raise DeclarationError(
                f"{what}: {each!r} is not an exception class; give one or several, as in "
                f"retry_on=(ConnectionError, TimeoutError)"
            )
        names.append(full_name(each))
    return tuple(names)


def full_name(cls: type) -> str:
    """The name of a class with its module, which identifies it in other processes."""
    return f"{cls.__module__}.{cls.__qualname__}"


@dataclass(frozen=True)
class AsyncOptions(FunctionOptions):
    """The options of an async function, checked.

    Attributes
    ----------
    timeout
        Seconds from the first attempt at a row's call to its end, further attempts and the time
        between them included.
    open_scope
        ``query`` by default, so that clients and their connections outlive a task.
    buffer_capacity
        How many calls may be in flight in a worker.
    output_mode
        ``ORDERED``: rows leave in the order in which they came. ``ALLOW_UNORDERED``: as their
        calls end, in ``nu.map_async`` alone; elsewhere SQL requires the order.
    retry_strategy, fixed_delay, max_attempts
        ``FIXED_DELAY``: a call that raises is retried ``fixed_delay`` seconds later, up to
        ``max_attempts`` attempts in all. ``NO_RETRY``: it is made once.
    retry_on
        Full names of the exceptions after which a call is retried; subclasses count as well.
    share_calls
        Whether equal arguments that are in flight at the same time share one call.
    """

    open_scope: OpenScope = "query"
    timeout: float | None = 180.0
    buffer_capacity: int = 10
    output_mode: OutputMode = "ORDERED"
    retry_strategy: RetryStrategy = "FIXED_DELAY"
    fixed_delay: float = 0.1
    max_attempts: int = 3
    retry_on: tuple[str, ...] = ("builtins.Exception",)
    share_calls: bool = False

    parsers: ClassVar[Mapping[str, Any]] = {
        **FunctionOptions.parsers,
        "buffer_capacity": _count,
        "output_mode": _upper(*get_args(OutputMode)),
        "retry_strategy": _upper(*get_args(RetryStrategy)),
        "fixed_delay": _delay,
        "max_attempts": _count,
        "retry_on": _exceptions,
        "share_calls": flag,
    }
    aliases: ClassVar[Mapping[str, str]] = _LATER_NAMES

    @property
    def attempts(self) -> int:
        """How often a row's call is made at most."""
        return self.max_attempts if self.retry_strategy == "FIXED_DELAY" else 1

    @classmethod
    def parse(cls, options: Mapping[str, Any], *, what: str) -> Self:
        """As for any function; two of them have a later name as well."""
        for later, own in _LATER_NAMES.items():
            if later in options and own in options:
                raise DeclarationError(f"{what}: {later} and {own} are the same; give one of them")
        named = {_LATER_NAMES.get(name, name): value for name, value in options.items()}
        return super().parse(named, what=what)

    def overridden(self, settings: Mapping[str, Any], *, what: str) -> AsyncOptions:
        """These options with some replaced, by the names that ``conf_option`` gives them.

        Raises
        ------
        DeclarationError
            For a value that the option does not take.
        """
        return replace(self, **self.parsed(settings, what=what))


CONFIGURABLE = (
    "buffer_capacity", "timeout", "output_mode", "retry_strategy", "fixed_delay", "max_attempts",
)  # fmt: skip


def conf_option(key: str) -> str:
    """The option that a conf sets, by the end of its key, where dashes stand for ``_``.

    Raises
    ------
    DeclarationError
        If there is no option of that name.
    """
    spelled = key.rpartition(".")[2]
    name = spelled.lower().replace("-", "_")
    name = _LATER_NAMES.get(name, name)
    if name not in CONFIGURABLE:
        known = [option.replace("_", "-") for option in (*CONFIGURABLE, *_LATER_NAMES)]
        raise DeclarationError(
            f"conf {key}: no option {spelled!r}{did_you_mean(spelled, known)}; "
            f"there are {', '.join(known)}"
        )
    return name


def conf_scopes(catalog: str, database: str, function: str) -> tuple[str, ...]:
    """The scopes of a conf that apply to a function, the widest first.

    All functions, as nothing or ``system``; a catalog; a database; a function's name in any
    database; a function of a database.
    """
    return (
        "",
        "system",
        catalog,
        f"{catalog}.{database}",
        f"system.{function}",
        f"{catalog}.{database}.{function}",
    )


def options_of(document: Mapping[str, Any]) -> FunctionOptions:
    """The options from a document that ``dataclasses.asdict`` made of them."""
    if "buffer_capacity" not in document:
        return FunctionOptions(**document)
    return AsyncOptions(**{**document, "retry_on": tuple(document["retry_on"])})
