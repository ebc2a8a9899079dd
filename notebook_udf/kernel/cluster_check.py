"""``session.check()``: what every executor has of what functions need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark import cloudpickle

from notebook_udf.errors import SessionError
from notebook_udf.host.cluster import SparkCluster
from notebook_udf.kernel import cluster_probe
from notebook_udf.launch.confs import DAEMON_CONF, DAEMON_MODULE
from notebook_udf.render.display import Block, Displayed, Paragraph
from notebook_udf.render.format import size
from notebook_udf.render.tables import Table

if TYPE_CHECKING:
    import pandas as pd

# Tasks for each core there is: Spark may give one executor several before another has begun.
_TASKS_PER_CORE = 2
_HEADS = ("host", "daemon", "Python", "package", "pyarrow", "forked by", "channel", "limit")


@dataclass(frozen=True, repr=False)
class ClusterCheck(Displayed):
    """What was found on the executors. Displays as a table with what to do below it.

    Attributes
    ----------
    found
        One dict per executor that answered: ``host``, ``daemon_pid``, ``python``, ``program``,
        ``package`` and ``pyarrow`` (versions, "" if missing), ``daemon`` (the module that forks
        its workers), ``channel`` ("" if it is reached, else why not and when it was tried),
        ``memory`` (bytes, 0 without a limit).
    expected
        How many executors there are.
    refused
        Why none of them could start a worker; "" if one did.
    """

    found: tuple[Mapping[str, Any], ...]
    expected: int
    refused: str = ""

    @property
    def problems(self) -> list[str]:
        """What is missing, each with what to do; empty if all is there."""
        return list(dict.fromkeys(self._problems()))

    def _problems(self) -> Iterator[str]:
        if self.refused:
            yield self.refused
        elif len(self.found) < self.expected:
            yield (
                f"{self.expected - len(self.found)} of {self.expected} executors did not answer: "
                "they are busy or gone; try again"
            )
        for each in self.found:
            host = each["host"]
            if not each["package"] or not each["pyarrow"]:
                missing = "notebook-udf" if not each["package"] else "pyarrow"
                yield (
                    f"{host} has no package {missing} in {each['program']}: install it there, or "
                    "name an environment that has it with PYSPARK_PYTHON"
                )
            elif each["channel"]:
                yield (
                    f"{host} does not reach this kernel ({each['channel']}): functions run, and "
                    "metrics and logs come when a task has ended, through Spark Connect never. "
                    "Set spark.driver.host (for Spark Connect spark.notebookUdf.host) to a name of "
                    "this machine that it knows, and spark.notebookUdf.bindAddress to an open "
                    "address and port"
                )
            elif each["daemon"] != DAEMON_MODULE:
                yield (
                    f"{host} forks workers by {each['daemon'] or 'a daemon of its own'}: they "
                    "start slower, and the signal that ended one is not known. Start Spark with "
                    f"--conf {DAEMON_CONF}={DAEMON_MODULE}"
                )

    def to_pandas(self) -> pd.DataFrame:
        """One row per executor that answered."""
        import pandas as pd

        return pd.DataFrame([dict(each) for each in self.found])

    def _blocks(self) -> list[Block]:
        rows = [
            (
                each["host"],
                str(each["daemon_pid"]),
                each["python"],
                each["package"] or "missing",
                each["pyarrow"] or "missing",
                "ours" if each["daemon"] == DAEMON_MODULE else each["daemon"] or "unknown",
                each["channel"] or "reached",
                size(each["memory"]) if each["memory"] else "none",
            )
            for each in self.found
        ]
        caption = f"{len(self.found)} of {self.expected} executors"
        return [Table(_HEADS, rows, caption), *map(Paragraph, self.problems)]


def check(cluster: SparkCluster) -> ClusterCheck:
    """Asks a worker of every executor."""
    refused = ""
    found: dict[tuple[str, int], Mapping[str, Any]] = {}
    cloudpickle.register_pickle_by_value(cluster_probe)
    try:
        tasks = max(1, _TASKS_PER_CORE * cluster.parallelism)
        answers = cluster.ask(cluster_probe.probe, tasks)
        # A daemon belongs to one executor, which may have several for functions of other settings.
        found = {(each["host"], each["daemon_pid"]): each for each in answers}
    except SessionError as error:
        refused = str(error)
    finally:
        cloudpickle.unregister_pickle_by_value(cluster_probe)
    expected = max(cluster.executors, len(found))
    return ClusterCheck(tuple(found.values()), expected, refused)
