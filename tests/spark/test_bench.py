"""``session.bench``: ways to run a function on the same rows, in turn, with the same results."""

from __future__ import annotations

import io
import json
import math

import pandas as pd
import pytest
from rich.console import Console

import notebook_udf as nu
from notebook_udf import DataTypes, udf


@pytest.fixture(scope="module")
def numbers(session: nu.Session) -> str:
    session.sql(
        "SELECT id AS x, if(id = 700, NULL, id) AS y, concat('n', id) AS name FROM range(3000)"
    ).createOrReplaceTempView("bench_numbers")
    return "bench_numbers"


def kinds(found: object) -> dict[str, dict[str, object]]:
    return {way["kind"]: way for way in found.to_dict()["ways"]}  # type: ignore[attr-defined]


def test_a_general_function_is_run_in_every_way_that_can_be_derived(
    session: nu.Session, numbers: str
) -> None:
    session.register_function("tripled", lambda x: 3 * x, result_type="bigint")
    told: list[str] = []
    found = session.bench("tripled", f"SELECT x FROM {numbers}", rows=2_500, progress=told.append)
    ways = kinds(found)
    assert list(ways) == ["own", "vectorise=False", "pandas", "arrow"]
    assert ways["own"]["way"] == "as it is (general, as Arrow kernels)"
    assert all(way["same"] is True for way in ways.values())
    assert all(len(way["runs"]) == 5 for way in ways.values())  # type: ignore[arg-type]
    assert found.rows == 2_500
    assert ways["own"]["times_faster"] == 1.0
    assert found.reading > 0
    assert "run 5 of 5: arrow, calling it per element" in told
    assert "comparing results" in told


def test_results_that_differ_are_shown_with_their_row(session: nu.Session, numbers: str) -> None:
    def known(y: int | None) -> bool:
        return y is not None

    session.register_function("known", known)
    # NULL among integers is NaN to pandas, and the function takes it for a number.
    found = session.bench("known", f"SELECT y FROM {numbers}", repeats=1)
    ways = kinds(found)
    assert ways["own"]["way"] == "as it is (general, row by row)"
    assert (ways["pandas"]["same"], ways["pandas"]["different_rows"]) == (False, 1)
    assert ways["arrow"]["same"] is True
    (said,) = found.to_dict()["differences"]
    assert said.endswith("(y = None) gives True instead of False")
    assert found.best.kind in ("own", "arrow")


def test_other_functions_are_compared_by_name(session: nu.Session, numbers: str) -> None:
    def root(x: int) -> float:
        return math.sqrt(x)

    def roots(x: pd.Series[int]) -> pd.Series[float]:
        return x**0.5

    def rooted(x: pd.Series[int]) -> pd.Series[float]:
        return x**0.5 * (1 + 1e-12)

    session.register_function("root", root)
    for name, function in (("roots", roots), ("rooted", rooted)):
        session.register_function(
            name, udf(function, result_type=DataTypes.DOUBLE(), func_type="pandas")
        )
    found = session.bench(
        "root", session.spark.table(numbers),
        against=["roots", "rooted"], repeats=1,
    )  # fmt: skip
    others = [way for way in found.to_dict()["ways"] if way["kind"] == "other"]
    assert [way["way"] for way in others] == ["roots", "rooted"]
    assert all(way["same"] for way in others)
    assert "yes, up to 1e-12" in repr(found)
    # And of one that is no general function nothing is derived.
    alone = session.bench("roots", numbers, repeats=1)
    assert [way.kind for way in alone.ways] == ["own"]


def test_a_class_is_opened_in_every_way(session: nu.Session, numbers: str) -> None:
    class Shifted(nu.ScalarFunction):
        def open(self, function_context: nu.FunctionContext) -> None:
            self.by = 7

        def eval(self, x: int) -> str:
            return f"{x + self.by}"

    session.register_function("shifted", Shifted())
    found = session.bench("shifted", numbers, repeats=1)
    assert [way["same"] for way in found.to_dict()["ways"]] == [True, True, True]


