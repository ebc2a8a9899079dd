"""What a person knows a query by."""

from __future__ import annotations

import pytest

from notebook_udf.kernel.cell_names import cell_name
from notebook_udf.telemetry.query_names import query_name

CELLS = {
    "%%sparksql late --limit 3\n-- the worst\nSELECT carrier,\n  haul(distance)\nFROM flights": (
        "In [9]: SELECT carrier, haul(distance) FROM flights"
    ),
    'session.sql("""\n  SELECT haul(1)\n  AS x""").show()': "In [9]: SELECT haul(1) AS x",
    "rows = spark.sql(f'SELECT {n}')\nrows.collect()": "In [9]: SELECT {n}",
    "import math\n\n# What flies far.\nflights.select(haul('distance')).show(3)": (
        "In [9]: flights.select(haul('distance')).show(3)"
    ),
    "%udf bench haul flights": "In [9]: %udf bench haul flights",
    "import math": "In [9]: import math",
    "x = 1\n" * 100: "In [9]: " + "x = 1 " * 13 + "x…",
}


@pytest.mark.parametrize("code", CELLS)
def test_of_a_cell(code: str) -> None:
    assert cell_name(code, 9) == CELLS[code]
    assert cell_name(code, None) == CELLS[code].removeprefix("In [9]: ")


CALLED = {
    "collect at /home/me/jobs/nightly.py:12": "collect at nightly.py:12",
    "collect at C:\\jobs\\nightly.py:7": "collect at nightly.py:7",
    "showString at NativeMethodAccessorImpl.java:0": "show",
    "save at NativeMethodAccessorImpl.java:0": "save",
    "collect at /tmp/ipykernel_4711/2047.py:1": "collect",
    "In [9]: SELECT a at b:1 FROM t": "In [9]: SELECT a at b:1 FROM t",
    "my nightly report": "my nightly report",
    "copy<br/>id = x<br/>runId = a-b<br/>batch = 3": "copy, batch 3",
    "id = x<br/>runId = a-b<br/>batch = 0": "stream, batch 0",
    "": "",
    "a\n<b>\x1b[31m": "a⏎<b>␛[31m",
}


@pytest.mark.parametrize("description", CALLED)
def test_out_of_what_spark_calls_it(description: str) -> None:
    assert query_name(description) == CALLED[description]
