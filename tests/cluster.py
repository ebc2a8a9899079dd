"""A standalone Spark cluster on loopback, from the pip package, of processes of their own."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pyspark

from notebook_udf.launch.java import find_java

SPARK = Path(pyspark.__file__).parent
HOST = "127.0.0.1"


class Cluster:
    """A master and its workers, each of one core; ``url`` is what a session takes as ``master``."""

    def __init__(
        self, folder: Path, workers: int, hidden: Sequence[Path], environment: Mapping[str, str]
    ) -> None:
        self._folder = folder
        self._hidden = hidden
        self._environment = environment
        self._processes: list[subprocess.Popen[str]] = []
        self._readers: list[threading.Thread] = []
        try:
            said = self._launch("master.Master", "--port", "0", until="elected leader")
            found = re.search(r"spark://\S+", said)
            assert found, said
            self.url = found[0]
            for number in range(workers):
                work = str(folder / f"work{number}")
                limits = ("--cores", "1", "--memory", "1g", "--work-dir", work)
                self._launch("worker.Worker", *limits, self.url, until="Successfully registered")
        except BaseException:
            self.stop()
            raise

    def _launch(self, entry: str, *arguments: str, until: str) -> str:
        """Starts a process, and returns what it said until it was ready."""
        environment = {
            **os.environ,
            **find_java().environment(),
            "SPARK_HOME": str(SPARK),
            "SPARK_LOCAL_IP": HOST,
            "SPARK_DAEMON_JAVA_OPTS": "-Dspark.master.rest.enabled=false",
            **self._environment,
        }
        command = [str(SPARK / "bin/spark-class"), f"org.apache.spark.deploy.{entry}"]
        if self._hidden and entry.startswith("worker"):
            covered = [f"mount -t tmpfs none {folder}" for folder in self._hidden]
            covering = " && ".join([*covered, 'exec "$@"'])
            command = ["unshare", "--mount", "sh", "-c", covering, "sh", *command]
        process = subprocess.Popen(
            [*command, "--host", HOST, "--webui-port", "0", *arguments],
            env=environment,
            cwd=self._folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._processes.append(process)
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if until in line:
                # What nobody reads would fill the pipe and stop it.
                self._readers.append(threading.Thread(target=process.stdout.read))
                self._readers[-1].start()
                return said
        raise AssertionError(f"{entry} did not start:\n{said}")

    @property
    def executors(self) -> list[psutil.Process]:
        """The executors' processes."""
        found = []
        for child in self._family():
            with suppress(psutil.NoSuchProcess):
                if any("CoarseGrainedExecutorBackend" in word for word in child.cmdline()):
                    found.append(child)
        return found

    def _family(self) -> list[psutil.Process]:
        family = [psutil.Process(process.pid) for process in self._processes]
        for process in list(family):
            with suppress(psutil.NoSuchProcess):
                family += process.children(recursive=True)
        return family

    def stop(self) -> None:
        """Ends all of it; nothing may live on."""
        family = self._family()
        for process in family:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        _, alive = psutil.wait_procs(family, timeout=20)
        for reader in self._readers:
            reader.join(5)
        for started in self._processes:
            started.wait(5)
            assert started.stdout is not None
            started.stdout.close()
        assert not alive, f"left behind by the cluster: {alive}"


@contextmanager
def cluster(
    folder: Path,
    workers: int = 2,
    *,
    hidden: Sequence[Path] = (),
    environment: Mapping[str, str] | None = None,
) -> Iterator[Cluster]:
    """A cluster with an empty folder, ended with the block.

    Its workers cannot see the folders ``hidden``, and have the variables of ``environment``.
    """
    running = Cluster(folder, workers, hidden, environment or {})
    try:
        yield running
    finally:
        running.stop()
