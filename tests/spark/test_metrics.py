"""What functions cost, by query: over time, bundle by bundle, two queries compared."""

from __future__ import annotations

import io
import json
import queue
import time
from collections.abc import Callable

import pytest
from rich.console import Console

import notebook_udf as nu
from notebook_udf.telemetry.records import TaskEnded
from notebook_udf.telemetry.store.function_sums import FunctionTotals


@pytest.fixture(scope="module")
def queries(session: nu.Session) -> tuple[str, str]:
    """Two runs of a function; one of its rows, the 700th, takes long."""

    def dawdle(number: int) -> int:
        if number == 700:
            time.sleep(1)
        return number + 1

    session.register_function("dawdle", dawdle, vectorise=False)
    before = {t.query for t in session.metrics().totals}
    session.spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
    try:
        for rows in (1_000, 500):
            session.sql(f"SELECT sum(dawdle(id)) FROM range(0, {rows}, 1, 1)").collect()
    finally:
        session.spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    new = [q for q in session.metrics().queries if q not in before]
    first, second = (
        q for q in new if any(t.function == "dawdle" for t in session.metrics(q).totals)
    )
    return first, second


def test_the_slowest_bundle_is_found_with_its_rows(
    session: nu.Session, queries: tuple[str, str]
) -> None:
    slow, *others = session.metrics(queries[0]).slowest()
    assert (slow.bundle.bundle, slow.first_row, slow.bundle.rows_in) == (8, 701, 100)
    assert slow.busy_ns > 1e9
    assert slow.sample is not None
    assert slow.sample.columns == ("number",)
    assert slow.sample.rows == (("700",), ("701",), ("702",))
    assert len(others) == 9


def test_percentiles_and_time_line_of_a_query(
    session: nu.Session, queries: tuple[str, str]
) -> None:
    view = session.metrics(queries[0])
    (ranks,) = view.percentiles()
    assert (ranks.function, ranks.bundles, ranks.exact) == ("dawdle", 10, True)
    assert ranks.p50_ns < 0.5e9 < 1e9 < ranks.max_ns
    found = view.timeline()
    (line,) = found.functions
    assert sum(line.rows) == pytest.approx(1_000)
    assert sum(line.user_ns) > 1e9
    assert len(view.timeline(points=2).functions[0].rows) <= 2
    assert [worker.pid for worker in found.workers] == [view.slowest()[0].bundle.pid]


def test_two_queries_are_compared(session: nu.Session, queries: tuple[str, str]) -> None:
    found = session.metrics().compare(*queries)
    by_measure = {change.measure: change for change in found.changes}
    rows = by_measure["rows"]
    assert (rows.function, rows.before, rows.after, rows.percent) == ("dawdle", 1000, 500, -50)
    user = by_measure["user code"].percent
    assert user is not None
    assert user < -50
    assert "-50.0 %" in repr(found)
    assert "<td>-50.0 %</td>" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["changes"][0]["percent"] == -50
    assert list(found.to_pandas()["measure"])[:2] == ["rows", "bundles"]
    with pytest.raises(nu.SessionError, match="no function was seen in a query 'nowhere'"):
        session.metrics().compare(queries[0], "nowhere")


def test_metrics_in_every_form(session: nu.Session, queries: tuple[str, str]) -> None:
    view = session.metrics(queries[0])
    data = json.loads(json.dumps(view.to_dict(points=5)))
    (query,) = data["queries"]
    assert query["slowest"][0]["sample"]["rows"][0] == ["700"]
    assert query["functions"][0]["rows_in"] == 1_000
    assert {"wait_ns", "user_ns", "stage"} <= set(view.to_pandas().columns)
    console = Console(width=200, file=io.StringIO())
    console.print(view)
    for shown in (repr(view), view._repr_html_(), console.file.getvalue()):  # type: ignore[attr-defined]
        for part in ("dawdle v1", "slowest bundles", "100 (from 701)", "█"):
            assert part in shown


def _settled(session: nu.Session, query: str) -> list[FunctionTotals]:
    assert session.store.wait_settled(query, 20)
    return session.store.totals(query)


def _looked_up(session: nu.Session, query: str) -> list[FunctionTotals]:
    return session.metrics(query).totals


@pytest.mark.parametrize("look", [_settled, _looked_up])
@pytest.mark.parametrize("new_workers", [False, True])
def test_what_was_said_is_counted_before_it_is_looked_at(
    session: nu.Session,
    look: Callable[[nu.Session, str], list[FunctionTotals]],
    new_workers: bool,
) -> None:
    """Also by workers whose handshake waits for a kernel that is busy."""

    def counted_late(number: int) -> int:
        return number

    session.register_function("counted_late", counted_late, compile=False, vectorise=False)
    ends: queue.Queue[TaskEnded] = queue.Queue()

    def slowly(record: TaskEnded) -> None:
        ends.put(record)
        # A kernel that is busy with other things.
        time.sleep(0.3)

    if new_workers:
        session.pool.restart()
    unsubscribe = session.store.subscribe(slowly, (TaskEnded,))
    try:
        session.sql("SELECT sum(counted_late(id)) FROM range(0, 400, 1, 4)").collect()
        (total,) = look(session, ends.get(timeout=20).task.query)
    finally:
        unsubscribe()
    assert (total.tasks, total.rows_in) == (4, 400)
