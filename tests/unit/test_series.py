"""Queries over time: nothing is lost on the way into points, whatever the workers say."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notebook_udf.functions.metrics import Histogram, merge, percentile
from notebook_udf.telemetry.metrics_dict import query_dict
from notebook_udf.telemetry.records import (
    BundleDone,
    BundleSampled,
    BundlesDone,
    FunctionTiming,
    SampledCalls,
    TaskId,
)
from notebook_udf.telemetry.store.session_store import Store
from notebook_udf.telemetry.timeseries.bars import MOST_BARS, bars, spark_line
from notebook_udf.telemetry.timeseries.latencies import MAX_EXACT
from notebook_udf.telemetry.timeseries.series import MAX_POINTS, MAX_QUERIES, Series, Timelines
from notebook_udf.telemetry.timeseries.timeline import FunctionLine

NOW = 1_700_000_000.0
quick = settings(max_examples=60, deadline=None, database=None)


def done(
    number: int = 1,
    at: float = NOW,
    rows: int = 10,
    took: int = 3_000_000,
    wait: int = 0,
    pid: int = 1,
    query: str = "7",
    functions: int = 1,
) -> BundleDone:
    task = TaskId(query, 1, 0, 0, 5)
    part = took // 3
    timings = tuple(
        FunctionTiming(f"f{n}", 1, rows, rows, part, took - 2 * part, part)
        for n in range(functions)
    )
    return BundleDone(pid, at, task, number, rows, rows, 8, 8, wait, 0, timings)


def filled(*bundles: BundleDone) -> Series:
    series = Series()
    for record in BundlesDone.of(bundles):
        series.add(record)
    return series


BUNDLES = st.lists(
    st.builds(
        done,
        at=st.floats(0, 5_000).map(lambda second: NOW + second),
        rows=st.integers(0, 10_000),
        took=st.integers(0, 20 * 10**9),
        wait=st.integers(0, 10**9),
        pid=st.integers(1, 3),
        functions=st.integers(0, 2),
    ),
    min_size=1,
    max_size=40,
)


@quick
@given(bundles=BUNDLES, most=st.integers(1, 700))
def test_points_add_up_to_what_was_done(bundles: list[BundleDone], most: int) -> None:
    found = filled(*bundles).timeline("7", most)
    assert sum(sum(worker.rows) for worker in found.workers) == pytest.approx(
        sum(each.rows_in for each in bundles)
    )
    for line in found.functions:
        timings = [t for each in bundles for t in each.functions if t.function == line.function]
        assert sum(line.rows) == pytest.approx(sum(t.rows_in for t in timings))
        for name in ("decode_ns", "user_ns", "encode_ns"):
            assert sum(getattr(line, name)) == pytest.approx(sum(getattr(t, name) for t in timings))
    sizes = {len(line.rows) for line in (*found.functions, *found.workers)}
    assert len(sizes) == 1
    assert max(sizes) <= min(most, MAX_POINTS)
    end = found.start + found.width * max(sizes)
    assert all(found.start - 1e-3 <= each.time <= end + 1e-3 for each in bundles)


def line(series: Series, most: int = MAX_POINTS) -> FunctionLine:
    (found,) = series.timeline("7", most).functions
    return found


def test_a_long_bundle_is_spread_over_its_time() -> None:
    found = line(filled(done(at=NOW + 10, rows=1_000, took=4 * 10**9, wait=10**9)))
    assert len(found.rows) in (50, 51)
    assert max(found.rows) == pytest.approx(20, rel=0.01)
    # Its duration belongs to where it ended.
    assert [each for each in found.p50_ns if each is not None] == [pytest.approx(4e9, rel=0.02)]
    assert found.p50_ns[-1] is not None


def test_a_long_query_has_wider_points() -> None:
    series = filled(*(done(n + 1, NOW + n) for n in range(1_000)))
    found = series.timeline("7", MAX_POINTS)
    assert (found.width, len(found.functions[0].rows) <= MAX_POINTS) == (3.2, True)
    assert sum(found.functions[0].rows) == pytest.approx(10_000)
    assert series.timeline("7", 100).width == pytest.approx(12.8)


@quick
@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=200))
def test_percentiles_of_few_bundles_are_exact(took: list[int]) -> None:
    (found,) = filled(*(done(n + 1, took=each) for n, each in enumerate(took))).percentiles("7")
    ordered = sorted(took)
    assert found.exact
    assert (found.bundles, found.max_ns) == (len(took), ordered[-1])
    for value, fraction in ((found.p50_ns, 0.5), (found.p95_ns, 0.95), (found.p99_ns, 0.99)):
        assert sum(each <= value for each in ordered) >= fraction * len(ordered) - 1e-9
        assert sum(each < value for each in ordered) < fraction * len(ordered)


def test_percentiles_of_many_bundles_are_within_two_percent_and_say_so() -> None:
    took = [1_000 + 137 * n * n for n in range(MAX_EXACT + 500)]
    (found,) = filled(*(done(n + 1, took=each) for n, each in enumerate(took))).percentiles("7")
    assert not found.exact
    assert found.max_ns == max(took)
    for value, fraction in ((found.p50_ns, 0.5), (found.p95_ns, 0.95), (found.p99_ns, 0.99)):
        assert value == pytest.approx(took[int(fraction * len(took)) - 1], rel=0.02)


def test_the_slowest_bundles_are_kept_with_their_place() -> None:
    store = Store()
    for n in range(5_000):
        took = 10**9 if n == 1_234 else 1_000 + n
        for record in BundlesDone.of([done(n + 1, NOW + n / 100, took=took)]):
            store.apply(record)
    slow = store.slowest()
    assert [each.bundle.bundle for each in slow[:3]] == [1_235, 5_000, 4_999]
    assert (slow[0].busy_ns, slow[0].first_row) == (10**9, 12_341)
    # It has long left the bundles that are kept one by one.
    assert all(each.bundle != 1_235 for each in store.bundles())


def test_a_bundle_that_was_missed_leaves_the_row_unknown() -> None:
    found = {each.bundle.bundle: each.first_row for each in filled(done(1), done(3)).slowest()}
    assert found == {1: 1, 3: None} or found == {1: None, 3: None}
    series = filled(done(1))
    series.add(next(BundlesDone.of([done(3)])))
    assert {s.bundle.bundle: s.first_row for s in series.slowest()} == {1: 1, 3: None}


def test_a_sample_belongs_to_its_bundle_and_is_bounded() -> None:
    store = Store()
    task = done().task
    rows = tuple(("<b>\x00", "x" * 10_000, *"abcdefghijkl") for _ in range(1_000))
    store.apply(BundleSampled(1, NOW, task, 2, ("a", "b"), rows))
    for record in BundlesDone.of([done(1, took=5_000), done(2, took=9_000)]):
        store.apply(record)
    slow, other = store.slowest()
    assert (slow.bundle.bundle, other.sample) == (2, None)
    assert slow.sample is not None
    assert len(slow.sample.rows) == len(slow.sample.rows[0]) == 10
    assert slow.sample.rows[0][:2] == ("<b>␀", "x" * 200 + "… (9,800 more characters)")


@pytest.mark.parametrize("at", [math.nan, math.inf, -1.0, 0.0, 1e300])
def test_a_clock_that_makes_no_sense_is_left_out(at: float) -> None:
    series = filled(done(at=at))
    assert series.timeline("7", 10).functions == ()
    assert series.percentiles("7")[0].bundles == 1


def test_numbers_beyond_all_bounds_do_no_harm() -> None:
    series = filled(done(1, rows=10**40, took=10**40), done(2, NOW + 1e9))
    found = series.timeline("7", 50)
    json.dumps([vars(each) for each in found.functions])
    assert len(found.workers[0].rows) <= 50


def test_all_queries_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notebook_udf.telemetry.timeseries.series.MAX_ALL_POINTS", 2_000)
    monkeypatch.setattr("notebook_udf.telemetry.timeseries.series.MAX_QUERIES", 5)
    kept = Timelines()
    for query in range(8):
        for second in range(128):
            kept.add(next(BundlesDone.of([done(second + 1, NOW + second / 3, query=str(query))])))
    series = dict(kept.of(None))
    assert list(series) == ["3", "4", "5", "6", "7"]
    assert sum(each.points for each in series.values()) < 3_000
    assert sum(line(series["3"]).rows) == pytest.approx(1_280)
    assert series["7"].timeline("7", MAX_POINTS).width < series["3"].timeline("3", 600).width


def test_rows_of_a_slow_bundle_survive_many_queries_that_nobody_looked_at() -> None:
    timelines = Timelines()
    for number in range(3 * MAX_QUERIES):
        for record in BundlesDone.of([done(query=str(number))]):
            timelines.add(record)
    last = str(3 * MAX_QUERIES - 1)
    sample = BundleSampled(1, NOW, TaskId(last, 1, 0, 0, 5), 1, ("a",), (("700",),))
    timelines.sample(sample)
    ((_, series),) = timelines.of(last)
    (slow,) = series.slowest()
    assert slow.sample is not None
    assert slow.sample.rows == (("700",),)


def test_rows_of_a_slow_bundle_that_are_read_before_it_has_come_are_kept() -> None:
    timelines = Timelines()
    timelines.sample(BundleSampled(1, NOW, TaskId("7", 1, 0, 0, 5), 1, ("a",), (("700",),)))
    # As a panel does, every second.
    assert list(timelines.of("7")) == []
    for record in BundlesDone.of([done()]):
        timelines.add(record)
    ((_, series),) = timelines.of("7")
    (slow,) = series.slowest()
    assert slow.sample is not None


def test_samples_of_older_queries_push_no_series_out() -> None:
    timelines = Timelines()
    for number in range(3 * MAX_QUERIES):
        for record in BundlesDone.of([done(query=str(number))]):
            timelines.add(record)
        task = TaskId(str(number), 1, 0, 0, 5)
        timelines.sample(BundleSampled(1, NOW, task, 1, ("a",), (("700",),)))
    kept = dict(timelines.of(None))
    assert list(kept) == [str(number) for number in range(2 * MAX_QUERIES, 3 * MAX_QUERIES)]
    assert all(series.slowest()[0].sample for series in kept.values())


def test_arguments_of_calls_are_kept_of_the_newest_samples_alone() -> None:
    store = Store()
    for record in BundlesDone.of([done()]):
        store.apply(record)
    for bundle in range(1, 31):
        calls = (SampledCalls("f", 1, b"x" * 16_000),)
        at = NOW + bundle
        store.apply(BundleSampled(1, at, done().task, bundle, ("a",), (("1",),), calls))
    kept = store.samples("f")
    assert [each.bundle for each in kept] == list(range(23, 31))
    assert store.samples("g") == []


def test_workers_beyond_the_bound_are_one_line() -> None:
    series = filled(*(done(pid=pid) for pid in range(1, 100)))
    found = series.timeline("7", 10).workers
    assert len(found) == 65
    assert sum(sum(each.rows) for each in found) == pytest.approx(990)


@quick
@given(st.lists(st.floats(-1e6, 1e6) | st.floats(1e-3, 1e6) | st.just(0.0), max_size=100))
def test_bars_hold_every_observation(values: list[float]) -> None:
    histogram = Histogram()
    for value in values:
        histogram.update(value)
    found = bars(histogram.snapshot())
    assert sum(bar.count for bar in found) == len(values)
    assert len(found) <= MOST_BARS
    if values:
        assert (found[0].low, found[-1].high) == (min(values), max(values))


@quick
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=100),
    st.sampled_from([0.0, 0.5, 0.95, 1.0]),
)
def test_quantiles_are_within_two_percent(values: list[float], fraction: float) -> None:
    parts = [Histogram(), Histogram()]
    for at, value in enumerate(values):
        parts[at % 2].update(value)
    found = percentile(merge("histogram", [part.snapshot() for part in parts]), fraction)
    ordered = sorted(values)
    exact = ordered[max(0, math.ceil(fraction * len(ordered) - 1e-9) - 1)]
    # Numbers next to the smallest there are lose digits of their own.
    assert found == pytest.approx(exact, rel=0.02, abs=1e-300)


def test_a_line_of_blocks() -> None:
    assert spark_line([]) == ""
    assert spark_line([0, 0]) == "▁▁"
    assert spark_line([0, 1, 2, 4]) == "▁▃▅█"
    assert len(spark_line(range(1_000))) <= 60


def test_a_query_as_data_is_json() -> None:
    store = Store()
    for record in BundlesDone.of([done(1), done(2, NOW + 1)]):
        store.apply(record)
    found = json.loads(json.dumps(query_dict(store, "7", 100)))
    assert found["functions"][0]["exact"]
    assert found["functions"][0]["p50_ns"] == 3_000_000
    assert sum(found["timeline"]["functions"][0]["rows"]) == pytest.approx(20)
    assert [each["bundle"] for each in found["slowest"]] == [1, 2]
    assert query_dict(store, "none", 100)["timeline"] is None
