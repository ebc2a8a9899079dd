"""Streaming queries as they start: the workers are told the output mode, which a plan is not.

``DataStreamWriter`` knows it last, when the plan is made; the conf that carries it is set for as
long as Spark takes to copy the session's confs for the query.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from notebook_udf.worker.streaming import OUTPUT_MODE_CONF

_STARTING = ("start", "toTable")


class StreamStarts:
    """Puts itself around the start of streaming queries, and takes itself away again."""

    def __init__(self) -> None:
        self._originals: dict[str, Callable[..., Any]] = {}

    def install(self) -> None:
        """From now on queries carry their output mode."""
        from pyspark.sql.streaming import DataStreamWriter

        for name in ("outputMode", *_STARTING):
            self._originals[name] = getattr(DataStreamWriter, name)
        DataStreamWriter.outputMode = _noting(self._originals["outputMode"])
        for name in _STARTING:
            setattr(DataStreamWriter, name, _telling(self._originals[name]))

    def uninstall(self) -> None:
        """Leaves the writer as it was."""
        from pyspark.sql.streaming import DataStreamWriter

        for name, original in self._originals.items():
            setattr(DataStreamWriter, name, original)
        self._originals.clear()


def _noting(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def output_mode(writer: Any, mode: str) -> Any:
        writer._nu_output_mode = mode
        return original(writer, mode)

    return output_mode


def _telling(original: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def start(writer: Any, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind(writer, *args, **kwargs).arguments.get("outputMode")
        mode = given or getattr(writer, "_nu_output_mode", None) or "append"
        conf = writer._spark.conf
        before = conf.get(OUTPUT_MODE_CONF, None)
        conf.set(OUTPUT_MODE_CONF, mode.lower())
        try:
            return original(writer, *args, **kwargs)
        finally:
            if before is None:
                conf.unset(OUTPUT_MODE_CONF)
            else:
                conf.set(OUTPUT_MODE_CONF, before)

    return start
