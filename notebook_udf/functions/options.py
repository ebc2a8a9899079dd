"""The options of a function: sizes, times, what to do with bad rows.

They are parsed and checked when the function is declared, so that a typo does not fail a job at
night. ``worker`` carries them out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import timedelta
from functools import partial
from typing import Any, ClassVar, Literal, Self, cast, get_args

from notebook_udf.errors import DeclarationError
from notebook_udf.suggestion import did_you_mean

OnError = Literal["fail", "null", "quarantine"]
FunctionType = Literal["general", "pandas", "arrow", "numba"]
OpenScope = Literal["task", "query"]

FUNCTION_TYPES = get_args(FunctionType)
# Those of aggregates too.
COLUMN_TYPES = ("general", "pandas", "arrow")
# Of these a function takes the values of a row, and not columns.
ROW_TYPES = ("general", "numba")

_MEMORY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", re.IGNORECASE)
_MEMORY_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]+)\s*")
_DURATION_UNITS = {
    "ms": 1e-3, "milli": 1e-3, "millis": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3,
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0,
    "m": 60.0, "min": 60.0, "mins": 60.0, "minute": 60.0, "minutes": 60.0,
    "h": 3600.0, "hour": 3600.0, "hours": 3600.0,
    "d": 86400.0, "day": 86400.0, "days": 86400.0,
}  # fmt: skip

# The other arguments of declarations.
_ARGUMENTS = (
    "input_types", "result_type", "result_types", "deterministic", "name", "func_type",
    "accumulator_type",
)  # fmt: skip

# Below this a Python process cannot decode one bundle: each worker would be killed.
SMALLEST_MEMORY = 16 << 20


def parse_memory(value: str | int, *, what: str) -> int:
    """A size in bytes from ``"512m"``, ``"1.5 GB"`` or a number of bytes.

    Raises
    ------
    DeclarationError
        If it is not a size, or below 16 MiB (so that it is neither rounded to 0 nor taken for
        'unlimited').
    """
    match = _MEMORY.fullmatch(value) if isinstance(value, str) else None
    if match is not None:
        size = int(float(match[1]) * _MEMORY_UNITS[match[2].lower()])
    elif isinstance(value, int) and not isinstance(value, bool):
        size = value
    else:
        raise DeclarationError(f"{what}: {value!r} is not a size; write it as '512m' or '2g'")
    if size < SMALLEST_MEMORY:
        raise DeclarationError(
            f"{what}: {value!r} is {size:,} bytes, and a worker needs at least "
            f"{SMALLEST_MEMORY >> 20}m; leave it out for no limit"
        )
    return size


def parse_duration(value: str | float | timedelta, *, what: str) -> float:
    """Seconds from ``"30s"``, ``"100 ms"``, ``"3min"``, a timedelta or a number of seconds.

    Raises
    ------
    DeclarationError
        If it is not a duration, or not more than zero.
    """
    if isinstance(value, timedelta):
        seconds = value.total_seconds()
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        seconds = float(value)
    else:
        match = _DURATION.fullmatch(value) if isinstance(value, str) else None
        unit = _DURATION_UNITS.get(match[2].lower()) if match else None
        if match is None or unit is None:
            raise DeclarationError(
                f"{what}: {value!r} is not a duration; write it as '30s', '100ms' or '3min'"
            )
        seconds = float(match[1]) * unit
    if not 0 < seconds < 1e9:
        raise DeclarationError(f"{what}: {value!r} is not a duration above zero")
    return seconds


def choice(value: Any, allowed: tuple[str, ...], *, what: str) -> str:
    """``value`` in lower case if it is one of ``allowed``.

    Raises
    ------
    DeclarationError
        If it is not; the message lists what is allowed.
    """
    if isinstance(value, str) and value.lower() in allowed:
        return value.lower()
    meant = did_you_mean(value, allowed) if isinstance(value, str) else ""
    raise DeclarationError(
        f"{what}: {value!r} is not one of {', '.join(map(repr, allowed))}{meant}"
    )


def one_of(*allowed: str) -> Any:
    """A parser for an option that has one of these values."""
    return partial(choice, allowed=allowed)


def flag(value: Any, *, what: str) -> bool:
    """``value`` if it is True or False.

    Raises
    ------
    DeclarationError
        If it is neither.
    """
    if not isinstance(value, bool):
        raise DeclarationError(f"{what}: {value!r} is neither True nor False")
    return value


def share(value: Any, *, what: str) -> float:
    """``value`` if it is a share of rows: a number from 0 to 1, or a text that says one.

    Raises
    ------
    DeclarationError
        If it is none; True is none either.
    """
    number = value
    if isinstance(value, str):
        with suppress(ValueError):
            number = float(value)
    if isinstance(number, (int, float)) and not isinstance(number, bool) and 0 <= number <= 1:
        return float(number)
    raise DeclarationError(
        f"{what}: {value!r} is not a share of rows: write a number from 0 to 1, as 0.001 for one "
        f"row of 1,000, or 1.0 for all"
    )


def unknown_option(
    name: str, known: Sequence[str], *, what: str, aliases: Iterable[str] = ()
) -> DeclarationError:
    """The error for an unknown option; an argument of ``udf`` may be suggested as well."""
    # An argument of another kind of function is none here, by the same name.
    meant = did_you_mean(name, [n for n in (*known, *aliases, *_ARGUMENTS) if n != name])
    return DeclarationError(
        f"{what}: no option {name!r}{meant}; there are {', '.join(map(repr, known))}"
    )


def function_type(
    func_type: str, options: dict[str, Any], allowed: tuple[str, ...], *, what: str
) -> FunctionType:
    """The ``func_type`` of a function; takes ``udf_type``, PyFlink's older name, out of options.

    Raises
    ------
    DeclarationError
        If it is not one of ``allowed``, or the two names say different things.
    """
    older = options.pop("udf_type", None)
    if older is not None and func_type not in ("general", older):
        raise DeclarationError(
            f"{what}: func_type={func_type!r} and udf_type={older!r} are the same; give one of them"
        )
    given = func_type if older is None else older
    refuse_numba(given, allowed, what=what)
    return cast(FunctionType, choice(given, allowed, what=f"{what}, func_type"))


def refuse_numba(func_type: Any, allowed: tuple[str, ...], *, what: str) -> None:
    """Refuses numba for a function that is no scalar one.

    Raises
    ------
    DeclarationError
        If it is named, and not among those allowed.
    """
    if isinstance(func_type, str) and func_type.lower() == "numba" not in allowed:
        raise DeclarationError(
            f"{what}: func_type='numba' is for scalar functions, of which it compiles a call per "
            f"row: leave func_type out"
        )


@dataclass(frozen=True)
class FunctionOptions:
    """The options of a function, checked.

    Attributes
    ----------
    on_error
        What happens to a row whose call raises: ``fail`` ends the query, ``null`` gives NULL,
        ``quarantine`` gives NULL and keeps the row with its error. A row that an aggregate
        function cannot accumulate is left out of its group; of a pandas or Arrow one, which takes
        a group as a whole, ``quarantine`` keeps all rows of the group.
    memory
        Bytes a worker may allocate while it runs this function; None: the session's limit.
    timeout
        Seconds one call may take; None: no limit.
    open_scope
        ``task``: ``open`` and ``close`` run once around the rows of each task. ``query``: the
        opened instance is kept by its worker while the query lives, for a costly ``open``. It is
        told of a graceful end only where a streaming query is drained.
    vectorise
        Whether plain arithmetic may run a bundle at a time, with the same results.
    compile
        Whether a function may become Spark's own, with the same results: an aggregate that is sums
        becomes Spark's sums, a scalar function a class in Spark's JVM.
    self_check
        The share of rows, from 0 (none) to 1, for which a general scalar function that runs as
        Arrow kernels or in Spark's JVM is called in plain Python as well. Where the answers differ
        the query fails with a ``SelfCheckFailed``. In the JVM at most 500 rows of a task are kept
        for it, spread over the task.
    """

    on_error: OnError = "fail"
    memory: int | None = None
    timeout: float | None = None
    open_scope: OpenScope = "task"
    vectorise: bool = True
    compile: bool = True
    self_check: float = 0.0

    # The parser of each option as a user writes it, and other names of some.
    parsers: ClassVar[Mapping[str, Any]] = {
        "on_error": one_of(*get_args(OnError)),
        "memory": parse_memory,
        "timeout": parse_duration,
        "open_scope": one_of(*get_args(OpenScope)),
        "vectorise": flag,
        "compile": flag,
        "self_check": share,
    }
    aliases: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def parse(cls, options: Mapping[str, Any], *, what: str) -> Self:
        """Parses options as a user writes them.

        Raises
        ------
        DeclarationError
            For an unknown option or a wrong value.
        """
        known = [f.name for f in fields(cls)]
        for name in options:
            if name not in known:
                raise unknown_option(name, known, what=what, aliases=cls.aliases)
        return cls(**cls.parsed(options, what=what))

    @classmethod
    def parsed(cls, given: Mapping[str, Any], *, what: str) -> dict[str, Any]:
        """The parsed values of some options; None stands for the default, except for a flag."""
        return {
            name: cls.parsers[name](value, what=f"{what}, {name}")
            for name, value in given.items()
            if value is not None or cls.parsers[name] is flag
        }

    def refuse_self_check(self, *, what: str) -> None:
        """Refuses ``self_check`` for a function that plain Python runs in any case.

        Raises
        ------
        DeclarationError
            If a share of rows was given.
        """
        if self.self_check:
            raise DeclarationError(
                f"{what}: self_check compares Arrow kernels and Spark's JVM with plain Python, and "
                f"is for scalar functions with func_type='general': leave it out"
            )
