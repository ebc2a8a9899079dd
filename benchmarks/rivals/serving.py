"""The end of an engine's process: runs the case it is told, and answers with a line of JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping

from benchmarks.rivals.cases import CASES, Answer, Case

Query = Callable[[], Answer]
# A case and the folder of its Parquet files; what it returns runs over and over.
Maker = Callable[[Case, str], Query]
PROCESSORS = 2


class NotThere(Exception):
    """An engine has no such kind of function; says what it lacks."""


def serve(open_makers: Callable[[], tuple[str, Mapping[str, Maker]]]) -> None:
    """Serves until stdin ends.

    Parameters
    ----------
    open_makers
        Starts the engine; returns its version, and what makes the queries of each of its ways.
    """
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    # What an engine prints is no answer.
    os.dup2(2, 1)
    _limit_processors()

    def say(**values: object) -> None:
        answers.write(f"{json.dumps(values)}\n")

    try:
        version, makers = open_makers()
    except Exception as error:
        say(error=first_line(error))
        return
    say(version=version)
    made: dict[str, tuple[str, Query]] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        way, name = asked["way"], asked["case"]
        try:
            # One case at a time is kept: the rows of all need not fit into memory together.
            made = {each: known for each, known in made.items() if known[0] == name}
            if way not in made:
                made[way] = name, makers[way](CASES[name], asked["folder"])
            query = made[way][1]
            start = time.perf_counter()
            answer = query()
            say(seconds=time.perf_counter() - start, answer=answer)
        except NotThere as error:
            say(absent=str(error))
        except Exception as error:
            say(error=first_line(error))


def first_line(error: BaseException) -> str:
    """The kind of an error, and the first line of its message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _limit_processors() -> None:
    """Engines start as many threads as there are processors: all get the same number."""
    if sys.platform == "linux":
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:PROCESSORS])
