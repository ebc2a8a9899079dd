"""Sail, a Spark Connect server in Rust: PySpark's default ``udf`` and ``pandas_udf`` through it."""

from __future__ import annotations

import atexit
import os
from importlib.metadata import version

from pyspark.sql import SparkSession

from benchmarks.rivals.serving import PROCESSORS, Maker, serve
from benchmarks.rivals.spark import Made


def open_makers() -> tuple[str, dict[str, Maker]]:
    os.environ["SAIL_EXECUTION__DEFAULT_PARALLELISM"] = str(PROCESSORS)
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer()
    server.start(background=True)
    # It stops when nothing refers to it any more, and clients then wait for it.
    atexit.register(server.stop)
    address = server.listening_address
    assert address is not None
    remote = SparkSession.builder.remote(f"sc://127.0.0.1:{address[1]}")
    made = Made(remote.getOrCreate())
    ways: dict[str, Maker] = {"default": made.default, "pandas": made.pandas}
    return f"Sail {version('pysail')} with PySpark {version('pyspark-client')}", ways


if __name__ == "__main__":
    serve(open_makers)
