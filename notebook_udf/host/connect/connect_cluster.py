"""The machines behind a Connect server, as far as its SQL tells of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from notebook_udf.host.cluster import Gathering, Probe

_SPLITS = re.compile(r"\bsplits=(?:Some\()?(\d+)")


class ConnectCluster:
    """See ``SparkCluster``.

    ``sees_files`` says whether the server runs on this machine, and its workers see the files of
    this process, until one of them has said otherwise.
    """

    def __init__(self, spark: Any, *, sees_files: bool) -> None:
        self._spark = spark
        self.sees_files = sees_files

    @cached_property
    def master(self) -> str:
        """See ``SparkCluster``."""
        return str(self._spark.conf.get("spark.master", None) or "unknown")

    @property
    def shares_files(self) -> bool:
        """See ``SparkCluster``."""
        return self.sees_files and self.master.startswith("local")

    @cached_property
    def parallelism(self) -> int:
        """See ``SparkCluster``."""
        # Spark cuts a range into as many parts as may run at once.
        found = _SPLITS.search(self._spark.range(2**31)._explain_string(mode="simple"))
        return int(found[1]) if found is not None else 1

    @property
    def executors(self) -> int:
        """See ``SparkCluster``; 1, since the server does not say."""
        return 1

    def ask(self, probe: Probe, tasks: int) -> list[Mapping[str, Any]]:
        """See ``SparkCluster``."""
        rows = self._spark.range(0, tasks, 1, tasks)
        answers = rows.mapInArrow(_answering(probe), "answer string").collect()
        return [json.loads(row[0]) for row in answers]

    def add_archive(self, archive: Path, folder: str) -> None:
        """See ``SparkCluster``."""
        self._spark.addArtifacts(f"{archive}#{folder}", archive=True)

    def add_file(self, file: Path) -> None:
        """See ``SparkCluster``."""
        self._spark.addArtifacts(str(file), file=True)

    def gather(self, take: Callable[[list[list[bytes]]], None]) -> Gathering | None:
        """See ``SparkCluster``; None, since accumulators end in the server."""
        return None


def _answering(probe: Probe) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The probe as a function on batches, which is pickled by value, as is all that it uses."""

    def answer(batches: Iterator[Any]) -> Iterator[Any]:
        import json

        import pyarrow

        numbers = [number for batch in batches for number in batch.column(0).to_pylist()]
        texts = [json.dumps(dict(found)) for found in probe(iter(numbers))]
        yield pyarrow.RecordBatch.from_pydict({"answer": pyarrow.array(texts, pyarrow.string())})

    answer.__module__ = "__main__"
    return answer
