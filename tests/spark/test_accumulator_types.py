"""An accumulator that contradicts its declared type is refused, with the value, wherever it is
asked for its value or kept: on tables and on streams."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F
from streaming import Stream, last

import notebook_udf as nu
from notebook_udf import DataTypes, ListView, MapView, Row, udaf, udtaf


class Kept(nu.AggregateFunction):
    """Keeps the last value; text after a seven, until the next value comes."""

    def create_accumulator(self) -> Any:
        return [0]

    def accumulate(self, accumulator: Any, value: int) -> Any:
        accumulator[0] = "seven" if value == 7 else value

    def retract(self, accumulator: Any, value: int) -> None:
        accumulator[0] = "eight" if value == 8 else accumulator[0]

    def get_value(self, accumulator: Any) -> int:
        return 0


class Stays(Kept):
    """Text after a seven, for good."""

    def accumulate(self, accumulator: Any, value: int) -> Any:
        accumulator[0] = "seven" if value == 7 else accumulator[0]


class Merges(Stays):
    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for other in accumulators:
            accumulator[0] = other[0] if accumulator[0] != "seven" else accumulator[0]


class MadeByMerge(Kept):
    def accumulate(self, accumulator: Any, value: int) -> Any:
        pass

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        accumulator[0] = "seven"


class Returned(Kept):
    """A number, which is returned again."""

    def create_accumulator(self) -> Any:
        return 0

    def accumulate(self, accumulator: Any, value: int) -> Any:
        return "seven" if value == 7 else value

    def retract(self, accumulator: Any, value: int) -> Any:
        return accumulator


class Again(Returned):
    """Without a retract: frames that lose rows are accumulated again."""

    retract = nu.AggregateFunction.retract


class Grows(Kept):
    def create_accumulator(self) -> Any:
        return []

    def accumulate(self, accumulator: Any, value: int) -> Any:
        accumulator.append("seven" if value == 7 else value)

    def retract(self, accumulator: Any, value: int) -> None:
        pass


class Rows(Kept, nu.TableAggregateFunction):
    get_value = None  # type: ignore[assignment]

    def emit_value(self, accumulator: Any) -> Iterator[tuple[int]]:
        yield (0,)


ARRAY = "array<bigint>"


def registered(session: nu.Session, function: Any, declared: Any = ARRAY, **options: Any) -> Any:
    return session.register_function("kept", udaf(function, acc_type=declared, **options))


def refused(run: Callable[[], Any], *texts: str) -> None:
    with pytest.raises(nu.DeclarationError) as caught:
        run()
    said = str(caught.value)
    for text in ("accumulator of kept", "cannot hold", *texts):
        assert text in said
    assert "org.apache.spark" not in said


def answer(session: nu.Session, query: str) -> Callable[[], Any]:
    return lambda: session.sql(query).collect()


SEVEN = "'seven' at [0]"


QUERIES = {
    "two phases": (Merges, "SELECT id % 3 AS k, kept(id) FROM range(0, 8, 1, 2) GROUP BY 1"),
    "merged accumulators": (MadeByMerge, "SELECT kept(id) FROM range(0, 8, 1, 2)"),
    "rows that are sorted": (Stays, "SELECT kept(id) FROM range(8) GROUP BY id % 3"),
    "no group": (Stays, "SELECT kept(id) FROM range(8)"),
    "DISTINCT": (Stays, "SELECT kept(DISTINCT id) FROM range(8)"),
    "FILTER": (Stays, "SELECT kept(id) FILTER (WHERE id > 3) FROM range(8)"),
    "beside a built-in": (Stays, "SELECT id % 3, kept(id), count(*) FROM range(8) GROUP BY 1"),
    "HAVING": (Stays, "SELECT id % 3 FROM range(8) GROUP BY 1 HAVING kept(id) = 1"),
    "ROLLUP": (Stays, "SELECT kept(DISTINCT id) FROM range(8) GROUP BY ROLLUP (id % 3)"),
    "GROUPING SETS": (
        Merges,
        "SELECT kept(id) FROM range(0, 8, 1, 2) GROUP BY GROUPING SETS ((id % 3), ())",
    ),
    "PIVOT": (
        Stays,
        "SELECT * FROM (SELECT id, id % 2 AS k FROM range(8)) PIVOT (kept(id) FOR k IN (0, 1))",
    ),
    "a subquery": (
        Stays,
        "SELECT (SELECT kept(b.id) FROM range(8) b WHERE b.id % 3 = a.id) FROM range(3) a",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("function", "query"), QUERIES.values(), ids=QUERIES)
def test_in_sql(session: nu.Session, function: Any, query: str) -> None:
    registered(session, function)
    refused(answer(session, query), SEVEN, "BIGINT")


@pytest.mark.parametrize("function", [Stays, Merges, MadeByMerge])
def test_it_is_no_row_that_may_be_let_go(session: nu.Session, function: Any) -> None:
    registered(session, function, on_error="null")
    refused(
        answer(session, "SELECT id % 3 AS k, kept(id) FROM range(0, 8, 1, 2) GROUP BY k"), SEVEN
    )


FRAMES = [
    "OVER (ORDER BY id)",
    "OVER (ORDER BY id ROWS 2 PRECEDING)",
    "OVER (PARTITION BY id % 2 ORDER BY id ROWS UNBOUNDED PRECEDING)",
    "OVER (PARTITION BY id ORDER BY id ROWS 2 PRECEDING)",
    "OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)",
    "OVER (ORDER BY id RANGE BETWEEN 3 PRECEDING AND CURRENT ROW)",
]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_among_others(session: nu.Session, frame: str) -> None:
    """Nothing of the seven is left when the windows end."""
    query = f"SELECT kept(id) {frame} FROM range({{}})"
    registered(session, Kept)
    refused(answer(session, query.format(12)), SEVEN)
    refused(answer(session, query.format(600)), SEVEN)
    filtered = query.replace("kept(id)", "kept(id) FILTER (WHERE id > 2)")
    refused(answer(session, filtered.format(12)), SEVEN)
    sound = session.sql(query.replace("kept(id)", "kept(id + 20)").format(600))
    assert len(sound.collect()) == 600
    registered(session, Returned, "bigint")
    refused(answer(session, query.format(12)), "'seven'")
    registered(session, Again, "bigint")
    refused(answer(session, query.format(12)), "'seven'")


def test_a_whole_window(session: nu.Session) -> None:
    registered(session, Stays)
    refused(answer(session, "SELECT kept(id) OVER (PARTITION BY id % 3) FROM range(9)"), SEVEN)


@pytest.mark.parametrize("retracts", [True, False])
def test_what_grows_is_looked_at_when_it_is_done_with(session: nu.Session, retracts: bool) -> None:
    retract = Grows.retract if retracts else nu.AggregateFunction.retract
    registered(session, type("Growing", (Grows,), {"retract": retract}))
    for over in ("", "ORDER BY id", "ORDER BY id ROWS 1 PRECEDING"):
        refused(answer(session, f"SELECT kept(id) OVER ({over}) FROM range(40)"), "'seven' at [")


def test_what_get_value_makes_of_it_is_not_the_reason(session: nu.Session) -> None:
    adds = type("Adds", (Kept,), {"get_value": lambda self, accumulator: accumulator[0] + 1})
    registered(session, adds, result_type="bigint")
    for rows in (12, 600):
        query = f"SELECT kept(id) OVER (ORDER BY id ROWS 2 PRECEDING) FROM range({rows})"
        refused(answer(session, query), SEVEN)


class Totals(nu.AggregateFunction):
    """Sums alone, which are added up without calling it."""

    def __init__(self, *fresh: Any) -> None:
        self.fresh = fresh

    def create_accumulator(self) -> Any:
        return list(self.fresh)

    def accumulate(self, accumulator: Any, value: int) -> None:
        accumulator[0] += value
        accumulator[1] += 1

    def retract(self, accumulator: Any, value: int) -> None:
        accumulator[0] -= value
        accumulator[1] -= 1

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for other in accumulators:
            accumulator[0] += other[0]
            accumulator[1] += other[1]

    def get_value(self, accumulator: Any) -> float:
        return float(accumulator[0]) / accumulator[1] if accumulator[1] else 0.0


# A column, and whether a declared type holds its sums.
SUMS: tuple[tuple[Any, str, str, str], ...] = (
    (Totals(0, 0), ARRAY, "9223372036854775000 + id", "at [0]"),
    (Totals(0, 0), "array<int>", "1100000000 + id", "at [0]"),
    (Totals(0, 0), "array<double>", "9007199254740993 + 0 * id", "at [0]"),
    (Totals(0.0, 0), "struct<a: double, b: string>", "id", "at .b"),
    (Totals(0, 0, "x"), ARRAY, "id", "'x' at [2]"),
    (Totals(0, 0), ARRAY, "id", ""),
    (Totals(0, 0), "array<double>", "id", ""),
    (Totals(0.0, 0), "struct<a: double, b: bigint>", "id", ""),
)


@pytest.mark.parametrize("compile", [True, False])
@pytest.mark.parametrize(("function", "declared", "column", "said"), SUMS)
def test_sums(
    session: nu.Session, function: Any, declared: str, column: str, said: str, compile: bool
) -> None:
    registered(session, function, declared, result_type="double", compile=compile)
    for query in (
        f"SELECT id % 2, kept({column}) FROM range(0, 7, 1, 2) GROUP BY 1",
        f"SELECT kept({column}) OVER (ORDER BY id ROWS 200 PRECEDING) FROM range(300)",
    ):
        if said:
            refused(answer(session, query), said)
        else:
            assert session.sql(query).count()


def test_columns_and_here(session: nu.Session) -> None:
    frame = session.spark.range(8).withColumn("k", F.col("id") % 3)
    kept = registered(session, Stays)
    for made in (
        lambda: frame.select(kept("id")),
        lambda: frame.select(kept("id").over(Window.partitionBy("k"))),
        lambda: frame.groupBy("k").agg(kept("id"), F.count("id")),
        lambda: frame.groupBy("k").pivot("id", [1, 7]).agg(kept("id")),
        lambda: frame.transform(nu.aggregate(by="k", n=kept("id"))),
        lambda: frame.transform(nu.aggregate(by="k", n=kept("id").distinct())),
        lambda: frame.transform(nu.aggregate(n=kept("id"), c=F.count("id"))),
    ):
        refused(lambda made=made: made().collect(), SEVEN)
    refused(lambda: kept.eval([6, 7]), SEVEN)
    assert kept.eval([5, 6]) == 0
    kept = registered(session, Returned, "bigint")
    refused(lambda: kept.eval([6, 7]), "'seven'")


def test_table_aggregates(session: nu.Session, tmp_path: Path) -> None:
    adds = type("Adds", (Rows,), {"accumulate": Stays.accumulate})
    kept = session.register_function("kept", udtaf(adds, result_type="n int", acc_type=ARRAY))
    frame = session.spark.range(8).withColumn("k", F.col("id") % 3)
    refused(lambda: frame.transform(nu.flat_aggregate(kept("id"), by="k")).collect(), SEVEN)
    refused(lambda: kept.eval([6, 7]), SEVEN)
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put([("a", 7)])
    rows = stream.rows.transform(nu.flat_aggregate(kept("v"), by="k"))
    refused(lambda: stream.run(rows), SEVEN)


@dataclasses.dataclass
class Acc:
    n: int = 0
    word: str = ""


def spelled(fresh: Callable[[], Any], change: Callable[[Any], None]) -> Any:
    class Spelled(nu.AggregateFunction):
        def create_accumulator(self) -> Any:
            return fresh()

        def accumulate(self, accumulator: Any, value: int) -> Any:
            change(accumulator)

        def get_value(self, accumulator: Any) -> int:
            return 0

    return Spelled


STRUCT = DataTypes.ROW(
    [DataTypes.FIELD("n", DataTypes.BIGINT()), DataTypes.FIELD("word", DataTypes.STRING())]
)
VIEWS = DataTypes.ROW(
    [
        DataTypes.FIELD("all", DataTypes.LIST_VIEW(DataTypes.BIGINT())),
        DataTypes.FIELD("seen", DataTypes.MAP_VIEW(DataTypes.STRING(), DataTypes.BIGINT())),
        DataTypes.FIELD("n", DataTypes.BIGINT()),
    ]
)
SPELLINGS: dict[str, tuple[Any, Any, Any, str]] = {
    "a dataclass": (Acc, lambda a: setattr(a, "n", 1.5), STRUCT, "1.5 at .n"),
    "a Row": (lambda: Row(n=0, word=""), lambda a: setattr(a, "word", 1), STRUCT, "1 at .word"),
    "a Row by position": (
        lambda: Row(0, ""), lambda a: a.__setitem__(0, "x"), STRUCT, "'x' at .n",
    ),
    "a dict": (
        lambda: {"n": 0, "word": ""}, lambda a: a.pop("n", 0), STRUCT, "the field 'n' is missing",
    ),
    "a list": (lambda: [0, ""], lambda a: a.append(1), STRUCT, "it has 2 fields (n, word)"),
    "a set": (set, lambda a: a.add("x"), ARRAY, "'x' at [0]"),
    "a map": (dict, lambda a: a.update(a="b"), "map<string,bigint>", "'b' at ['a']"),
    "a part of a part": (
        lambda: {"a": [1]}, lambda a: a["a"].append("b"), "map<string,array<bigint>>",
        "'b' at ['a'][1]",
    ),
    "NULL": (
        lambda: [0], lambda a: a.append(None), DataTypes.ARRAY(DataTypes.BIGINT(nullable=False)),
        "None at [1]",
    ),
    "out of range": (
        lambda: [0], lambda a: a.append(1 << 40), "array<int>", "1099511627776 at [1]",
    ),
    "another class": (lambda: [0], lambda a: None, "map<string,bigint>", "holds [0] (list)"),
    "a fresh one": (lambda: ["x"], lambda a: None, ARRAY, "'x' at [0]"),
    "beside views": (
        lambda: Row(all=ListView(), seen=MapView(), n=0), lambda a: setattr(a, "n", "x"), VIEWS,
        "'x' at .n",
    ),
    "beside views, by position": (
        lambda: Row(ListView(), MapView(), 0), lambda a: a.__setitem__(2, "x"), VIEWS, "'x' at .n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("fresh", "change", "declared", "said"), SPELLINGS.values(), ids=SPELLINGS)
def test_accumulators_of_every_kind(
    session: nu.Session, fresh: Any, change: Any, declared: Any, said: str
) -> None:
    stays = spelled(fresh, change)
    kept = registered(session, stays, declared, result_type="int")
    refused(lambda: kept.eval([1]), said)
    refused(answer(session, "SELECT kept(id) FROM range(4)"), said)
    over = "SELECT kept(id) OVER (ORDER BY id ROWS 2 PRECEDING) FROM range(20)"
    refused(answer(session, over), said)
    merge = {"merge": lambda self, accumulator, others: change(accumulator)}
    registered(session, type("Travels", (stays,), merge), declared, result_type="int")
    refused(answer(session, "SELECT kept(id) FROM range(4)"), said)


@pytest.mark.parametrize("spelling", ["a dataclass", "a set", "beside views, by position"])
def test_kinds_on_a_stream(session: nu.Session, tmp_path: Path, spelling: str) -> None:
    fresh, change, declared, said = SPELLINGS[spelling]
    kept = registered(session, spelled(fresh, change), declared, result_type="int")
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put([("a", 1)])
    rows = stream.rows.transform(nu.aggregate(by="k", n=kept("v")))
    refused(lambda: stream.run(rows), said)


def test_what_is_declared_as_it_is_goes_through(session: nu.Session, tmp_path: Path) -> None:
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put([("a", 1)], [("a", 2)])
    rows: Any = []
    for number, (fresh, change, declared) in enumerate(
        (
            (Acc, lambda a: setattr(a, "n", a.n + 1), STRUCT),
            (lambda: Row(ListView(), MapView(), 0), lambda a: a[0].add(1), VIEWS),
            (set, lambda a: a.add(len(a)), ARRAY),
            (lambda: [0, 0], lambda a: a.__setitem__(0, a[0] + 1), "array<double>"),
        )
    ):
        name = f"sound{number}"
        sound = session.register_function(
            name, udaf(spelled(fresh, change), result_type="int", acc_type=declared)
        )
        assert session.sql(f"SELECT {name}(id) FROM range(4)").first() == (0,)
        over = f"SELECT {name}(id) OVER (ORDER BY id ROWS 2 PRECEDING) FROM range(20)"
        assert session.sql(over).count() == 20
        rows.append(sound("v").alias(name))
    counted = stream.rows.transform(nu.aggregate(by="k", **dict(zip("abcd", rows, strict=True))))
    assert stream.run(counted) == [[("a", 0, 0, 0, 0)]] * 2


def test_a_merge_that_failed_is_no_contradiction(session: nu.Session) -> None:
    class Fails(Kept):
        def create_accumulator(self) -> Any:
            return set()

        def accumulate(self, accumulator: Any, value: int) -> Any:
            accumulator.add(value)

        def merge(self, accumulator: Any, accumulators: Any) -> None:
            raise ValueError("not now")

    registered(session, Fails, on_error="null", compile=False)
    query = "SELECT kept(id) FROM range(0, 8, 1, 2)"
    assert session.sql(query).first() == (None,)


# --- streams ---------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [Kept, Merges])
def test_a_stream(session: nu.Session, tmp_path: Path, function: Any) -> None:
    kept = registered(session, function)
    stream = Stream(session.spark, tmp_path, "k string, v bigint")
    counted = stream.rows.transform(nu.aggregate(by="k", n=kept("v")))
    assert last(stream.put([("a", 1), ("b", 2)]).run(counted)) == {("a",): (0,), ("b",): (0,)}
    stream.put([("a", 3), ("b", 7)])
    refused(lambda: stream.run(counted), SEVEN, "for group k = 'b'", "BIGINT")

    class Corrected(function):  # type: ignore[misc]
        def accumulate(self, accumulator: Any, value: int) -> None:
            accumulator[0] = value

    # The micro-batch was not committed, and runs again.
    kept = registered(session, Corrected)
    counted = stream.rows.transform(nu.aggregate(by="k", n=kept("v")))
    assert last(stream.run(counted)) == {("a",): (0,), ("b",): (0,)}


STREAMS: dict[str, tuple[Any, Callable[[Any], Any], str]] = {
    "a window that ends": (Stays, lambda c: nu.aggregate(by=window(), n=c), "append"),
    "a window that goes on": (Stays, lambda c: nu.aggregate(by=window(), n=c), "update"),
    "a session": (Stays, lambda c: nu.aggregate(by=F.session_window("t", "1 hour"), n=c), "append"),
    "complete": (Merges, lambda c: nu.aggregate(by="k", n=c), "complete"),
    "beside a built-in": (Stays, lambda c: nu.aggregate(by="k", n=c, m=F.count("v")), "update"),
    "DISTINCT": (Stays, lambda c: nu.aggregate(by="k", n=c.distinct()), "update"),
    "FILTER": (Stays, lambda c: nu.aggregate(by="k", n=c.filter("v > 1")), "update"),
}


def window() -> Any:
    return F.window("t", "1 hour")


@pytest.mark.parametrize(("function", "call", "mode"), STREAMS.values(), ids=STREAMS)
def test_streams(session: nu.Session, tmp_path: Path, function: Any, call: Any, mode: str) -> None:
    kept = registered(session, function)
    stream = Stream(session.spark, tmp_path, "k string, v bigint, t timestamp")
    start = dt.datetime(2024, 3, 1, tzinfo=dt.UTC)
    stream.put([("a", 7, start)], [("a", 1, start + dt.timedelta(hours=5))])
    rows = stream.rows.withWatermark("t", "1 minute").transform(call(kept("v")))
    refused(lambda: stream.run(rows, mode), SEVEN)


def test_what_retract_leaves_on_a_stream(session: nu.Session, tmp_path: Path) -> None:
    kept = registered(session, Kept)
    stream = Stream(session.spark, tmp_path, "k string, v bigint, op string")
    stream.put([("a", 8, "+I"), ("a", 1, "+I"), ("a", 8, "-D")])
    call = nu.aggregate(by="k", change_column="op", n=kept("v"))
    refused(lambda: stream.run(stream.rows.transform(call)), "'eight' at [0]")
