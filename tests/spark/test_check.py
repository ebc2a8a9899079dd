"""What a session finds out about its executors."""

from __future__ import annotations

import notebook_udf as nu
from notebook_udf.kernel.cluster_check import ClusterCheck


def test_all_is_there_on_this_machine(session: nu.Session) -> None:
    checked = session.check()
    assert checked.problems == []
    (found,) = checked.to_pandas().to_dict("records")
    assert found["daemon"] == "notebook_udf.pool.daemon"
    assert found["package"] == nu.__version__
    table = repr(checked)
    assert table.startswith("1 of 1 executors")
    assert "reached" in table


FAR = {
    "host": "node7",
    "daemon_pid": 12,
    "python": "3.11.2",
    "program": "/usr/bin/python3",
    "package": "0.1.0",
    "pyarrow": "22.0",
    "daemon": "notebook_udf.pool.daemon",
    "channel": "",
    "memory": 1 << 30,
}


def test_what_is_missing_is_said_with_what_to_do() -> None:
    def problem(**changed: object) -> str:
        (said,) = ClusterCheck(({**FAR, **changed},), 1).problems
        return said

    assert "no package notebook-udf in /usr/bin/python3" in problem(package="")
    assert "no package pyarrow" in problem(pyarrow="")
    assert "timed out" in problem(channel="timed out, at 10:11:12")
    assert "spark.driver.host" in problem(channel="timed out, at 10:11:12")
    assert "forks workers by pyspark.daemon" in problem(daemon="pyspark.daemon")
    (lost,) = ClusterCheck((FAR,), 2).problems
    assert lost.startswith("1 of 2 executors did not answer")
    assert "1.0 GiB" in repr(ClusterCheck((FAR,), 1))
