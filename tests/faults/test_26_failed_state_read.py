"""A read of state fails once: nothing is kept of it, and the next one is answered."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from streaming import Stream, last

import notebook_udf as nu
from notebook_udf import AggregateFunction, MapView, udaf
from notebook_udf.worker.state.client import StateServer


class Counts(AggregateFunction):
    """Counts how often each value came; where a file says so, a read fails before it succeeds."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def create_accumulator(self) -> list[Any]:
        return [MapView()]

    def accumulate(self, accumulator: list[Any], value: int) -> None:
        (view,) = accumulator
        path = os.path.join(self._folder, str(value))
        if os.path.exists(path):
            os.unlink(path)
            self._failing(lambda: value in view)
        view.put(value, view.get(value) + 1 if value in view else 1)

    def _failing(self, read: Any) -> None:
        asked = StateServer.entries

        def fails(*_: Any) -> Any:
            raise OSError("the server did not answer")

        StateServer.entries = fails  # type: ignore[method-assign,assignment]
        try:
            read()
        except OSError:
            return
        finally:
            StateServer.entries = asked  # type: ignore[method-assign]
        raise AssertionError("nothing was asked for")

    def get_value(self, accumulator: list[Any]) -> int:
        return int(max(accumulator[0].values()))


@pytest.mark.timeout(120)
def test_it_is_not_kept(session: nu.Session, tmp_path: Path) -> None:
    failures = tmp_path / "failures"
    failures.mkdir()
    counts = session.register_function("counts", udaf(Counts(str(failures)), result_type="bigint"))
    stream = Stream(session.spark, tmp_path, "k string, v bigint")
    # So many that the view is read by its entries from the second batch on.
    stream.put([("large", value) for value in range(900)])
    rows = stream.rows.transform(nu.aggregate(by="k", n=counts("v")))
    assert last(stream.run(rows))["large",] == (1,)
    (failures / "500").touch()
    (failures / "901").touch()
    stream.put([("large", 500), ("large", 901)])
    assert last(stream.run(rows))["large",] == (2,)
    assert not any(failures.iterdir())
    ((kept,),) = session.state(stream.checkpoint).to_dict()["counts"].values()
    assert kept[500] == 2
    assert kept[901] == 1
    assert sum(kept.values()) == 902
