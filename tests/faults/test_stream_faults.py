"""Streams whose workers are killed: from the checkpoint on, everything counts exactly once."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from streaming import Stream, last

import notebook_udf as nu
from notebook_udf import AggregateFunction, MapView, udaf


class Mortal(AggregateFunction):
    """Counts values; where a file says so, its worker is killed, once per file."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def create_accumulator(self) -> list[Any]:
        return [0, MapView()]

    def accumulate(self, accumulator: list[Any], value: int) -> None:
        accumulator[0] += 1
        accumulator[1].put(value, 1)
        self._die("accumulate", value)

    def get_value(self, accumulator: list[Any]) -> str:
        self._die("get_value", accumulator[0])
        return f"{accumulator[0]} of {sum(1 for _ in accumulator[1])}"

    def _die(self, where: str, value: int) -> None:
        path = os.path.join(self._folder, f"{where} {value}")
        if os.path.exists(path):
            os.unlink(path)
            os.kill(os.getpid(), signal.SIGKILL)


def test_a_query_killed_and_restarted_answers_as_one_that_was_not(
    session: nu.Session, tmp_path: Path
) -> None:
    kills = tmp_path / "kills"
    kills.mkdir()
    mortal = session.register_function("mortal", udaf(Mortal(str(kills)), result_type="string"))
    stream = Stream(session.spark, tmp_path, "k string, v bigint")
    stream.put(
        [("a", 1), ("b", 2), *(("large", value) for value in range(100, 900))],
        [("a", 3), ("b", 2), *(("large", value) for value in range(500, 1300))],
        [("a", 4), ("large", 5)],
    )
    # In the first batch, between rows and results of the second, and in the last.
    for place in ("accumulate 700", "get_value 1600", "accumulate 4"):
        (kills / place).touch()
    rows = stream.rows.transform(nu.aggregate(by="k", n=mortal("v")))
    found: dict[Any, Any] = {}
    while any(kills.iterdir()):
        with pytest.raises(nu.WorkerLost):
            found |= last(stream.run(rows))
    found |= last(stream.run(rows))
    state = session.state(stream.checkpoint).to_dict()["mortal"]
    assert {key: (count, len(values)) for key, (count, values) in state.items()} == {
        "a": (3, 3), "b": (2, 1), "large": (1601, 1201),
    }  # fmt: skip
    assert found["large",] == ("1601 of 1201",)
