"""Planning without a JVM: rules are given what Spark answered when their queries were recorded.

``tests/fixtures/planner/<rule>.sql`` holds queries, what became of them, and what the rules say of
it; ``answers.json`` beside them holds what the planner asked of Spark meanwhile. The tests below
``tests/spark`` plan the queries with Spark and compare both (``--write-golden`` writes them again);
those below ``tests/unit`` plan them from the answers, in seconds.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql.types import StructField, StructType

import notebook_udf as nu
from notebook_udf import udaf, udf
from notebook_udf.planner.analysis import scalar_calls
from notebook_udf.planner.planned_query import QueryPlanner
from notebook_udf.planner.rule import Choice
from notebook_udf.registry import RegisteredFunction

FOLDER = Path(__file__).parent / "fixtures" / "planner"
ANSWERS = FOLDER / "answers.json"

VIEWS = {
    "basket": "SELECT id AS k, id * 2 AS v, string(id) AS s, array(id, 2L) AS xs, id > 1 AS paid "
    "FROM range(4)",
    "shop": "SELECT id AS k, id + 3 AS w, string(id) AS city FROM range(4)",
}


class Summed(nu.AggregateFunction):
    """Adds up alone: Spark can do it."""

    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def merge(self, accumulator: list[int], others: Any) -> None:
        for other in others:
            accumulator[0] += other[0]

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


class Spread(nu.AggregateFunction):
    """Has a merge, and is no sum."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[:] = [min([value, *accumulator]), max([value, *accumulator])]

    def merge(self, accumulator: list[int], others: Any) -> None:
        for other in others:
            for value in other:
                self.accumulate(accumulator, value)

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[1] - accumulator[0]


class Newest(nu.AggregateFunction):
    """Has no merge."""

    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] = value

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


async def _fetch(text: str) -> str:
    return text


FUNCTIONS = {
    "py_next": udf(lambda x: x + 1, result_type="BIGINT"),
    "py_even": udf(lambda x: x % 2 == 0, result_type="BOOLEAN"),
    "py_slug": udf(lambda s: s.lower(), result_type="STRING"),
    "py_draw": udf(lambda x: x, result_type="BIGINT", deterministic=False),
    "py_same": udf(lambda x, y: x == y, result_type="BOOLEAN"),
    "py_fetch": udf(_fetch, result_type="STRING"),
    "py_summed": udaf(Summed(), result_type="BIGINT", accumulator_type="ARRAY<BIGINT>"),
    "py_spread": udaf(Spread(), result_type="BIGINT", accumulator_type="ARRAY<BIGINT>"),
    "py_newest": udaf(Newest(), result_type="BIGINT", accumulator_type="ARRAY<BIGINT>"),
}


class NeverAsked(Exception):
    """A query for Spark that no fixture has an answer to."""


@dataclass(frozen=True)
class Entry:
    """A query of a fixture.

    Attributes
    ----------
    name, query
        What it is there for, and its text.
    became
        What Spark was handed, and what the rules say of it.
    """

    name: str
    query: str
    became: str


_ENTRY = re.compile(r"^-- === (.*)\n", re.MULTILINE)
_BECAME = "\n--> "


def entries(path: Path) -> Iterator[Entry]:
    """The queries of a fixture."""
    pieces = _ENTRY.split(path.read_text("utf-8"))[1:]
    for name, body in zip(pieces[::2], pieces[1::2], strict=True):
        query, _, became = body.partition(_BECAME)
        yield Entry(name, query.strip(), became.rstrip())


def write(path: Path, found: Sequence[Entry]) -> None:
    """Writes a fixture again."""
    path.write_text(
        "\n".join(f"-- === {e.name}\n{e.query}{_BECAME}{e.became}\n" for e in found), "utf-8"
    )


def planned(query: str, functions: Mapping[str, RegisteredFunction], context: Any) -> str:
    """What becomes of a query, as a fixture shows it."""
    try:
        plan = QueryPlanner(query, functions, context, lambda record: record).plan()
    except nu.PlanningError as error:
        return f"refused: {error}"
    if plan.rows is None:
        return "\n".join(["as it is", *map(_told, plan.choices)])
    return "\n".join([*context.handed(), *map(_told, plan.choices)])


def _told(choice: Choice) -> str:
    reason = f": {choice.reason}" if choice.reason else ""
    return f"-- {choice.rule}: {choice.call} as {choice.role}{reason}"


def records() -> dict[str, RegisteredFunction]:
    """The functions as they are registered first, without a session."""
    nobody: Any = None
    return {
        name: RegisteredFunction(name, 1, definition, b"", "", nobody)
        for name, definition in FUNCTIONS.items()
    }


@dataclass
class Texts:
    """What Spark was handed: the latest text, and those below the views that it reads."""

    numbers: dict[str, str] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)
    latest: str = ""

    def shown(self, query: str) -> str:
        """A text with views numbered as this query came to them."""
        return re.sub(r"\b_nu_(?:rows|node)_\d+\b", lambda m: self.numbers.get(m[0], m[0]), query)

    def number(self, name: str, prefix: str) -> str:
        """A name that is the same in each run."""
        return self.numbers.setdefault(name, f"{prefix}{len(self.numbers) + 1}")

    def handed(self) -> list[str]:
        """The texts, each before those that read it."""
        return [*(f"{name}: {text}" for name, text in self.named.items()), self.latest]


def _nowhere(*_: Any) -> None:
    """No call runs in Spark's JVM."""


