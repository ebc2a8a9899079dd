"""What can be said about an async function: how many calls at once, for how long, how often again.

Names, defaults and meanings are those of the async scalar function design ("Public Interfaces"):
a declaration gives them as options of ``udf``, a conf as
``udf.exec.async-scalar.<catalog>.<db>.<function>.<option>`` or
``udf.exec.async-scalar.system.<function>.<option>``. What they do is the business of
``worker.lanes``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.options import FunctionOptions, choice, parse_duration

OutputMode = Literal["ORDERED", "ALLOW_UNORDERED"]
RetryStrategy = Literal["FIXED_DELAY", "NO_RETRY"]

CONF_PREFIX = "udf.exec.async-scalar."
_MOST_IN_FLIGHT = 100_000


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
        calls end, in ``nu.map_async`` alone; anywhere else SQL has an order to keep.
    retry_strategy, fixed_delay, max_attempts
        ``FIXED_DELAY``: a call that raises is made again ``fixed_delay`` seconds later, up to
        ``max_attempts`` attempts in all. ``NO_RETRY``: it is made once.
    retry_on
        Full names of the exceptions after which a call is made again; those derived from them
        count as well.
    share_calls
        Whether equal arguments that are in flight at the same time share one call.
    """

    timeout: float | None = 180.0
    buffer_capacity: int = 10
    output_mode: OutputMode = "ORDERED"
    retry_strategy: RetryStrategy = "FIXED_DELAY"
    fixed_delay: float = 0.1
    max_attempts: int = 3
    retry_on: tuple[str, ...] = ("builtins.Exception",)
    share_calls: bool = False

    @property
    def attempts(self) -> int:
        """How often one row's call is made at most."""
        return self.max_attempts if self.retry_strategy == "FIXED_DELAY" else 1

    @classmethod
    def parse(cls, options: Mapping[str, Any], *, what: str) -> AsyncOptions:
        """Options as a user writes them.

        Raises
        ------
        DeclarationError
            For an unknown option or a value that is not one.
        """
        own = {name: value for name, value in options.items() if name in _PARSERS}
        base = {name: value for name, value in options.items() if name not in own}
        base.setdefault("open_scope", "query")
        known = {f.name for f in fields(FunctionOptions)}
        for name in base:
            if name not in known:
                every = ", ".join(repr(f.name) for f in fields(cls))
                raise DeclarationError(f"{what}: no option {name!r}; there are {every}")
        common = FunctionOptions.parse(base, what=what)
        given = {name: value for name, value in asdict(common).items() if value is not None}
        return replace(cls(**given), **_parsed(own, what=what))

    def overridden(self, settings: Mapping[str, Any], *, what: str) -> AsyncOptions:
        """These options with some set anew; names may be spelled with dashes, as in a conf.

        Raises
        ------
        DeclarationError
            For a name or a value that is not one.
        """
        spelled = {name.replace("-", "_"): value for name, value in settings.items()}
        for name in spelled:
            if name not in CONFIGURABLE:
                raise DeclarationError(
                    f"{what}: no option {name.replace('_', '-')!r}; there are "
                    + ", ".join(option.replace("_", "-") for option in CONFIGURABLE)
                )
        return replace(self, **_parsed(spelled, what=what))


CONFIGURABLE = (
    "buffer_capacity", "timeout", "output_mode", "retry_strategy", "fixed_delay", "max_attempts",
)  # fmt: skip


def options_of(document: Mapping[str, Any]) -> FunctionOptions:
    """The options that ``dataclasses.asdict`` had made a document of."""
    if "buffer_capacity" not in document:
        return FunctionOptions(**document)
    return AsyncOptions(**{**document, "retry_on": tuple(document["retry_on"])})


def _parsed(given: Mapping[str, Any], *, what: str) -> dict[str, Any]:
    return {
        name: _PARSERS[name](value, what=f"{what}, {name}")
        for name, value in given.items()
        if value is not None
    }


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
    """The name of a class with its module, by which it is known in another process."""
    return f"{cls.__module__}.{cls.__qualname__}"


def _flag(value: Any, *, what: str) -> bool:
    if not isinstance(value, bool):
        raise DeclarationError(f"{what}: {value!r} is neither True nor False")
    return value


_PARSERS: dict[str, Any] = {
    "timeout": parse_duration,
    "buffer_capacity": _count,
    "output_mode": _upper("ORDERED", "ALLOW_UNORDERED"),
    "retry_strategy": _upper("FIXED_DELAY", "NO_RETRY"),
    "fixed_delay": _delay,
    "max_attempts": _count,
    "retry_on": _exceptions,
    "share_calls": _flag,
}

__all__ = ["CONFIGURABLE", "CONF_PREFIX", "AsyncOptions", "full_name", "options_of"]
