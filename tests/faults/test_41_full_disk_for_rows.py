"""The disk is full to which Spark moves rows: the error names it, and the session goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts import script, told

BODY = """
session = nu.session(workers=2, conf={"spark.local.dir": "FOLDER"})
same = udf(lambda i: i, input_types=["bigint"], result_type="bigint", compile=False)
session.register_function("same", same)
large = session.sql(
    "SELECT same(id) AS i, concat(uuid(), uuid(), uuid()) AS u FROM range(0, 1500000, 1, 4) "
    "ORDER BY u"
)
try:
    large.write.format("noop").mode("overwrite").save()
except nu.SessionError as error:
    tell(said=str(error))
tell(small=[row.i for row in session.sql("SELECT same(id) AS i FROM range(3)").collect()])
del large
deadline = time.monotonic() + 60
while True:
    # Spark removes what nobody can ask for any more when Java has collected what led to it.
    session.spark._jvm.System.gc()
    try:
        rows = session.sql("SELECT same(id) % 2 AS k, count(*) AS n FROM range(10) GROUP BY 1")
        tell(grouped=sorted((row.k, row.n) for row in rows.collect()))
        break
    except nu.SessionError:
        if time.monotonic() > deadline:
            raise
session.stop()
"""


@pytest.mark.timeout(150)
def test_the_error_names_it_and_the_session_goes_on(small_disk: Path) -> None:
    with script(BODY.replace("FOLDER", str(small_disk))) as process:
        said = told(process)["said"]
        assert said.startswith("there was no room on a disk that Spark writes to")
        assert f"on the disk of {small_disk}" in said.partition(",")[0]
        assert len(said.splitlines()) == 1
        assert told(process) == {"small": [0, 1, 2]}
        assert told(process) == {"grouped": [[0, 5], [1, 5]]}
        assert process.wait(60) == 0