class Recording:
    """The context of a real session, whose answers are noted."""

    def __init__(self, context: Any, answers: dict[str, Any]) -> None:
        self._context = context
        self._answers = answers
        self.texts = Texts()
        self.handed = self.texts.handed
        self.passes = context.passes
        # Asked for once in a process; here the answer has to be noted.
        scalar_calls._known.clear()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    # What is noted is how functions in workers are called.
    listed = staticmethod(_nowhere)

    def run(self, query: str) -> Any:
        rows = self._noted(query, self._context.run)
        self.texts.latest = self.texts.shown(query)
        return rows

    def ask(self, query: str) -> Any:
        return self._noted(query, self._context.ask)

    def view(self, rows: Any) -> str:
        name: str = self._context.view(rows)
        self.texts.named[self.texts.number(name, "_nu_rows_")] = self.texts.latest
        return name

    def hidden_node(self, members: Any) -> str:
        name: str = self._context.hidden_node(members)
        self.texts.number(name, "_nu_node_")
        return name

    def parse(self, query: str) -> str:
        key = f"parse {query}"
        try:
            plan: str = self._context.parse(query)
        except PySparkException as error:
            self._answers[key] = {"error": type(error).__name__}
            raise
        self._answers[key] = hashlib.sha256(plan.encode()).hexdigest()[:16]
        return plan

    def optimize(self, rows: Any) -> bool:
        key = f"optimize {self.texts.latest}"
        try:
            answer: bool = self._context.optimize(rows)
        except PySparkException as error:
            self._answers[key] = {"error": _steady(error)}
            raise
        self._answers[key] = answer
        return answer

    def built_in_aggregates(self) -> frozenset[str]:
        found: frozenset[str] = self._context.built_in_aggregates()
        self._answers["built-in aggregates"] = sorted(found)
        return found

    def _noted(self, query: str, run: Any) -> Any:
        key = self.texts.shown(query)
        try:
            rows = run(query)
        except AnalysisException as error:
            self._answers[key] = {"error": _steady(error)}
            raise
        if query.startswith("SHOW "):
            self._answers[key] = [row[0] for row in rows.collect()]
        else:
            self._answers[key] = {"schema": rows.schema.jsonValue(), "streams": rows.isStreaming}
        return rows


@dataclass
class Rows:
    """What the planner sees of rows."""

    schema: StructType
    isStreaming: bool = False  # noqa: N815 - as a DataFrame has it
    shown: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        return list(self.schema.names)

    def toDF(self, *names: str) -> Rows:  # noqa: N802 - as a DataFrame has it
        fields = [
            StructField(name, f.dataType, f.nullable)
            for name, f in zip(names, self.schema.fields, strict=True)
        ]
        return Rows(StructType(fields), self.isStreaming)

    def collect(self) -> list[tuple[str]]:
        return [(name,) for name in self.shown]


class _Passes:
    """Passes over rows; what they add is for Spark's answers to tell."""

    def partial_rows(self, rows: Rows, *_: Any) -> Rows:
        return rows

    def passed_rows(self, rows: Rows) -> Rows:
        return rows

    def window_rows(self, rows: Rows, layout: Any, records: Any, *_: Any) -> Rows:
        made = StructType(list(rows.schema.fields))
        for name, record in zip(layout.results, records, strict=True):
            made.add(name, record.definition.value_type)
        return Rows(made)


class Replay:
    """A context that has Spark's noted answers, and no Spark."""

    passes = _Passes()
    listed = staticmethod(_nowhere)

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = answers
        self.texts = Texts()
        self.handed = self.texts.handed
        self._views = 0
        scalar_calls._known.clear()

    def run(self, query: str) -> Rows:
        rows = self.ask(query)
        self.texts.latest = query
        return rows

    def ask(self, query: str) -> Rows:
        answer = self._answer(query)
        if isinstance(answer, list):
            return Rows(StructType(), shown=tuple(answer))
        if "error" in answer:
            raise AnalysisException(answer["error"])
        return Rows(StructType.fromJson(answer["schema"]), answer["streams"])

    def view(self, rows: Rows) -> str:
        return self._named("_nu_rows_", self.texts.latest)

    def hidden_name(self, record: RegisteredFunction, role: str) -> str:
        return f"_nu_{role}_{record.name}_{record.version}"

    def hidden_node(self, members: Any) -> str:
        return self._named("_nu_node_", None)

    def parse(self, query: str) -> str:
        answer = self._answer(f"parse {query}")
        if isinstance(answer, dict):
            raise AnalysisException(answer["error"])
        return str(answer)

    def optimize(self, rows: Rows) -> bool:
        answer = self._answer(f"optimize {self.texts.latest}")
        if isinstance(answer, dict):
            raise AnalysisException(answer["error"])
        return bool(answer)

    def built_in_aggregates(self) -> frozenset[str]:
        return frozenset(self._answer("built-in aggregates"))

    def double_quoted_identifiers(self) -> bool:
        return False

    def _named(self, prefix: str, text: str | None) -> str:
        self._views += 1
        name = f"{prefix}{self._views}"
        if text is not None:
            self.texts.named[name] = text
        return name

    def _answer(self, key: str) -> Any:
        if key not in self._answers:
            raise NeverAsked(
                f"Spark was not asked this when the fixtures were written: {key}\n"
                f"python -m pytest --write-golden tests/spark/test_recorded_rules.py asks it"
            )
        return self._answers[key]


def _steady(error: Exception) -> str:
    """What an error says first, without the numbers of Spark's columns."""
    return re.sub(r"#\d+L?", "#", str(error).partition("\n")[0])


def read_answers() -> dict[str, Any]:
    """What Spark answered."""
    found: dict[str, Any] = json.loads(ANSWERS.read_text("utf-8")) if ANSWERS.exists() else {}
    return found


def write_answers(answers: Mapping[str, Any]) -> None:
    """Writes the answers again, one a line."""
    lines = (f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(answers.items()))
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
