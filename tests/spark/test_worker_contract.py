"""What ``pool.spark_worker`` and ``pool.daemon`` assume of Spark, held against this Spark."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pyspark
import pyspark.daemon
import pyspark.worker
from pyspark.errors import PySparkException
from pyspark.errors.exceptions import captured
from pyspark.logger import PySparkLogger, worker_io
from pyspark.sql.streaming.stateful_processor_api_client import StatefulProcessorApiClient
from pyspark.util import PythonEvalType

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.kernel import spark_loggers


def test_version_is_one_that_was_tried() -> None:
    assert pyspark.__version__.startswith("4.3.")


def test_main_and_the_readers_can_be_replaced() -> None:
    assert list(inspect.signature(pyspark.worker.main).parameters) == ["infile", "outfile"]
    source = inspect.getsource(pyspark.worker.invoke_udf)
    assert "read_udfs(" in source
    assert "read_udtf(" in source
    for read in (pyspark.worker.read_udfs, pyspark.worker.read_udtf):
        assert list(inspect.signature(inspect.unwrap(read)).parameters)[3] == "runner_conf"
    assert "func(init_info.split_index, iterator)" in source
    assert 'hasattr(out_iter, "close")' in source
    assert "worker_main(infile, outfile)" in inspect.getsource(pyspark.daemon.worker)


def test_the_daemon_says_what_spark_expects() -> None:
    source = inspect.getsource(pyspark.daemon.manager)
    assert "write_int(listen_port, stdout_bin)" in source
    assert "PYTHON_WORKER_FACTORY_SOCK_DIR" in source
    assert "read_int(stdin_bin)" in source
    assert "write_int(os.getpid(), outfile)" in source


def test_output_is_taken_for_sparks_log_where_we_look() -> None:
    assert "with capture_outputs():" in inspect.getsource(pyspark.worker.invoke_udf)
    assert pyspark.worker.capture_outputs is worker_io.capture_outputs
    source = inspect.getsource(worker_io.capture_outputs)
    assert 'if "PYSPARK_SPARK_SESSION_UUID" in os.environ' in source
    assert "json_out = original_stdout = sys.stdout" in source
    assert "delegate = original_stderr = sys.stderr" in source
    assert "logger.addHandler(handler)" in source
    assert "self._delegate.write(s)" in inspect.getsource(worker_io.DelegatingTextIOWrapper)


def test_errors_are_logged_where_we_keep_silent() -> None:
    source = inspect.getsource(PySparkException._log_exception)
    assert set(re.findall(r'"(\w+QueryContextLogger)"', source)) == set(spark_loggers.NAMES)
    made = inspect.getsource(PySparkLogger.__init__)
    assert "level=logging.WARN" in made
    assert "_handler = logging.StreamHandler()" in made
    assert "self._log_exception()" in inspect.getsource(captured.CapturedException.__init__)


def test_exceptions_are_converted_where_we_look() -> None:
    assert "convert_exception(e.java_exception)" in inspect.getsource(
        captured.capture_sql_exception
    ) or hasattr(captured, "convert_exception")


def test_scalar_arrow_functions_have_the_type_we_send() -> None:
    assert PythonEvalType.SQL_SCALAR_ARROW_UDF == 250
    assert PythonEvalType.SQL_ARROW_TABLE_UDF == 301


def test_state_is_where_we_look_for_it() -> None:
    kind = "SQL_TRANSFORM_WITH_STATE_PYTHON_ROW_UDF:"
    row = inspect.getsource(pyspark.worker.read_udfs).partition(f"PythonEvalType.{kind}")[2]
    assert "stateful_processor_api_client = StatefulProcessorApiClient(" in row
    assert "split_index: int," in row
    sent = inspect.getsource(StatefulProcessorApiClient._send_proto_message)
    assert "write_int(0, self.sockfile)" in sent
    assert "write_int(len(message), self.sockfile)" in sent


def test_the_query_is_known_in_a_task(session: nu.Session) -> None:
    def query_of(i: int) -> str:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        return str(context.getLocalProperty("spark.sql.execution.id"))

    session.register_function("query_of", udf(query_of))
    first = session.sql("SELECT query_of(id) FROM range(1)").collect()[0][0]
    second = session.sql("SELECT query_of(id) FROM range(1)").collect()[0][0]
    assert int(second) > int(first) >= 0


def test_spark_hangs_up_on_workers_after_a_minute_without_tasks(session: nu.Session) -> None:
    jvm: Any = session.spark._jvm
    limit = jvm.org.apache.spark.api.python.PythonWorkerFactory.IDLE_WORKER_TIMEOUT_NS()
    assert limit == 60 * 10**9
    # What comes is looked at before it is read.
    assert 'os.fdopen(os.dup(sock.fileno()), "rb"' in inspect.getsource(pyspark.daemon.worker)


def test_our_daemon_runs_the_workers(session: nu.Session) -> None:
    def parent(i: int) -> str:
        import psutil

        return " ".join(psutil.Process().parent().cmdline())

    session.register_function("parent", udf(parent))
    command = session.sql("SELECT parent(id) FROM range(1)").collect()[0][0]
    assert "notebook_udf.pool.daemon" in command


def test_a_worker_loads_nothing_of_what_runs_in_the_kernel(session: nu.Session) -> None:
    def loaded() -> list[str]:
        import sys

        parts = ("notebook_udf.kernel", "notebook_udf.planner", "sqlglot", "IPython")
        return [name for name in sys.modules if name.startswith(parts)]

    session.register_function("loaded", udf(loaded, result_type="array<string>"))
    # What other tests' functions have loaded is theirs.
    session.pool.restart()
    assert session.sql("SELECT loaded()").collect() == [([],)]


def test_a_task_does_not_look_through_what_a_worker_has_loaded(session: nu.Session) -> None:
    def watched(number: int) -> int:
        import gc

        return len(gc.get_objects())

    session.register_function("watched", udf(watched, deterministic=False))
    query = "SELECT watched(id) FROM range(4)"
    session.sql(query).collect()
    # A worker collects garbage after every task, and each object it holds then costs it time.
    assert max(session.sql(query).collect())[0] < 10_000
