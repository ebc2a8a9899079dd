"""Aggregates that Spark accumulates: what ``get_value`` makes of the lists or sums in Spark's JVM
is what it makes of them in Python.
"""

from __future__ import annotations

import datetime as dt
import statistics
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import functions as F

import notebook_udf as nu
from notebook_udf import udaf

# The names of what gives the values are those of classes, which are others where this file is.
pytestmark = pytest.mark.drawn

# Each example is several queries: to make one that fails smaller takes longer than a test may.
GENERATED = settings(
    max_examples=5,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
TYPES = {"i": "bigint", "x": "double", "s": "string", "d": "date", "n": "decimal(9,2)"}
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "i": st.integers(-3, 9) | st.integers(-(2**63), 2**63 - 1),
    "x": st.sampled_from([0.0, -0.0, 1.5, -2.25, 1e300, float("nan"), float("inf")]),
    "s": st.sampled_from(["", "a", "b c", "A", "ä", "𝄞"]),
    "d": st.sampled_from([dt.date(1582, 10, 15), dt.date(2026, 1, 1), dt.date(2026, 2, 28)]),
    "n": st.sampled_from([Decimal("0.00"), Decimal("1.50"), Decimal("-1.25")]),
}


class Gathers(nu.AggregateFunction):
    """A list, of which a subclass makes a value."""

    def create_accumulator(self) -> Any:
        return []

    def accumulate(self, accumulator: Any, value: Any) -> None:
        if value is not None:
            accumulator.append(value)


class GathersAll(Gathers):
    def accumulate(self, accumulator: Any, value: Any) -> None:
        accumulator.append(value)


class GathersDiffering(Gathers):
    def create_accumulator(self) -> Any:
        return set()

    def accumulate(self, accumulator: Any, value: Any) -> None:
        accumulator.add(value)


CASES: list[tuple[type[Gathers], str, str]] = []


# Dates and decimals within lists, and a set whose order counts, have no Java.
IN_PYTHON: set[type[Gathers]] = set()


def case(
    column: str, result: str, *, in_java: bool = True
) -> Callable[[type[Gathers]], type[Gathers]]:
    """An aggregate of a column, and the type of its result."""

    def add(function: type[Gathers]) -> type[Gathers]:
        CASES.append((function, column, result))
        if not in_java:
            IN_PYTHON.add(function)
        return function

    return add


@case("i", "double")
class Median(Gathers):
    def get_value(self, accumulator: Any) -> Any:
        return statistics.median(accumulator) if accumulator else None


@case("x", "double")
class Quartile(Gathers):
    def get_value(self, accumulator: Any) -> Any:
        if not accumulator:
            return None
        accumulator.sort()
        place = (len(accumulator) - 1) * 0.75
        low = int(place)
        high = min(low + 1, len(accumulator) - 1)
        return accumulator[low] + (accumulator[high] - accumulator[low]) * (place - low)


@case("i", "bigint")
class Spread(Gathers):
    def get_value(self, accumulator: Any) -> Any:
        return max(accumulator) - min(accumulator) if accumulator else None


@case("s", "string")
class Joined(Gathers):
    separator = ", "

    def get_value(self, accumulator: Any) -> Any:
        return self.separator.join(sorted(accumulator))


@case("s", "string")
class MostOften(Gathers):
    def get_value(self, accumulator: Any) -> Any:
        counts: dict[str, int] = {}
        for each in accumulator:
            counts[each] = counts.get(each, 0) + 1
        best = None
        for word in sorted(counts):
            if best is None or counts[word] > counts[best]:
                best = word
        return best


@case("s", "array<string>")
class Frequent(Gathers):
    def get_value(self, accumulator: Any) -> Any:
        return [word for word, _ in Counter(sorted(accumulator)).most_common(2)]


@case("d", "int")
class DaysBetween(Gathers):
    def get_value(self, accumulator: Any) -> Any:
        return (max(accumulator) - min(accumulator)).days if accumulator else None


@case("i", "bigint")
class HowManyDiffer(GathersDiffering):
    def get_value(self, accumulator: Any) -> Any:
        return len(accumulator)


@case("s", "array<string>", in_java=False)
class InOrder(GathersDiffering):
    def get_value(self, accumulator: Any) -> Any:
        return sorted(each for each in accumulator if each is not None)


