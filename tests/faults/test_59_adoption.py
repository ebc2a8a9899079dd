"""A Spark that somebody else started, before, while and after a session has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import cluster
from tests.scripts import MOST, script, told

# All that can be seen of a Spark and of PySpark in this process.
SPARK = """
import contextlib, logging, signal, psutil
import pyspark.sql.classic.dataframe, pyspark.sql.classic.column, pyspark.sql.streaming
from pyspark.sql import SparkSession
from notebook_udf.launch.java import find_java
os.environ.update({**find_java().environment(), "PYSPARK_PYTHON": sys.executable})
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.sql.timeType.enabled", "false")
spark = builder.getOrCreate()
spark.sql("CREATE TEMPORARY VIEW theirs AS SELECT 1 AS x")
spark.udf.register("their_own", lambda i: i, "bigint")

CLASSES = (
    SparkSession, pyspark.sql.classic.dataframe.DataFrame, pyspark.sql.classic.column.Column,
    pyspark.sql.streaming.DataStreamWriter, pyspark.sql.streaming.StreamingQuery, type(spark.udf),
    type(spark.catalog), type(spark.streams),
)
LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger", "py4j", "pyspark", "")

def seen():
    context = spark.sparkContext
    bus = context._jsc.sc().listenerBus()
    return {
        "sql": dict(spark.conf.getAll),
        "core": dict(context.getConf().getAll()),
        "environment": dict(context.environment),
        "python": context.pythonExec,
        "functions": sorted(row[0] for row in spark.sql("SHOW USER FUNCTIONS").collect()),
        "views": sorted(table.name for table in spark.catalog.listTables()),
        "listeners": [spark._jsparkSession.streams().listListeners().__len__(),
                      bus.listeners().size()],
        "classes": {c.__name__: {k: id(v) for k, v in vars(c).items() if callable(v)}
                    for c in CLASSES},
        "loggers": {name: [logging.getLogger(name).level, len(logging.getLogger(name).filters),
                           [len(h.filters) for h in logging.getLogger(name).handlers]]
                    for name in LOGGERS},
        "interrupt": str(signal.getsignal(signal.SIGINT)),
        "path": list(sys.path),
        "variables": dict(os.environ),
    }

spark.sql("SELECT their_own(x) FROM theirs").collect()
for name in LOGGERS[:2]:
    from pyspark.logger import PySparkLogger
    PySparkLogger.getLogger(name)
before = seen()
"""

USED = """
session = nu.session(spark, bundle_size=100, worker_memory="2g", job_parameters={"a": "b"},
                     conf={"spark.sql.ansi.enabled": "false", "spark.sql.caseSensitive": "true"})
session.register_function("twice", udf(lambda i: 2 * i, result_type="bigint", compile=False))
session.register_function("upper", udf(lambda s: s, result_type="string"), replace=True)
session.register_function("most", nu.udaf(Most(), accumulator_type="array<bigint>"))
query = "SELECT most(twice(id)), count(*) FROM range(100) HAVING most(id) > 2"
answer = session.sql(query).collect()
stream = spark.readStream.format("rate").load().select(session.functions["twice"]("value"))
query = stream.writeStream.format("noop").start()
query.processAllAvailable()
query.stop()
session.pool.set_log_level("DEBUG")
session.add_python_file(__import__("json").__file__)
spark.conf.set("spark.sql.caseSensitive", "false")
during = seen()
daemons = []
for child in psutil.Process().children(recursive=True):
    with contextlib.suppress(psutil.NoSuchProcess):
        if "notebook_udf.pool.daemon" in child.cmdline() and child.parent().name() == "java":
            daemons.append(child)
session.stop()
after = seen()
changed = {
    place: {k: [before[place].get(k), after[place].get(k)]
            for k in {*before[place], *after[place]}
            if before[place].get(k) != after[place].get(k)}
    if isinstance(before[place], dict) else [before[place], after[place]]
    for place in before if before[place] != after[place]
}
# Spark ends workers that have nothing to do after a minute, and the daemon goes with the last.
for daemon in daemons:
    with contextlib.suppress(psutil.NoSuchProcess):
        for worker in daemon.children():
            worker.terminate()
gone, alive = psutil.wait_procs(daemons, 20)
tell(daemons=[len(daemons) > 0, len(alive)],
     answer=[list(row) for row in answer], differed=[p for p in before if before[p] != during[p]],
     changed=changed)
from pyspark.sql.functions import udf as plain
plus = plain(lambda i: ("notebook_udf" in sys.modules, os.environ.get("NOTEBOOK_UDF_CHANNEL")),
             "struct<a: boolean, b: string>")
