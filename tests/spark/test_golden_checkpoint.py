"""Checkpoints that an earlier version wrote go on with the code of today, and are read by it.

``--write-golden`` writes them again: only where a format changes on purpose, as the changelog
says.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame
from sample_aggregates import CountAggregateFunction, CountDistinctAggregateFunction, Sum
from streaming import Stream
from test_process_streams import SCHEMA, Running

import notebook_udf as nu
from notebook_udf import AggregateFunction, udaf

KEPT = Path(__file__).parents[1] / "fixtures" / "checkpoints"
FIRST = [[("a", 1), ("b", 2), ("a", 1)], [("a", 4), (None, 3)]]
LATER = [("a", 4), ("c", 5), (None, 7)]


@dataclass
class Extremes:
    low: int | None = None
    seen: list[int] = field(default_factory=list)


class Spread(AggregateFunction):
    """The largest value less the smallest, in an accumulator of a class of its own."""

    def create_accumulator(self) -> Extremes:
        return Extremes()

    def accumulate(self, accumulator: Extremes, value: int) -> None:
        accumulator.low = value if accumulator.low is None else min(accumulator.low, value)
        accumulator.seen.append(value)

    def get_value(self, accumulator: Extremes) -> int:
        assert accumulator.low is not None
        return max(accumulator.seen) - accumulator.low


def aggregates(session: nu.Session, rows: DataFrame) -> DataFrame:
    called: dict[str, Any] = {}
    for name, function, result in [
        ("golden_count", CountAggregateFunction(), None),
        ("golden_distinct", CountDistinctAggregateFunction(), None),
        ("golden_sum", Sum(), "bigint"),
        ("golden_spread", Spread(), "bigint"),
    ]:
        called[name] = session.register_function(name, udaf(function, result_type=result))("v")
    return rows.transform(nu.aggregate(by="k", **called))


def processes(session: nu.Session, rows: DataFrame) -> DataFrame:
    return rows.transform(nu.process(Running, key_by="k", output_type=SCHEMA))


Query = Callable[[nu.Session, DataFrame], DataFrame]
GOES_ON = [
    pytest.param(
        aggregates,
        [("a", 4, 2, 10, 3), ("c", 1, 1, 5, 0), (None, 2, 2, 10, 4)],
        id="aggregates",
    ),
    pytest.param(
        processes,
        [("a", 4, 10, 2), ("c", 1, 5, 1), (None, 2, 10, 1)],
        id="processes",
    ),
]


def by_key(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(rows, key=lambda row: str(row[0]))


@pytest.mark.parametrize(("query", "expected"), GOES_ON)
def test_a_checkpoint_of_an_earlier_version_goes_on(
    session: nu.Session,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    query: Query,
    expected: list[tuple[Any, ...]],
) -> None:
    archive = KEPT / f"{query.__name__}.tar.gz"
    if request.config.getoption("--write-golden"):
        (tmp_path / "written").mkdir()
        written = Stream(session.spark, tmp_path / "written", "k string, v bigint").put(*FIRST)
        written.run(query(session, written.rows))
        KEPT.mkdir(exist_ok=True)
        with tarfile.open(archive, "w:gz") as packed:
            packed.add(written.checkpoint, "checkpoint")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put(*FIRST, LATER)
    here(tmp_path)
    assert session.state(stream.checkpoint).batches[-1] == 1
    (found,) = stream.run(query(session, stream.rows))
    assert by_key(found) == by_key(expected)


def here(folder: Path) -> None:
    """Has the checkpoint, in which paths are absolute, say that it stands here."""
    log = (folder / "checkpoint" / "sources" / "0" / "0").read_text("utf-8")
    (written,) = set(re.findall(r"file://(/[^\"]*)/source/", log))
    for file in [path for path in folder.glob("checkpoint/**/*") if path.is_file()]:
        content = file.read_bytes()
        if written.encode() in content:
            file.write_bytes(content.replace(written.encode(), str(folder).encode()))
            file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