@case("i", "double")
class Missing(GathersAll):
    def get_value(self, accumulator: Any) -> Any:
        return sum(1 for each in accumulator if each is None) / len(accumulator)


@case("n", "decimal(20,2)")
class Middle(Gathers):
    def get_value(self, accumulator: Any) -> Any:
        return sorted(accumulator)[len(accumulator) // 2] if accumulator else None


@case("x", "boolean")
class Rises(Gathers):
    def get_value(self, accumulator: Any) -> Any:
        return all(a <= b for a, b in pairwise(accumulator))


def covariance(first: Any, second: Any) -> Any:
    count = len(first)
    if count < 2:
        return None
    mean, other = sum(first) / count, sum(second) / count
    return sum((x - mean) * (y - other) for x, y in zip(first, second, strict=True)) / (count - 1)


class OfLists(nu.AggregateFunction):
    """Two lists in a list."""

    def create_accumulator(self) -> Any:
        return [[], []]

    def accumulate(self, accumulator: Any, x: Any, y: Any) -> None:
        if x is None or y is None:
            return
        accumulator[0].append(x)
        accumulator[1].append(y)

    def get_value(self, accumulator: Any) -> Any:
        return covariance(accumulator[0], accumulator[1])


class OfDict(OfLists):
    """Two lists in a dict."""

    def create_accumulator(self) -> Any:
        return {"x": [], "y": []}

    def accumulate(self, accumulator: Any, x: Any, y: Any) -> None:
        if x is not None and y is not None:
            accumulator["x"].append(x)
            accumulator["y"].append(y)

    def get_value(self, accumulator: Any) -> Any:
        return covariance(accumulator["x"], accumulator["y"])


@dataclass
class Lists:
    first: list[Any] = field(default_factory=list)
    second: list[Any] = field(default_factory=list)


class OfDataclass(OfLists):
    """Two lists in a dataclass."""

    def create_accumulator(self) -> Any:
        return Lists()

    def accumulate(self, accumulator: Any, x: Any, y: Any) -> None:
        if x is None or y is None:
            return
        accumulator.first.append(x)
        accumulator.second.append(y)

    def get_value(self, accumulator: Any) -> Any:
        return covariance(accumulator.first, accumulator.second)


def own_list() -> list[Any]:
    return []


@dataclass
class OwnLists:
    first: list[Any] = field(default_factory=own_list)
    second: list[Any] = field(default_factory=own_list)


class OfOwnLists(OfDataclass):
    """Whose lists are made by a function of the user's."""

    def create_accumulator(self) -> Any:
        return OwnLists()


ROWS = st.lists(
    st.tuples(st.sampled_from([1, 2, None]), *(st.none() | VALUES[name] for name in TYPES)),
    max_size=8,
)


def answers(session: nu.Session, query: str) -> list[str]:
    return sorted(map(repr, map(tuple, session.sql(query).collect())))


def outcome(session: nu.Session, query: str) -> Any:
    try:
        return answers(session, query)
    except nu.UserFunctionError as error:
        failed = error.failed
        return failed.exception, failed.message, failed.method, failed.group, failed.arguments
    except nu.ResultError as error:
        return "ResultError", error.failed.group if error.failed else None


@pytest.mark.one_in(2)
@GENERATED
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
@given(rows=ROWS)
def test_a_value_is_pythons(
    session: nu.Session, case: tuple[type[Gathers], str, str], rows: list[tuple[Any, ...]]
) -> None:
    function, column, result = case
    session.register_function("there", udaf(function(), result_type=result))
    session.register_function("here", udaf(function(), result_type=result, compile=False))
    schema = ", ".join(f"{name} {kind}" for name, kind in {"k": "int", **TYPES}.items())
    # Of several groups that fail, which one is told is a matter of chance.
    frame = session.spark.createDataFrame(rows, schema).coalesce(1)
    frame.createOrReplaceTempView("gathering")
    for grouping in ("", " GROUP BY k"):
        there, here = (
            outcome(session, f"SELECT {name}({column}) FROM gathering{grouping}")
            for name in ("there", "here")
        )
        if isinstance(here, tuple) and grouping:
            assert isinstance(there, tuple)
            assert there[0] == here[0]
        else:
            assert there == here


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_whether_it_takes_a_worker(
    session: nu.Session, case: tuple[type[Gathers], str, str]
) -> None:
    function, column, result = case
    session.register_function("there", udaf(function(), result_type=result))
    row = "CAST(2 AS BIGINT) AS i, 1.5D AS x, 'b' AS s, DATE'2026-01-01' AS d, 1.50BD AS n"
    frame = session.sql(f"SELECT k, there({column}) FROM (SELECT id % 2 AS k, {row} FROM range(6)) "
                        "GROUP BY k")  # fmt: skip
    assert len(frame.collect()) == 2
    plan = frame._jdf.queryExecution().toString()
    assert ("Python" in plan.partition("Physical Plan")[2]) == (function in IN_PYTHON)
    (said,) = (
        each["form"]
        for each in session.plan(frame).to_dict()["strategies"]
        if each["function"] == "there"
    )
    assert ("Spark's JVM" in said) == (function not in IN_PYTHON)


@pytest.mark.parametrize(
    ("function", "where"),
    [(OfLists, "Spark's JVM, compiled"), (OfDict, "Spark's JVM, compiled"),
     (OfDataclass, "Spark's JVM, compiled"), (OfOwnLists, "Python workers")],
)  # fmt: skip
def test_lists_within_an_accumulator(
    session: nu.Session, function: type[OfLists], where: str
) -> None:
    for name, compiled in (("there", True), ("here", False)):
        session.register_function(
            name, udaf(function(), ["double", "double"], "double", compile=compiled)
        )
    given = "id * 1.5D, IF(id % 4 = 0, NULL, id * id * 1.0D)"
    there, here = (
        answers(session, f"SELECT id % 3 AS k, {name}({given}) AS v FROM range(20) GROUP BY 1")
        for name in ("there", "here")
    )
    assert there == here
    said = session.functions["there"].explain().splitlines()[-1]
    assert said.startswith(f"get_value of what Spark accumulates runs in {where}")


class Written(GathersAll):
    def get_value(self, accumulator: Any) -> Any:
        return " ".join("-" if each is None else f"<{each}>" for each in accumulator)


# What stands for a NULL among values that Spark gathers, and values beside it.
MARKS = {
    "tinyint": [-128, 5],
    "smallint": [-(2**15), 5],
    "int": [-(2**31), 5],
    "bigint": [-(2**63), 5],
    "float": [-1.5 * 2.0**-126, 0.5],
    "double": [-1.5 * 2.0**-126, -0.0, float("nan")],
    "string": ["\0NULL", "", "NULL"],
}


@pytest.mark.one_in(2)
@GENERATED
@pytest.mark.parametrize("kind", MARKS)
@given(data=st.data())
def test_nulls_are_where_they_were(session: nu.Session, kind: str, data: st.DataObject) -> None:
    session.register_function("there", udaf(Written(), result_type="string"))
    session.register_function("here", udaf(Written(), result_type="string", compile=False))
    value = st.sampled_from([None, *MARKS[kind]])
    rows = data.draw(st.lists(st.tuples(st.integers(0, 1), value), max_size=20))
    frame = session.spark.createDataFrame(rows, f"k int, v {kind}").coalesce(1)
    frame.createOrReplaceTempView("gathering")
    for query in (
        "SELECT k, {}(v) FROM gathering GROUP BY k",
        "SELECT {}(v), count(v) FROM gathering",
        "SELECT k, {}(v) FILTER (WHERE k = 1) FROM gathering GROUP BY k",
    ):
        found = [answers(session, query.format(name)) for name in ("there", "here")]
        assert found[0] == found[1]
    plan = session.sql("SELECT there(v) FROM gathering")._jdf.queryExecution().toString()
    assert "Python" not in plan.partition("Physical Plan")[2]


class WrittenBesides(GathersAll):
    """Values beside others, in two lists."""

    def create_accumulator(self) -> Any:
        return [[], []]

    def accumulate(self, accumulator: Any, number: Any, value: Any) -> None:
        accumulator[0].append(number)
        accumulator[1].append(value)

    def get_value(self, accumulator: Any) -> Any:
        pairs = zip(accumulator[0], accumulator[1], strict=True)
        return " ".join(f"{number}:{value}" for number, value in sorted(pairs, key=lambda p: p[0]))


def test_nulls_are_where_they_were_in_more_groups_than_spark_hashes(session: nu.Session) -> None:
    """Spark keeps 128 groups at once by hash, and sorts the rows of others, in any order."""
    session.register_function("written", udaf(WrittenBesides(), result_type="string"))
    least = "CAST('-9223372036854775808' AS BIGINT)"
    value = f"CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN {least} ELSE n END"
    numbered = "SELECT id % 500 AS k, id div 500 AS n FROM range(0, 32000, 1, 4)"
    frame = session.sql(f"SELECT written(n, {value}) AS w FROM ({numbered}) GROUP BY k")
    expected = " ".join(f"{n}:{[None, -(2**63), n][n % 3]}" for n in range(64))
    assert [row.w for row in frame.collect()] == [expected] * 500
    plan = frame._jdf.queryExecution().toString()
    assert "Python" not in plan.partition("Physical Plan")[2]


class Mean(nu.AggregateFunction):
    """Slots of a list."""

    def create_accumulator(self) -> Any:
        return [0, 0]

    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator[0] += value * weight
        accumulator[1] += weight

    def get_value(self, accumulator: Any) -> Any:
        return accumulator[0] / accumulator[1]


class MeanOfDict(Mean):
    """Values of a dict, of the rows that have both."""

    def create_accumulator(self) -> Any:
        return {"total": 0, "weight": 0}

    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        if value is not None and weight is not None:
            accumulator["total"] = accumulator["total"] + value * weight
            accumulator["weight"] = accumulator["weight"] + weight

    def get_value(self, accumulator: Any) -> Any:
        return accumulator["total"] / accumulator["weight"] if accumulator["weight"] else None


class MeanOfRow(Mean):
    """Positions of a Row."""

    def create_accumulator(self) -> Any:
        return nu.Row(0, 0)

    def get_value(self, accumulator: Any) -> Any:
        total, weight = accumulator
        return total / weight if weight else None


@dataclass
class Sums:
    total: Any = 0
    weight: Any = 0
    unit: str = "km"


class MeanOfDataclass(Mean):
    """Attributes of a dataclass, one of which no row changes."""

    def create_accumulator(self) -> Any:
        return Sums()

    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator.total += value * weight
        accumulator.weight += weight

    def get_value(self, accumulator: Any) -> Any:
        if not accumulator.weight:
            return None
        return accumulator.total / accumulator.weight * (1 if accumulator.unit == "km" else 2)


class Positive(Mean):
    """A number."""

    def create_accumulator(self) -> Any:
        return 0

    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> Any:
        return accumulator + 1 if value > weight else accumulator

    def get_value(self, accumulator: Any) -> Any:
        return accumulator / 2


PAIRS = [("i", "i"), ("x", "i"), ("x", "x"), ("i % 100", "i % 7"), ("coalesce(i, 3)", "2")]


@pytest.mark.one_in(2)
@GENERATED
@pytest.mark.parametrize("function", [Mean, MeanOfDict, MeanOfRow, MeanOfDataclass, Positive])
@given(rows=ROWS, pair=st.sampled_from(PAIRS))
def test_a_value_of_sums_is_pythons(
    session: nu.Session, function: type[Mean], rows: list[tuple[Any, ...]], pair: tuple[str, str]
) -> None:
    session.register_function("there", udaf(function(), result_type="double"))
    session.register_function("here", udaf(function(), result_type="double", compile=False))
    schema = ", ".join(f"{name} {kind}" for name, kind in {"k": "int", **TYPES}.items())
    frame = session.spark.createDataFrame(rows, schema).coalesce(1)
    frame.createOrReplaceTempView("added")
    given = ", ".join(pair)
    there, here = (outcome(session, f"SELECT {f}({given}) FROM added") for f in ("there", "here"))
    if isinstance(here, tuple):
        assert isinstance(there, tuple)
        assert there[:3] == here[:3]
    else:
        assert there == here


@pytest.mark.parametrize("function", [Mean, MeanOfDict, MeanOfRow, MeanOfDataclass, Positive])
def test_sums_take_no_worker(session: nu.Session, function: type[Mean]) -> None:
    session.register_function("there", udaf(function(), ["bigint", "bigint"], "double"))
    frame = session.sql("SELECT id % 2 AS k, there(id, 2) AS v FROM range(6) GROUP BY 1")
    assert len(frame.collect()) == 2
    assert "Python" not in frame._jdf.queryExecution().toString().partition("Physical Plan")[2]
    said = session.functions["there"].explain().splitlines()[-1]
    assert said.startswith("get_value of what Spark accumulates runs in Spark's JVM")


def test_a_row_that_accumulate_refuses_is_told(session: nu.Session) -> None:
    session.register_function("there", udaf(Mean(), ["bigint", "bigint"], "double"))
    with pytest.raises(nu.UserFunctionError) as caught:
        session.sql(
            "SELECT k, there(v, 2) FROM VALUES ('a', 1), ('b', NULL) AS t(k, v) GROUP BY k"
        ).collect()
    failed = caught.value.failed
    assert failed is not None
    assert (failed.exception, failed.method) == ("TypeError", "accumulate")
    assert failed.arguments == (("value", "None"), ("weight", "2"))
    assert dict(failed.group) == {"k": "'b'"}
    assert [frame.name for frame in failed.frames] == ["accumulate"]
    with pytest.raises(TypeError):
        session.replay("there")


def test_what_has_no_java_says_why(session: nu.Session) -> None:
    class Odd(Gathers):
        def get_value(self, accumulator: Any) -> Any:
            return type(accumulator).__name__

    session.register_function("odd", udaf(Odd(), ["bigint"], "string"))
    assert answers(session, "SELECT odd(id) FROM range(3)") == ["('list',)"]
    said = session.functions["odd"].explain().splitlines()[-1]
    assert said.startswith(
        "get_value of what Spark accumulates runs in Python workers, not in Spark's"
    )


def test_the_operator_too(session: nu.Session) -> None:
    median = session.register_function("median_here", udaf(Median(), ["bigint"], "double"))
    frame = session.spark.range(9).withColumn("k", F.col("id") % 2)
    for _ in range(2):
        grouped = frame.transform(nu.aggregate(by="k", middle=median("id")))
        assert sorted(map(tuple, grouped.collect())) == [(0, 4.0), (1, 4.0)]
        assert "ArrowEvalPython" not in grouped._jdf.queryExecution().toString()
        # Another struct of keys, and none, are calls of other functions.
        assert answers(session, "SELECT id < 4, median_here(id) FROM range(9) GROUP BY 1") == [
            "(False, 6.0)", "(True, 1.5)",
        ]  # fmt: skip
        assert answers(session, "SELECT median_here(id) FROM range(9)") == ["(4.0,)"]


def test_a_group_that_fails_is_replayed(session: nu.Session) -> None:
    class Fails(Gathers):
        def get_value(self, accumulator: Any) -> Any:
            return 1 // (len(accumulator) - 2)

    session.register_function("failing", udaf(Fails(), ["int"], "bigint"))
    query = "SELECT k, failing(v) FROM VALUES ('a', 1), ('b', 3), ('b', 4) AS t(k, v) GROUP BY k"
    with pytest.raises(nu.UserFunctionError) as caught:
        session.sql(query).collect()
    failed = caught.value.failed
    assert failed is not None
    assert (failed.exception, failed.method) == ("ZeroDivisionError", "get_value")
    assert failed.arguments == (("accumulator", "[3, 4]"),)
    assert dict(failed.group) == {"k": "'b'"}
    assert [frame.name for frame in failed.frames] == ["get_value"]
    assert failed.worker == 0
    with pytest.raises(ZeroDivisionError):
        session.replay("failing")


def test_its_lines_are_profiled_in_workers(session: nu.Session) -> None:
    session.register_function("profiled", udaf(Median(), ["bigint"], "double"))
    query = "SELECT id % 100, profiled(id) FROM range(2000) GROUP BY 1"
    session.sql(query).collect()
    profile = session.profile(query)
    assert any("profiled runs in Spark's JVM" in note for note in profile.notes)


def test_a_value_that_does_not_fit_is_told_as_from_a_worker(session: nu.Session) -> None:
    told = []
    for compiled in (True, False):
        session.register_function("wide", udaf(Spread(), result_type="bigint", compile=compiled))
        with pytest.raises(nu.ResultError, match="BIGINT cannot hold") as caught:
            session.sql(
                "SELECT k, wide(v) FROM VALUES ('a', -2L), ('a', 9223372036854775806L) AS t(k, v) "
                "GROUP BY k"
            ).collect()
        failed = caught.value.failed
        assert failed is not None
        told.append((failed.message, failed.method, failed.arguments, failed.group))
    assert told[0] == told[1]