def test_a_way_that_fails_is_said_and_the_function_itself_raises(
    session: nu.Session, numbers: str
) -> None:
    def cut(y: int | None) -> str:
        return "none" if y is None else "xyz"[: y % 3]

    session.register_function("cut", cut)
    found = session.bench("cut", numbers, repeats=1)
    failed = kinds(found)["pandas"]
    assert "TypeError" in str(failed["error"])
    assert (failed["seconds"], failed["same"]) == (None, None)
    assert "failed: " in found._repr_html_()

    def breaks(x: int) -> str:
        raise ValueError(f"no {x}")

    session.register_function("breaks", breaks)
    with pytest.raises(nu.UserFunctionError, match="ValueError"):
        session.bench("breaks", numbers)


def test_aggregates_tables_and_async_functions(session: nu.Session, numbers: str) -> None:
    class Total(nu.AggregateFunction):
        def create_accumulator(self) -> list[int]:
            return [0]

        def accumulate(self, acc: list[int], x: int) -> None:
            acc[0] += x

        def merge(self, acc: list[int], others: list[list[int]]) -> None:
            for other in others:
                acc[0] += other[0]

        def get_value(self, acc: list[int]) -> int:
            return acc[0]

    session.register_function("bench_total", Total())
    found = session.bench("bench_total", numbers, repeats=1)
    ways = kinds(found)
    assert list(ways) == ["own", "compile=False"]
    assert ways["compile=False"]["same"] is True

    session.register_function(
        "bench_split", nu.udtf(lambda name: [(name,), (name,)], result_types=["string"])
    )
    assert session.bench("bench_split", numbers, repeats=1).ways[0].seconds

    async def asked(x: int) -> int:
        return x

    session.register_function("asked", asked)
    assert session.bench("asked", numbers, repeats=1).ways[0].seconds


def test_what_is_not_deterministic_is_not_compared(session: nu.Session, numbers: str) -> None:
    session.register_function("dice", udf(lambda x: x, result_type="bigint", deterministic=False))
    found = session.bench("dice", numbers, repeats=1)
    assert not found.compared
    assert "not compared" in repr(found)


def test_a_comparison_in_every_form(session: nu.Session, numbers: str) -> None:
    hostile = "<script>alert(1)</script>"
    session.register_function(hostile, lambda x: f"{x}", result_type="string")
    found = session.bench(hostile, numbers, repeats=1)
    assert json.loads(json.dumps(found.to_dict()))["rows"] == 3_000
    assert list(found.to_pandas()["kind"]) == ["own", "pandas", "arrow"]
    console = Console(width=200, file=io.StringIO())
    console.print(found)
    for shown in (repr(found), console.file.getvalue()):  # type: ignore[attr-defined]
        for part in ("times faster", "as it is (general, row by row)", "Advice: "):
            assert part in shown
    assert "<script" not in found._repr_html_()
    assert "&lt;script&gt;" in found._repr_html_()
    assert not session.spark.catalog.isCached(numbers)


def test_what_cannot_be_measured(session: nu.Session, numbers: str) -> None:
    session.register_function("plain", lambda x: x, result_type="bigint")
    with pytest.raises(nu.DeclarationError, match="no function 'nowhere'"):
        session.bench("nowhere", numbers)
    with pytest.raises(nu.DeclarationError, match="repeats=0"):
        session.bench("plain", numbers, repeats=0)
    with pytest.raises(nu.PlanningError, match="there are no rows"):
        session.bench("plain", "SELECT id FROM range(0)")
    with pytest.raises(nu.PlanningError, match="name the columns"):
        session.bench("plain", "SELECT id, id + 1 AS more FROM range(3)")
    with pytest.raises(nu.PlanningError, match="TABLE_OR_VIEW_NOT_FOUND"):
        session.bench("plain", "no_such_table")
