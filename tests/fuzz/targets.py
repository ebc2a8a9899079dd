"""What is fuzzed, each with what it takes and what has to hold."""

from __future__ import annotations

import ast
import datetime
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from pyspark.sql.types import DataType

from notebook_udf import ddl
from notebook_udf.errors import DeclarationError, NotebookUdfError, ProtocolError
from notebook_udf.export.cells import statements
from notebook_udf.magics.defining import function_options, split_types
from notebook_udf.magics.exporting import cells
from notebook_udf.magics.magic_options import UDF_CELL
from notebook_udf.telemetry import records, wire
from tests.fuzz.functions import check, functions, rows


@dataclass(frozen=True)
class Target:
    """A reader; ``check`` raises if it does anything but read or refuse."""

    values: st.SearchStrategy[Any]
    check: Callable[[Any], None]


def _says_why(error: NotebookUdfError) -> None:
    if not str(error).strip():
        raise AssertionError("refused without a word") from error


# The channel's wire ----------------------------------------------------------------------------

_TASK = records.TaskId("12", 3, 7, 0, 55)
_TIMING = records.FunctionTiming("f", 2, 1000, 990, 1, 2, 3, 10)
_POSITION = records.Position(5, 1, 0, 9, 10, "f")
_RECORDS: list[records.Record] = [
    records.WorkerStarted(1, "host", "3.11.4", 1.5, "/logs/1"),
    records.WorkerExited(1, 2.0, None, 9, False, "x", _POSITION, records.Hogged(3, 2, 1)),
    records.TaskStarted(1, 2.0, _TASK, ("f", "g")),
    records.TaskEnded(1, 3.0, _TASK, "done", 5, 10, 9, (_TIMING,)),
    records.LogLines(1, "12", (records.LogLine(1, 2.0, "INFO", "print", "f", 0, 3, "x"),), 7),
    *records.BundlesDone.of([records.BundleDone(1, 2.0, _TASK, 1, 1, 1, 8, 8, 5, 6, (_TIMING,))]),
]
_LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    | st.sampled_from(["__class__", "dataclass", "kind", 1e400, -1, 2**64, [], {}])
)  # fmt: skip
_JSON = st.recursive(
    _LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner)
)


@st.composite
def _frames(draw: Callable[[Any], Any]) -> list[bytes]:
    """A record's frames with a part of it replaced, or any frames."""
    if draw(st.integers(0, 3)) == 0:
        found: list[bytes] = draw(st.lists(st.binary(max_size=60), max_size=4))
        return found
    head, *bodies = wire.encode(draw(st.sampled_from(_RECORDS)))
    try:
        document = json.loads(bodies[-1])
    except ValueError:
        return [head, *bodies[:-1], draw(st.binary(max_size=60))]
    place: Any = document
    while isinstance(place, (dict, list)) and place:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = draw(st.sampled_from(keys))
        if not isinstance(place[key], (dict, list)) or not place[key] or draw(st.booleans()):
            if isinstance(place, dict) and draw(st.booleans()):
                place[draw(st.text(max_size=12))] = place.pop(key)
            else:
                place[key] = draw(_JSON)
            break
        place = place[key]
    return [head, *bodies[:-1], json.dumps(document).encode("utf-8", "surrogatepass")]


def _wire(frames: list[bytes]) -> None:
    try:
        record = wire.decode(frames)
    except ProtocolError:
        return
    # What is taken for a record can be told again.
    assert wire.decode(wire.encode(record)) == record


# The line of %%udf -----------------------------------------------------------------------------

_WORDS = st.sampled_from(
    ["--try", "--name", "--kind", "--result-type", "--on-error", "--timeout", "--memory", "null",
     "f", "-", "--", "'", '"', "=", "1s", "bigint", "ARRAY<INT>", "\\", "#", "$(x)", "\n", "\t"]
) | st.text(max_size=12)  # fmt: skip
_LINES = st.lists(_WORDS, max_size=8).map(" ".join)


def _options(line: str) -> None:
    try:
        function_options(UDF_CELL.parse(line))
    except NotebookUdfError as error:
        _says_why(error)


# Types as text ---------------------------------------------------------------------------------

_TOKENS = st.sampled_from(
    ["INT", "bigint", "STRING", "ARRAY", "MAP", "STRUCT", "ROW", "DECIMAL", "<", ">", "(", ")", ",",
     ":", "a", "`b c`", "NOT NULL", "COMMENT", "'x'", "10", "2", "TIMESTAMP", "TIME", "INTERVAL",
     "DAY", "TO", "SECOND", "YEAR", "VARCHAR", "COLLATE", "UTF8_LCASE", "VARIANT", " "]
)  # fmt: skip
_TYPES = st.lists(_TOKENS | st.text(max_size=4), max_size=14).map(" ".join)


def _without_elements_nulls(type_: DataType) -> str:
    """A type as text; Spark's DDL has no words for elements and values that are never NULL."""
    return re.sub(r'"(containsNull|valueContainsNull)":(true|false)', "", type_.json())


def _types(text: str) -> None:
    try:
        found = ddl.parse(text, what="a type")
    except DeclarationError as error:
        _says_why(error)
    else:
        assert _without_elements_nulls(ddl.parse(ddl.ddl(found), what="a type")) == (
            _without_elements_nulls(found)
        )
    try:
        split_types(text)
    except DeclarationError as error:
        _says_why(error)


# A notebook's cells ----------------------------------------------------------------------------

_LINES_OF_CELLS = st.sampled_from(
    ["%%udf", "%%udf --name g", "%load_ext notebook_udf", "!ls", "def f(x: int) -> int:",
     "    return x + K", "K = 3", "import os, math as m", "from re import sub", "class C:",
     "    pass", "@nu.register", "async def g():", "x = `1`", "if True:", "    K = 4", "'''", "(",
     ")", "\\", "K += 1", "del K", "lambda: K", "print(f'{K!r}')", "?f", "%time K", "\x00", "ﬁ = 1",
     "K = '\ud800'"]
) | st.text(max_size=15)  # fmt: skip
_CELLS = st.lists(
    st.tuples(st.lists(_LINES_OF_CELLS, max_size=8).map("\n".join), st.text(max_size=8)), max_size=4
)


def _cells(sources: list[tuple[str, str]]) -> None:
    for lenient in (False, True):
        try:
            found = statements(cells(sources, lenient=lenient))
        except NotebookUdfError as error:
            _says_why(error)
        else:
            for statement in found:
                ast.parse(statement.text)


# Functions as kernels --------------------------------------------------------------------------

# Rows as their text: JSON has no dates, and no infinity.
_CALLS = st.tuples(functions(), rows).map(lambda drawn: [*drawn[0], repr(drawn[1])])
_NAMES = {"datetime": datetime, "nan": math.nan, "inf": math.inf}


def _kernels(call: list[str]) -> None:
    text, result, given = call
    check(text, result, eval(given, dict(_NAMES)))


TARGETS: dict[str, Target] = {
    "wire": Target(_frames(), _wire),
    "options": Target(_LINES, _options),
    "types": Target(_TYPES, _types),
    "export": Target(_CELLS, _cells),
    "kernels": Target(_CALLS, _kernels),
}
