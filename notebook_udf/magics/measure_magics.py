"""``%udf bench`` and ``%udf profile``: a name, a query that may hold anything, then options.

A query is not split into words: Spark reads the quotes and spaces in it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import DeclarationError
from notebook_udf.magics.magic_options import Magic, Option, unquoted

if TYPE_CHECKING:
    from notebook_udf.kernel import Session

BENCH = Magic(
    "%udf bench",
    "Measures ways to run a function, as a query calls it or on rows of its arguments.",
    (
        Option("--against", "against", "other functions to call with the same rows", "NAMES"),
        Option("--repeats", "repeats", "runs of each way (5)", "N", suggestions=("5", "9"),
               number=True),
        Option("--rows", "rows", "rows to take, at most (for a run of about a second)", "N",
               suggestions=("10000", "1000000"), number=True),
    ),
    ("NAME", "QUERY"),
)  # fmt: skip


PROFILE = Magic(
    "%udf profile",
    "Where the time goes by line: of a query, or without one of all that runs for a while.",
    (
        Option("--seconds", "seconds", "how long to look, without a query (10)", "N",
               suggestions=("5", "10", "60"), number=True),
    ),
    ("NAME", "QUERY"),
)  # fmt: skip

# The beginning of a line that has a query, and no function's name, first.
_QUERY = re.compile(r"(?i)['\"(]|(select|with|from|values)\b")

MEASURES = {"bench": BENCH, "profile": PROFILE}


def read(magic: Magic, line: str) -> tuple[str, dict[str, Any]]:
    """Splits a line into the text before the options, and their values.

    Raises
    ------
    DeclarationError
        If an option has no value, or a value that has to be a number and is none.
    """
    by_flag = {option.flag: option for option in magic.options}
    flags = "|".join(map(re.escape, by_flag))
    words, *rest = re.split(rf"(?:^|(?<=\s))({flags})(?=\s|$)", line)
    values: dict[str, Any] = {}
    for flag, text in zip(rest[::2], rest[1::2], strict=True):
        option, value = by_flag[flag], text.strip()
        if not value:
            raise DeclarationError(f"{flag} needs a value\n\n{magic.usage}".rstrip())
        if option.number and not value.isdecimal():
            raise DeclarationError(f"{flag} {value} is not a number\n\n{magic.usage}".rstrip())
        values[option.dest] = int(value) if option.number else value
    return words.strip(), values


def bench(session: Session, shell: Any, line: str) -> None:
    """``%udf bench [NAME] QUERY|TABLE [--against NAMES] [--repeats N] [--rows N]``."""
    __tracebackhide__ = True
    words, options = read(BENCH, line)
    name, _, query = words.partition(" ")
    if _QUERY.match(name):
        name, query = _only_call(session, words), words
    if not name or not query.strip():
        raise DeclarationError(
            "%udf bench takes the name of a function, and a query that calls it or gives its "
            "arguments: as text, as a table or as the variable of a DataFrame\n\n"
            f"{BENCH.usage}".rstrip()
        )
    options["against"] = re.findall(r"[^,\s]+", options.get("against", ""))
    with telling(shell) as tell:
        tell.result = session.bench(name, rows_of(shell, query), progress=tell.show, **options)


def _only_call(session: Session, query: str) -> str:
    """The name of the one function that a query calls."""
    from notebook_udf.planner.analysis.aggregate_calls import mentions

    called = [r.name for r in session.functions.values() if mentions(query, {r.name.lower(): r})]
    if len(called) != 1:
        said = f"calls {', '.join(called)}" if called else "calls no registered function"
        raise DeclarationError(f"the query {said}: put the name of the one to measure before it")
    return called[0]


def profile(session: Session, shell: Any, line: str) -> None:
    """``%udf profile [NAME] [QUERY] [--seconds N]``; the name of a function comes first."""
    __tracebackhide__ = True
    words, options = read(PROFILE, line)
    first, _, rest = words.partition(" ")
    named = first in session.functions
    query = rest.strip() if named else words
    if query and "seconds" in options:
        raise DeclarationError("--seconds is for what runs anyway: a query is profiled to its end")
    with telling(shell) as tell:
        tell.result = session.profile(
            rows_of(shell, query) if query else None,
            function=first if named else None,
            progress=tell.show,
            **options,
        )


def rows_of(shell: Any, query: str) -> Any:
    """Resolves a query on a line: the variable's value if it names one, else its unquoted text."""
    text = unquoted(query.strip())
    return shell.user_ns.get(text, text)


@dataclass
class Telling:
    """A progress display of one line of words, which the result replaces."""

    show: Callable[[str], None]
    result: Any = None


@contextmanager
def telling(shell: Any) -> Iterator[Telling]:
    """Displays progress under the running cell, or in a terminal's last line, then the result."""
    from IPython.display import display

    if getattr(shell, "kernel", None) is None:
        shown = sys.stderr.isatty()

        def say(words: str) -> None:
            if shown:
                sys.stderr.write(f"\r\x1b[K{words} …")
                sys.stderr.flush()

        told = Telling(say)
        try:
            yield told
        finally:
            if shown:
                sys.stderr.write("\r\x1b[K")
        display(told.result)
        return
    place = display(_Words("starting"), display_id=True)
    told = Telling(lambda words: place.update(_Words(words)))
    try:
        yield told
    except BaseException:
        place.update(_Words("ended before there was a result"))
        raise
    place.update(told.result)


@dataclass(repr=False)
class _Words:
    """One line of progress, as a display shows it."""

    words: str

    def __repr__(self) -> str:
        return f"{self.words} …"
