"""What the tutorials try functions on, without a session."""

from __future__ import annotations

import math
import urllib.error
import urllib.request
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from notebook_udf.samples import Arrivals, SunService
from notebook_udf.samples.sun import FAILS_EVERY, daylight


@pytest.mark.parametrize(
    ("latitude", "day", "hours"), [(0, 172, 12), (80, 172, 24), (80, 355, 0), (40.64, 172, 14.91)]
)
def test_the_sun_is_up_for_so_long(latitude: float, day: int, hours: float) -> None:
    assert math.isclose(daylight(latitude, day), hours, abs_tol=0.01)


def test_the_service_answers_and_fails_now_and_then() -> None:
    service = SunService()
    failed = []
    for day in range(1, FAILS_EVERY + 1):
        try:
            asked = f"{service.url}?latitude=0&day={day}"
            with urllib.request.urlopen(asked, timeout=5) as answer:
                assert answer.read() == b'{"hours": 12.0}'
        except urllib.error.HTTPError as error:
            failed.append((day, error.code))
            error.close()
    assert failed == [(FAILS_EVERY, 503)]
    assert service.books["requests"] == FAILS_EVERY
    assert service.books["failed"] == service.books["most at once"] == 1
    assert service.books["at once"] == service.books["refused"] == 0


def test_rows_arrive_as_files_from_the_oldest_on() -> None:
    arrivals = Arrivals(pa.table({"day": [1, 2, 2, 3], "row": [10, 20, 21, 30]}), by="day")
    arrivals.arrive(3, 1)
    arrivals.arrive(2)
    files = sorted(
        (Path(arrivals.folder) / "arriving").iterdir(), key=lambda path: path.stat().st_mtime
    )
    assert [pq.read_table(path)["row"].to_pylist() for path in files] == [[30], [10], [20, 21]]
    assert len({int(path.stat().st_mtime) for path in files}) == 3
