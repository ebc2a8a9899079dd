"""Rows set aside are there once, or the query fails: wherever workers run."""

from __future__ import annotations

from pathlib import Path

import pytest

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.kernel.quarantine_folder import beside, given_folder
from notebook_udf.telemetry.wire import CHANNEL_VARIABLE
from tests.cluster import cluster
from tests.scripts import script, told


def test_rows_that_cannot_be_kept_fail_the_query(session: nu.Session) -> None:
    def unkept(i: int) -> int:
        return 10 // i

    environment = session.spark.sparkContext.environment
    folder = environment[CHANNEL_VARIABLE]
    # What a worker on another machine sees.
    environment[CHANNEL_VARIABLE] = "/nowhere/to/be/seen"
    try:
        session.register_function("unkept", udf(unkept, on_error="quarantine"))
        frame = session.sql("SELECT unkept(id) FROM range(-1, 2, 1, 1)")
        with pytest.raises(nu.UserFunctionError) as raised:
            frame.collect()
        whole = session.sql("SELECT unkept(id) AS x FROM range(1, 3, 1, 1)").collect()
    finally:
        environment[CHANNEL_VARIABLE] = folder
    text = str(raised.value)
    assert "1 row on which unkept raised cannot be kept for session.errors('unkept')" in text
    assert 'on_error="null"' in text
    assert "division" in text
    assert [row.x for row in whole] == [10, 5]


def test_rows_before_a_limit_ended_the_query(session: nu.Session) -> None:
    def early(i: int) -> int:
        return 10 // i

    session.register_function("early", udf(early, on_error="quarantine"))
    rows = session.sql("SELECT early(id) AS x FROM range(0, 1000000, 1, 1) LIMIT 2").collect()
    assert [row.x for row in rows] == [None, 10]
    assert [row.i for row in session.errors("early").collect()] == [0]


def test_a_place_that_cannot_be_written_to_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file" / "below", "nothing://of/the/kind", "file://"):
        with pytest.raises(nu.DeclarationError, match=r"quarantine_path=.* cannot be written to"):
            given_folder(place)


ON_OTHER_MACHINES = """
def picky(i: int) -> int:
    return 10 // i
for warehouse in ("SHARED", "HIDDEN"):
    session = nu.session(master="URL", conf={"spark.sql.warehouse.dir": warehouse})
    session.register_function("picky", udf(picky, on_error="quarantine"))
    try:
        rows = session.sql("SELECT picky(id) AS x FROM range(-1, 2, 1, 2)").collect()
        kept = [row.i for row in session.errors("picky").collect()]
        tell(rows=[row.x for row in rows], kept=kept)
    except nu.UserFunctionError as error:
        tell(refused=str(error))
    session.stop()
"""


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_a_cluster_keeps_them_beside_its_warehouse(tmp_path: Path) -> None:
    shared, hidden = (tmp_path / name / "tables" for name in ("shared", "hidden"))
    shared.mkdir(parents=True)
    hidden.mkdir(parents=True)
    body = ON_OTHER_MACHINES.replace("SHARED", str(shared)).replace("HIDDEN", str(hidden))
    with (
        cluster(tmp_path, hidden=[hidden.parent]) as spark,
        script(body.replace("URL", spark.url)) as process,
    ):
        assert told(process) == {"rows": [-10, None, 10], "kept": [0]}
        refused = told(process)["refused"]
        assert process.wait(60) == 0
    assert "1 row on which picky raised cannot be kept" in refused
    assert f"there is no folder {hidden.parent}/" in refused
    # They went with their sessions.
    assert list(tmp_path.glob("*/notebook-udf-quarantine/*")) == []


@pytest.mark.parametrize(
    ("warehouse", "place"),
    [
        ("s3a://bucket/tables", "s3a://bucket"),
        ("s3a://bucket/", "s3a://bucket"),
        ("hdfs://name:8020/user/hive/warehouse", "hdfs://name:8020/user/hive"),
        ("hdfs:///user/hive/warehouse/", "hdfs:///user/hive"),
        ("file:/mnt/lake/tables", "file:///mnt/lake"),
        ("/mnt/lake/tables", "file:///mnt/lake"),
        ("file:/home/someone/spark-warehouse", None),
        ("", None),
    ],
)
def test_beside_a_warehouse(warehouse: str, place: str | None) -> None:
    found = beside(warehouse)
    if place is None:
        assert found is None
    else:
        assert found is not None
        assert found.startswith(f"{place}/notebook-udf-quarantine/2")