row, = spark.range(1).select(plus("id").alias("r")).collect()
tell(ours=row.r.a, channel=row.r.b)
"""


@pytest.mark.timeout(120)
def test_it_is_left_as_it_was_found() -> None:
    with script(SPARK + MOST + USED) as process:
        facts = told(process)
        assert facts["answer"] == [[198, 100]]
        assert facts["daemons"] == [True, 0]
        assert {"sql", "core", "environment", "functions", "classes"} <= set(facts["differed"])
        # What somebody set since is theirs.
        assert facts["changed"] == {"sql": {"spark.sql.caseSensitive": [None, "false"]}}
        assert told(process) == {"ours": False, "channel": None}
        assert process.wait(60) == 0


REFUSED = """
try:
    nu.session(spark, conf={"spark.sql.shuffle.partitions": "many"})
except Exception as error:
    after = seen()
    tell(said=str(error), differs=[place for place in before if before[place] != after[place]])
"""


@pytest.mark.thorough
@pytest.mark.timeout(120)
def test_a_session_that_is_refused_leaves_it_as_it_was() -> None:
    with script(SPARK + REFUSED) as process:
        facts = told(process)
        assert "shuffle.partitions" in facts["said"]
        assert facts["differs"] == []
        assert process.wait(60) == 0


EARLIER = """
from pyspark.sql import SparkSession, functions as F
from notebook_udf.launch.java import find_java
os.environ.update({**find_java().environment(), "PYSPARK_PYTHON": sys.executable})
conf = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
spark = SparkSession.builder.master("local[2]").config(map=conf).getOrCreate()

@F.udf("bigint")
def plus(i):
    print(f"took {i}")
    return i + 1

spark.udf.register("plus_one", plus)
frame = spark.range(0, 4, 1, 2).select(plus("id").alias("n"))
tell(before=[row.n for row in frame.collect()])
for _ in range(2):
    with nu.session(spark) as session:
        answer = [row.n for row in frame.collect()]
        named = [row.n for row in spark.sql("SELECT plus_one(id) AS n FROM range(2)").collect()]
        totals = session.metrics().totals
        tell(answer=answer, named=named, rows=[total.rows_in for total in totals],
             said=sorted(line.text for line in session.logs(query=totals[0].query)))
tell(after=[row.n for row in frame.collect()])
"""


@pytest.mark.timeout(120)
def test_what_was_made_before_is_seen_while_there_is_a_session() -> None:
    with script(EARLIER) as process:
        assert told(process) == {"before": [1, 2, 3, 4]}
        for _ in range(2):
            facts = told(process)
            assert (facts["answer"], facts["named"]) == ([1, 2, 3, 4], [1, 2])
            assert facts["rows"] == [4, 2]
            assert facts["said"] == ["took 0", "took 1", "took 2", "took 3"]
        assert told(process) == {"after": [1, 2, 3, 4]}
        assert process.wait(60) == 0
        assert process.stderr is not None
        # Where Spark sends it, before the first session and after the last, and not in between.
        assert process.stderr.read().count("took") == 8


# Its executors run, with Spark's own daemon, before there is a session.
CLUSTER = """
from pyspark.sql import SparkSession, functions as F
from notebook_udf.launch.java import find_java
os.environ.update({**find_java().environment(), "PYSPARK_PYTHON": sys.executable})
conf = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
builder = SparkSession.builder.master("URL").config(map=conf)
spark = builder.getOrCreate()
spark.range(0, 8, 1, 4).select(F.udf(lambda i: i + 1, "bigint")("id")).collect()
session = nu.session(spark, worker_memory="1g")
tell(notes=session.notes)
checked = session.check()
tell(daemons=[each["daemon"] for each in checked.found], problems=checked.problems)

def says(i: int) -> int:
    print("said", i)
    return i
async def asks(i: int) -> int:
    return i + 1
def pairs(i: int):
    yield i, -i
def picky(i: int) -> int:
    return 10 // i
def dwells(i: int) -> int:
    time.sleep(60)
    return i
def hoards(i: int) -> int:
    return len(bytearray(2 << 30))
session.register_function("says", says)
session.register_function("most", nu.udaf(Most(), accumulator_type="array<bigint>", compile=False))
session.register_function("asks", asks)
session.register_function("pairs", nu.udtf(pairs, result_types=["bigint", "bigint"]))
session.register_function("picky", udf(picky, on_error="quarantine"))
session.register_function("dwells", udf(dwells, timeout=1))
session.register_function("hoards", hoards)

