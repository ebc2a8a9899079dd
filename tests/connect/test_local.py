"""A session whose server is started with it: what functions do there, and what they tell."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
import warnings
from pathlib import Path

import pandas as pd
import pytest
from pyspark.errors import PythonException
from pyspark.sql import functions as F

import notebook_udf as nu
from notebook_udf import DataTypes, udf
from notebook_udf.plan.progress import Jobs
from tests.waiting import awaited

BEFORE = dict(os.environ)


class Total(nu.AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, acc: list[int], value: int) -> None:
        acc[0] += value or 0

    def merge(self, acc: list[int], others: list[list[int]]) -> None:
        for other in others:
            acc[0] += other[0]

    def get_value(self, acc: list[int]) -> int:
        return acc[0]

    def get_result_type(self) -> object:
        return DataTypes.BIGINT()

    def get_accumulator_type(self) -> object:
        return DataTypes.ARRAY(DataTypes.BIGINT())


@pytest.fixture(scope="module")
def session(local: nu.Session) -> nu.Session:
    def plus(a: int) -> int:
        print(f"plus of {a}")
        return a + 1

    def doubled(a):
        return a * 2

    async def slow(a: int) -> int:
        await asyncio.sleep(0.01)
        return a + 100

    def twice(a: int):
        yield a
        yield -a

    local.register_function("plus", plus)
    vector = udf(doubled, input_types=["bigint"], result_type="bigint", func_type="pandas")
    local.register_function("doubled", vector)
    arrow = udf(lambda a: a, input_types=["bigint"], result_type="bigint", func_type="arrow")
    local.register_function("same", arrow)
    local.register_function("slow", slow)
    rows = nu.udtf(twice, input_types=["bigint"], result_types="n bigint")
    local.register_function("twice", rows)
    local.register_function("total", Total())
    return local


def rows(frame: object) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in frame.collect())


def test_only_the_mode_is_in_the_environment_while_it_runs(session: nu.Session) -> None:
    changed = {name for name in os.environ if os.environ.get(name) != BEFORE.get(name)}
    assert changed <= {"SPARK_CONNECT_MODE_ENABLED", "TZ", "PYTEST_CURRENT_TEST"}


def test_no_secret_is_in_a_conf_that_everybody_reads(session: nu.Session) -> None:
    shown = dict(session.spark.conf.getAll)
    assert not [name for name in shown if "remote" in name]
    assert session.spark.conf.get("spark.notebookUdf.environment.token", None) is None


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        ("plus(id)", [1, 2, 3]),
        ("doubled(id)", [0, 2, 4]),
        ("same(id)", [0, 1, 2]),
        ("slow(id)", [100, 101, 102]),
        ("plus(plus(id))", [2, 3, 4]),
        ("CASE WHEN id > 0 THEN plus(id) ELSE 7 END", [2, 3, 7]),
    ],
)
def test_scalar_functions_answer_in_every_kind_of_query(
    session: nu.Session, call: str, answer: list[int]
) -> None:
    query = f"SELECT {call} AS x FROM range(3)"
    expected = [(value,) for value in answer]
    assert rows(session.sql(query)) == expected
    assert rows(session.spark.sql(query)) == expected
    assert rows(session.spark.range(3).selectExpr(f"{call} AS x")) == expected


def test_functions_are_called_on_columns(session: nu.Session) -> None:
    made = session.spark.range(3).select(session.functions["plus"]("id").alias("x"))
    assert rows(made) == [(1,), (2,), (3,)]
    lower = session.spark.range(3).where(session.functions["plus"](F.col("id")) > 1)
    assert rows(lower) == [(1,), (2,)]


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("SELECT total(id) FROM range(10)", [(45,)]),
        ("SELECT id % 2 k, total(id), count(*), max(id) FROM range(10) GROUP BY 1",
         [(0, 20, 5, 8), (1, 25, 5, 9)]),
        ("SELECT total(id) FILTER (WHERE id > 7), total(DISTINCT id % 3) FROM range(10)",
         [(17, 3)]),
        ("SELECT id % 3 k FROM range(10) GROUP BY 1 HAVING total(id) > 15", [(0,)]),
        ("SELECT id, total(id) OVER (ORDER BY id) FROM range(4)",
         [(0, 0), (1, 1), (2, 3), (3, 6)]),
        ("WITH a AS (SELECT id % 2 k, total(id) t FROM range(10) GROUP BY 1),"
         " b AS (SELECT id % 2 k, total(plus(id)) u FROM range(10) GROUP BY 1)"
         " SELECT a.k, t, u FROM a JOIN b ON a.k = b.k", [(0, 20, 25), (1, 25, 30)]),
        ("SELECT id % 2 k, total(id) FROM range(4) GROUP BY ROLLUP (1)",
         [(0, 2), (1, 4), (None, 6)]),
        ("SELECT total(id) FROM range(0)", [(0,)]),
    ],
)  # fmt: skip
def test_aggregates_answer_beside_sparks_own(
    session: nu.Session, query: str, answer: list[tuple[int, ...]]
) -> None:
    found = [tuple(row) for row in session.sql(query).collect()]
    assert sorted(found, key=str) == sorted(answer, key=str)


def test_aggregates_are_columns_and_transforms(session: nu.Session) -> None:
    frame = session.spark.range(10).withColumn("k", F.col("id") % 2)
    total = session.functions["total"]
    assert rows(frame.groupBy("k").agg(total("id"), F.count("*"))) == [(0, 20, 5), (1, 25, 5)]
    both = frame.transform(nu.aggregate(by=["k"], t=total("id"), n=F.count("*")))
    assert rows(both) == [(0, 20, 5), (1, 25, 5)]


def test_table_functions_answer(session: nu.Session) -> None:
    lateral = "SELECT id, n FROM range(1, 3), LATERAL twice(id)"
    assert rows(session.sql(lateral)) == [(1, -1), (1, 1), (2, -2), (2, 2)]
    view = "SELECT id, n FROM range(1, 2) LATERAL VIEW twice(id) t AS n"
    assert rows(session.sql(view)) == [(1, -1), (1, 1)]
    joined = session.spark.range(1, 2).transform(
        nu.join_lateral(session.functions["twice"]("id"), ["n"])
    )
    assert rows(joined) == [(1, -1), (1, 1)]


def test_async_calls_run_in_one_pass(session: nu.Session) -> None:
    frame = session.spark.range(3)
    made = frame.transform(nu.map_async(x=session.functions["slow"]("id")))
    assert rows(made) == [(0, 100), (1, 101), (2, 102)]


def test_process_functions_answer(session: nu.Session) -> None:
    class Doubled(nu.OneInputStreamProcessFunction):
        def process_record(self, record, output, ctx):
            output.collect((record.id * 2,))

        def end_input(self, ctx):
            pass

    made = session.spark.range(3).transform(nu.process(Doubled(), output_type="x bigint"))
    assert rows(made) == [(0,), (2,), (4,)]


def test_dataframes_and_parameters_fill_a_query(session: nu.Session) -> None:
    frame = session.spark.range(3)
    query = "SELECT total(plus(id)) FROM {frame} WHERE id > :least"
    assert rows(session.sql(query, frame=frame, args={"least": 0})) == [(5,)]


def test_an_old_dataframe_keeps_its_function(session: nu.Session) -> None:
    session.register_function("edition", udf(lambda a: 1, ["bigint"], "bigint"))
    query = "SELECT edition(id) AS x FROM range(1)"
    old = [
        session.sql(query),
        session.spark.sql(query),
        session.spark.range(1).selectExpr("edition(id) AS x"),
        session.spark.range(1).select(session.functions["edition"]("id").alias("x")),
        session.spark.range(1).where("edition(id) = 1").selectExpr("1 AS x"),
        session.sql("SELECT total(edition(id)) AS x FROM range(1)"),
    ]
    derived = old[0].where("x = 1")
    session.register_function("edition", udf(lambda a: "two", ["bigint"], "string"))
    assert rows(session.sql(query)) == [("two",)]
    assert [rows(frame) for frame in (*old, derived)] == [[(1,)]] * 7
    assert old[0].schema["x"].dataType.simpleString() == "bigint"
    session.drop_function("edition")
    assert rows(old[0]) == [(1,)]


def test_a_pin_goes_with_the_last_dataframe_made_of_it(session: nu.Session) -> None:
    def pins() -> set[str]:
        return {t.name for t in session.spark.catalog.listTables() if "_nu_pin" in t.name}

    before = pins()
    first = session.sql("SELECT plus(id) AS x FROM range(1)")
    derived = first.where("x > 0")
    (pin,) = pins() - before
    del first
    session.sql("SELECT plus(id) AS x FROM range(1)")
    assert pin in pins()
    assert rows(derived) == [(1,)]
    del derived
    session.sql("SELECT plus(id) AS x FROM range(1)")
    assert pin not in pins()


def test_a_failed_call_is_told_and_replayed(session: nu.Session) -> None:
    session.register_function("inverse", udf(lambda a: 1 // (a - 1), ["bigint"], "bigint"))
    with pytest.raises(nu.UserFunctionError, match="a = 1") as failed:
        session.sql("SELECT inverse(id) FROM range(3)").collect()
    assert failed.value.failed.exception == "ZeroDivisionError"
    with pytest.raises(ZeroDivisionError):
        session.replay("inverse")


def test_mistakes_in_a_query_are_told_with_their_place(session: nu.Session) -> None:
    query = "SELECT plus(nothing) FROM range(3)"
    with pytest.raises(nu.QueryError) as refused:
        session.sql(query)
    place = refused.value.mistake.place
    assert place is not None
    assert query[place.start : place.end] == "nothing"
    assert "JVM stacktrace" not in str(refused.value)
    with pytest.raises(nu.QueryError) as unread:
        session.sql("SELECT total(id) FORM range(3)")
    assert unread.value.mistake.place is not None


def test_a_query_that_is_misread_is_refused_as_on_classic(session: nu.Session) -> None:
    many = ", ".join(f"id + {number} AS c{number}" for number in range(40))
    found = session.sql(f"SELECT {many}, total(id) FROM range(2) GROUP BY id").collect()
    assert len(found[0]) == 41


def test_metrics_and_logs_arrive(session: nu.Session) -> None:
    with awaited(session, lambda: "plus of 4" in str(session.logs(function="plus"))):
        session.sql("SELECT plus(id) FROM range(5)").collect()
    metrics = session.metrics().to_pandas()
    assert (metrics["function"] == "plus").any()
    assert session.metrics().to_spark().count() == len(session.metrics().to_pandas())


def test_the_plan_is_shown_from_sparks_text(session: nu.Session) -> None:
    plan = session.plan("SELECT plus(id) FROM range(3)").to_dict()
    assert "Connect" in plan["note"]
    with pytest.raises(nu.PlanningError, match="a command runs"):
        session.plan("CREATE TABLE never AS SELECT plus(id) FROM range(3)")
    with pytest.raises(nu.PlanningError, match="a command runs"):
        session.plan("FROM range(3) INSERT INTO never SELECT plus(id)")
    assert not session.spark.catalog.tableExists("never")


def test_every_executor_is_asked(session: nu.Session) -> None:
    found = session.check()
    assert not found.problems
    assert found.found[0]["channel"] == ""


def test_a_profile_has_the_lines_of_a_function(session: nu.Session) -> None:
    def busy(a: int) -> int:
        end = time.monotonic() + 0.2
        while time.monotonic() < end:
            pass
        return a

    session.register_function("busy", busy)
    profile = session.profile("SELECT busy(id) FROM range(4)")
    assert any(stack.function == "busy" for stack in profile.stacks)


def test_files_of_the_kernel_are_imported(session: nu.Session, tmp_path: Path) -> None:
    path = tmp_path / "helper_of_connect.py"
    path.write_text("VALUE = 41\n", "utf-8")
    session.add_python_file(path)

    def helped(a: int) -> int:
        import helper_of_connect

        return int(helper_of_connect.VALUE) + a

    session.register_function("helped", helped)
    assert rows(session.sql("SELECT helped(id) FROM range(1, 2)")) == [(42,)]
    session.remove_dependency("helper_of_connect.py")


def test_a_second_session_is_the_same(session: nu.Session) -> None:
    assert nu.session() is session


def test_rows_by_name_outlive_their_dataframe(session: nu.Session) -> None:
    pinned = session.sql("SELECT plus(id) AS x FROM range(2)")
    derived = session.spark.sql("SELECT x FROM {pinned}", pinned=pinned)
    del pinned
    gc.collect()
    for _ in range(2):
        session.sql("SELECT plus(id) AS x FROM range(1)")
    assert rows(derived) == [(1,), (2,)]


def test_progress_is_told_while_a_query_runs(session: nu.Session) -> None:
    def nap(a: int) -> int:
        time.sleep(0.7)
        return a

    session.register_function("nap", nap)
    jobs = Jobs("", time.time())
    reader = session.host.jobs.reader(jobs)
    frame = session.spark.range(0, 4, 1, 4).select(session.functions["nap"]("id"))
    running = threading.Thread(target=frame.collect)
    running.start()
    seen = set()
    while running.is_alive():
        reader.read(time.time())
        progress = jobs.progress(time.time())
        seen.add((progress.done, progress.tasks))
        running.join(0.05)
    reader.read(time.time())
    reader.close()
    assert (2, 4) in seen
    assert jobs.progress(time.time()).stages[-1].state == "done"
    assert not session.spark.client._progress_handlers


def test_a_bad_row_is_put_aside(session: nu.Session) -> None:
    shaky = udf(lambda a: 1 // a, ["bigint"], "bigint", on_error="quarantine")
    session.register_function("shaky", shaky)
    found = session.sql("SELECT shaky(id) FROM range(2)").collect()
    assert {row[0] for row in found} == {None, 1}
    assert [row["error"] for row in session.errors("shaky").collect()] == ["ZeroDivisionError"]


def test_a_worker_that_crashes_is_told_with_its_row(session: nu.Session) -> None:
    def crash(a: int) -> int:
        if a == 3:
            os._exit(7)
        return a

    session.register_function("crash", crash)
    with pytest.raises(nu.WorkerLost, match="crash"):
        session.sql("SELECT crash(id) FROM range(5)").collect()


def test_a_function_is_dropped_in_sql(session: nu.Session) -> None:
    session.register_function("leaving", udf(lambda a: a, ["bigint"], "bigint"))
    session.spark.sql("DROP TEMPORARY FUNCTION leaving")
    assert "leaving" not in session.functions
    with pytest.raises(nu.QueryError, match="leaving"):
        session.sql("SELECT leaving(id) FROM range(1)").collect()


def test_views_by_sql_call_functions(session: nu.Session) -> None:
    session.sql("CREATE OR REPLACE TEMPORARY VIEW sums AS SELECT total(plus(id)) t FROM range(3)")
    assert rows(session.spark.table("sums")) == [(6,)]
    assert rows(session.sql("SELECT plus(t) FROM sums")) == [(7,)]


def test_no_function_runs_in_the_jvm_and_each_says_so(session: nu.Session) -> None:
    def plus_two(a: int) -> int:
        return a + 2

    record = session.register_function("plus_two", plus_two)
    assert "not in Spark's JVM: no class can be brought there" in record.explain()
    assert rows(session.sql("SELECT plus_two(5)")) == [(7,)]


def test_function_objects_of_connects_are_registered_as_they_are(local: nu.Session) -> None:
    made = F.udf(lambda x: x / 2, "int", useArrow=True)
    assert type(made._unwrapped).__module__ == "pyspark.sql.connect.udf"
    record = local.register_function("connect_half", made, coerce=True)
    rows = local.spark.range(4).select(made("id"), record("id")).collect()
    assert list(map(tuple, rows)) == [(0, 0), (0, 0), (1, 1), (1, 1)]
    query = "SELECT connect_half(id) AS half FROM range(4)"
    assert [row.half for row in local.sql(query).collect()] == [0, 0, 1, 1]


def test_functions_of_pysparks_own_api_are_seen(session: nu.Session) -> None:
    def refused(x: int) -> int:
        if x == 7:
            raise ValueError(f"no {x}")
        return x + 1

    def series(x: pd.Series) -> pd.Series:
        return x.map(refused)

    rows = session.spark.range(10)
    with warnings.catch_warnings():
        # It looks for hints of pandas and Arrow.
        warnings.simplefilter("ignore")
        kinds = {"refused": F.udf(refused, "bigint"), "series": F.pandas_udf(series, "bigint")}
    for name, function in kinds.items():
        with awaited(session, lambda name=name: name in str(session.metrics())):
            assert rows.where("id < 7").select(function("id")).collect()[0] == (1,)
        found = [each for each in session.metrics().totals if each.function == name]
        assert [(each.rows_in, each.errors) for each in found] == [(7, 0)]
        with pytest.raises(PythonException, match="no 7") as caught:
            rows.select(function("id")).collect()
        shown = "\n".join(caught.value._render_traceback_())
        assert f"{name}: ValueError: no 7" in shown
        with pytest.raises(ValueError, match="no 7"):
            session.replay(name)
    session.observe(False)
    try:
        with pytest.raises(PythonException) as unseen:
            rows.select(kinds["refused"]("id")).collect()
    finally:
        session.observe(True)
    assert not hasattr(unseen.value, "_nu_card")
