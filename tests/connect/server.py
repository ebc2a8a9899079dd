"""A Spark Connect server on loopback, from the pip package, in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pyspark

from notebook_udf.launch.java import find_java

SPARK = Path(pyspark.__file__).parent
_READY = re.compile(r"Spark Connect server started at: \S*:(\d+)")


class ConnectServer:
    """A server; ``url`` is what a session takes as ``remote``.

    Its workers run a bare Python, which finds the installed packages by their folder alone, and so
    not this one: that is installed by a reference to it.
    """

    url: str

    def __init__(self, folder: Path, *conf: str) -> None:
        self._folder = folder
        self._conf = conf

    def __enter__(self) -> ConnectServer:
        python = getattr(sys, "_base_executable", sys.executable)
        environment = {
            **os.environ,
            **find_java().environment(),
            "SPARK_HOME": str(SPARK),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": python,
            "PYTHONPATH": str(SPARK.parent),
        }
        settings = (
            "spark.connect.grpc.binding.port=0",
            "spark.connect.grpc.binding.address=127.0.0.1",
            "spark.ui.enabled=false",
            *self._conf,
        )
        command = [str(SPARK / "bin/spark-submit"), "--master", "local[2]"]
        command += [part for setting in settings for part in ("--conf", setting)]
        command += ["--driver-memory", "1g"]
        command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
        self._process = subprocess.Popen(
            [*command, "spark-internal"],
            env=environment,
            cwd=self._folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self._process.stdout is not None
        said = ""
        for line in self._process.stdout:
            said += line
            ready = _READY.search(line)
            if ready is not None:
                self.url = f"sc://127.0.0.1:{ready[1]}"
                # What nobody reads would fill the pipe and stop it.
                self._reader = threading.Thread(target=self._process.stdout.read)
                self._reader.start()
                return self
        raise AssertionError(f"the server did not start:\n{said}")

    def __exit__(self, *_: object) -> None:
        family = psutil.Process(self._process.pid).children(recursive=True)
        self._process.kill()
        for each in family:
            if each.is_running():
                each.kill()
        self._process.communicate()
        psutil.wait_procs(family, timeout=15)