os.makedirs("FOLDER/lines")
with open("FOLDER/lines/1.json", "w") as file:
    print('{"k": 1, "v": 5}\\n{"k": 1, "v": 9}\\n{"k": 2, "v": 7}', file=file)
lines = spark.readStream.schema("k INT, v BIGINT").json("FOLDER/lines")
most = lines.transform(nu.aggregate(by="k", m=session.functions["most"]("v")))
query = most.writeStream.outputMode("update").format("memory").queryName("seen").start()
query.processAllAvailable()
query.stop()
tell(stream=sorted([list(row) for row in spark.table("seen").collect()]))

QUERIES = {
    "scalar": "SELECT sum(says(id)) FROM range(0, 100, 1, 4)",
    "aggregate": "SELECT id % 2, most(id), count(*) FROM range(0, 100, 1, 4) GROUP BY 1 ORDER BY 1",
    "async": "SELECT sum(asks(id)) FROM range(0, 100, 1, 4)",
    "table": "SELECT sum(p.b) FROM range(0, 10, 1, 4), LATERAL pairs(id) AS p(a, b)",
    "quarantine": "SELECT count(picky(id)) FROM range(0, 100, 1, 4)",
    "time-out": "SELECT dwells(id) FROM range(0, 1, 1, 1)",
    "memory": "SELECT hoards(id) FROM range(0, 1, 1, 1)",
}
answers = {}
for name, query in QUERIES.items():
    try:
        answers[name] = [list(row) for row in session.sql(query).collect()]
    except Exception as error:
        answers[name] = type(error).__name__
tell(**answers)
rates = spark.readStream.format("rate").option("rowsPerSecond", 50).load()
sums = rates.groupBy((rates.value % 3).alias("k")).agg(session.functions["most"]("value"))
import tempfile
with tempfile.TemporaryDirectory() as folder:
    query = (sums.writeStream.outputMode("update").format("memory").queryName("grows")
             .option("checkpointLocation", folder).start())
    while not spark.sql("SELECT * FROM grows").count():
        query.processAllAvailable()
    query.stop()
tell(logged=len(session.logs(function="says")), errors=session.errors("picky").count(),
     measured="says" in repr(session.metrics()), workers=len(session.pool) > 0)
session.stop()
spark.stop()
"""


@pytest.mark.thorough
@pytest.mark.timeout(400)
def test_a_cluster_whose_executors_run_already(tmp_path: Path) -> None:
    folder = str(tmp_path)
    with (
        cluster(tmp_path) as running,
        script(MOST + CLUSTER.replace("URL", running.url).replace("FOLDER", folder)) as process,
    ):
        assert "Spark's own daemon" in told(process)["notes"][0]
        facts = told(process)
        assert facts["daemons"] == ["pyspark.daemon"] * 2
        (problem,) = facts["problems"]
        assert "spark.python.daemon.module=notebook_udf.pool.daemon" in problem
        assert told(process) == {"stream": [[1, 9], [2, 7]]}
        assert told(process) == {
            "scalar": [[4950]],
            "aggregate": [[0, 98, 50], [1, 99, 50]],
            "async": [[5050]],
            "table": [[-45]],
            "quarantine": [[99]],
            "time-out": "FunctionTimeout",
            "memory": "WorkerOutOfMemory",
        }
        assert told(process) == {"logged": 100, "errors": 1, "measured": True, "workers": True}
        assert process.wait(60) == 0


# Spark hangs up on workers 60 s after the last task.
IDLE = """
import psutil
from notebook_udf.launch.java import find_java
os.environ.update({**find_java().environment(), "PYSPARK_PYTHON": sys.executable})
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("URL").config("spark.ui.enabled", "false").getOrCreate()
spark.range(1).collect()
session = nu.session(spark)
session.register_function("same", udf(lambda i: i, result_type="bigint", compile=False))
session.sql("SELECT sum(same(id)) FROM range(0, 8, 1, 4)").collect()
workers = [psutil.Process(worker.pid) for worker in session.pool]
tell(parents=sorted({worker.parent().cmdline()[-2] for worker in workers}))
_, alive = psutil.wait_procs(workers, timeout=120)
tell(alive=len(alive))
session.stop()
spark.stop()
"""


@pytest.mark.thorough
@pytest.mark.timeout(240)
def test_a_worker_of_a_foreign_daemon_ends_when_spark_hangs_up(tmp_path: Path) -> None:
    with cluster(tmp_path, 1) as running, script(IDLE.replace("URL", running.url)) as process:
        assert told(process) == {"parents": ["pyspark.daemon"]}
        assert told(process) == {"alive": 0}
        assert process.wait(60) == 0
