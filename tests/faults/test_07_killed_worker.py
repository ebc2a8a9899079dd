"""A worker is killed in a bundle: the error names function, process and signal."""

from __future__ import annotations

import os
import signal

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql.functions import udf as spark_udf

import notebook_udf as nu
from tests.queries import run

pytestmark = pytest.mark.usefixtures("next_query_succeeds")


def test_worker_killed_in_a_bundle(session: nu.Session) -> None:
    def killed(i: int) -> int:
        if i == 7:
            os.kill(os.getpid(), signal.SIGKILL)
        return i

    with pytest.raises(nu.WorkerLost) as caught:
        run(session, killed)
    error = caught.value
    assert error.signal == signal.SIGKILL
    assert error.function == "f"
    assert f"worker {error.worker} was ended by signal 9 (SIGKILL) while it ran f" in str(error)
    assert "\tat " not in str(error)


def test_of_a_function_that_is_sparks_own(session: nu.Session) -> None:
    def kills(i: int) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return i

    killed = spark_udf(kills, "bigint", useArrow=False)

    # It is Spark's own exception, with Spark's text, and a WorkerLost as well.
    with pytest.raises(nu.WorkerLost) as caught:
        session.spark.range(3).select(killed("id")).collect()
    error = caught.value
    assert isinstance(error, Py4JJavaError)
    assert str(error).startswith("An error occurred while calling ")
    assert "Python worker exited unexpectedly" in str(error)
    assert error.signal == signal.SIGKILL
    shown = "\n".join(error._render_traceback_())
    assert f"worker {error.worker} was ended by signal 9 (SIGKILL) while it ran kills" in shown
