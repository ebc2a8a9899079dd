"""Managed tables in a place of their own, which they are found in again after a restart."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from notebook_kernel import Kernel

BEGIN = "import notebook_udf as nu\nsession = nu.session(workers=1)\nspark = session.spark"
# Most start Spark several times.
pytestmark = pytest.mark.timeout(400)
LITTER = {"spark-warehouse", "metastore_db", "derby.log"}


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    """A kernel in a folder of notebooks, of a user whose data are elsewhere."""
    monkeypatch.delenv("NOTEBOOK_UDF_WAREHOUSE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "user's data"))
    notebooks = tmp_path / "my notebooks"
    notebooks.mkdir()
    kernel = Kernel(notebooks)
    yield kernel
    kernel.run("session.stop()")
    kernel.stop()


def run(kernel: Kernel, code: str) -> str:
    ran = kernel.run(code)
    assert ran.ok, ran.errors
    return ran.stream()


def restart(kernel: Kernel) -> None:
    """As from the menu of a notebook whose kernel does not answer."""
    kernel.restart()
    run(kernel, BEGIN)


def tables(kernel: Kernel) -> list[str]:
    code = (
        "print(*sorted(f'{t.namespace[0]}.{t.name} {t.tableType}' for d in "
        "spark.catalog.listDatabases() for t in spark.catalog.listTables(d.name)), sep='\\n')"
    )
    return run(kernel, code).splitlines()


MAKE = """\
rows = spark.range(3).selectExpr("id", "CAST(id AS STRING) AS `a b`")
rows.write.saveAsTable("saved")
rows.write.partitionBy("id").format("csv").option("header", True).saveAsTable("parted")
spark.sql("CREATE TABLE declared (i INT NOT NULL COMMENT 'it''s i', d DECIMAL(9,2)) USING orc")
spark.sql("INSERT INTO declared VALUES (1, 2.50)")
spark.sql("CREATE DATABASE apart COMMENT 'not here' WITH DBPROPERTIES ('a' = 'b''c')")
rows.writeTo("apart.Odd_1").using("json").create()
session.sql("CREATE TABLE apart.copied AS SELECT * FROM saved")
spark.sql("CREATE VIEW seen AS SELECT id FROM saved WHERE id > 0")
spark.sql("USE apart")
spark.sql("CREATE VIEW near AS SELECT id FROM copied")
spark.sql("USE default")
# Newer than the view that reads it.
spark.sql("ALTER TABLE saved SET TBLPROPERTIES ('a' = 'b')")
spark.catalog.createDatabase("gone")
spark.catalog.dropDatabase("gone")
spark.sql("CREATE TABLE going AS SELECT 1 AS x")
spark.sql("DROP TABLE going")
rows.createOrReplaceTempView("passing")
"""

KEPT = [
    "apart.copied MANAGED",
    "apart.near VIEW",
    "apart.odd_1 MANAGED",
    "default.declared MANAGED",
    "default.parted MANAGED",
    "default.saved MANAGED",
    "default.seen VIEW",
]


@pytest.mark.thorough
def test_tables_are_there_after_a_restart(kernel: Kernel, tmp_path: Path) -> None:
    run(kernel, BEGIN)
    root = Path(run(kernel, "print(session.warehouse.root)").strip())
    assert f"managed tables are kept in {root}" in run(kernel, "print(session)")
    assert (tmp_path / "user's data").resolve() in root.parents
    assert root.stat().st_mode & 0o077 == 0
    run(kernel, MAKE)
    restart(kernel)
    assert run(kernel, "print(session.notes)") == "[]\n"
    assert tables(kernel) == KEPT
    checks = """\
assert sorted(map(tuple, spark.table("saved").collect())) == [(0, "0"), (1, "1"), (2, "2")]
assert sorted(map(tuple, spark.table("parted").collect())) == [("0", 0), ("1", 1), ("2", 2)]
assert [c.name for c in spark.catalog.listColumns("parted") if c.isPartition] == ["id"]
assert spark.sql("SELECT * FROM declared").collect()[0].d.as_tuple().exponent == -2
assert spark.table("declared").schema["i"].metadata["comment"] == "it's i"
assert spark.table("apart.Odd_1").count() == 3
assert spark.sql("SELECT sum(id) FROM seen").collect() == [(3,)]
assert spark.sql("SELECT count(*) FROM apart.near").collect() == [(3,)]
assert spark.catalog.currentDatabase() == "default"
assert {d.name for d in spark.catalog.listDatabases()} == {"apart", "default"}
described = dict(map(tuple, spark.sql("DESCRIBE DATABASE EXTENDED apart").collect()))
assert described["Comment"] == "not here" and "b'c" in described["Properties"], described
# They are Spark's own: written to, written over, and removed with their rows.
spark.range(3, 5).selectExpr("id", "'x' AS `a b`").write.insertInto("saved")
assert spark.table("saved").count() == 5
spark.sql("ALTER TABLE declared ADD COLUMN later STRING")
spark.range(1).write.mode("overwrite").saveAsTable("apart.copied")
spark.sql("ALTER TABLE parted RENAME TO renamed")
spark.sql("DROP VIEW seen")
spark.catalog.dropView("apart.near")
session.sql("-- no more\\n DROP TABLE apart.Odd_1")
"""
    run(kernel, checks)
    restart(kernel)
    kept = ["apart.copied", "default.declared", "default.renamed", "default.saved"]
    assert tables(kernel) == [f"{name} MANAGED" for name in kept]
    assert run(kernel, "print(spark.table('saved').count())") == "5\n"
    assert run(kernel, "print(spark.table('declared').columns)") == "['i', 'd', 'later']\n"
    assert run(kernel, "print(spark.table('apart.copied').columns)") == "['id']\n"
    assert run(kernel, "print(spark.table('renamed').count())") == "3\n"
    # What another kernel has dropped, and what cannot be made, keep nobody from starting.
    for name in ("saved", "declared"):
        run(kernel, f"import shutil; shutil.rmtree(session.warehouse.tables / {name!r})")
    run(kernel, "(session.warehouse.catalog / 'default' / 'wrong.sql').write_text('-- VIEW\\nNO')")
    restart(kernel)
    assert tables(kernel) == ["apart.copied MANAGED", "default.renamed MANAGED"]
    (note,) = run(kernel, "print(*session.notes, sep='\\n')").splitlines()
    assert note.startswith("`default`.`wrong` could not be brought back (")
    assert run(kernel, "spark.sql('DROP DATABASE apart CASCADE'); print(1)") == "1\n"
    left = sorted(p.name for p in root.rglob("*.sql"))
    assert left == ["renamed.sql", "wrong.sql"]
    assert not LITTER & set(os.listdir(tmp_path / "my notebooks"))


def test_a_place_of_ones_own_is_kept(kernel: Kernel, tmp_path: Path) -> None:
    own = tmp_path / "mine"
    run(
        kernel,
        "import notebook_udf as nu\n"
        f"session = nu.session(workers=1, conf={{'spark.sql.warehouse.dir': {str(own)!r},\n"
        "    'spark.sql.catalogImplementation': 'hive'})\n"
        "spark = session.spark\n"
        "spark.range(3).write.format('parquet').saveAsTable('saved')",
    )
    assert run(kernel, "print(session.warehouse)") == "None\n"
    assert (own / "saved").is_dir()
    # Hive's catalog keeps its tables itself, in files of Derby's, and those are put away as well.
    assert not LITTER & set(os.listdir(tmp_path / "my notebooks"))
    assert [p.name for p in (tmp_path / "user's data").rglob("metastore_db")] == ["metastore_db"]


def test_nothing_is_kept_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("NOTEBOOK_UDF_WAREHOUSE", str(tmp_path / "a file" / "tables"))
    monkeypatch.chdir(tmp_path)
    kernel = Kernel(tmp_path)
    try:
        run(kernel, BEGIN)
        assert "managed tables end with this session" in run(kernel, "print(session)")
        run(kernel, "spark.range(3).write.saveAsTable('saved')")
        assert run(kernel, "print(spark.table('saved').count())") == "3\n"
        run(kernel, "folder = session.folder; session.stop(); assert not folder.exists()")
    finally:
        kernel.stop()
    assert not LITTER & set(os.listdir(tmp_path))


@pytest.fixture
def two_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Kernel]]:
    """Kernels in one folder of notebooks."""
    monkeypatch.setenv("NOTEBOOK_UDF_WAREHOUSE", str(tmp_path / "tables"))
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    with ExitStack() as ending:
        kernels = []
        for _ in range(2):
            kernels.append(Kernel(notebooks))
            ending.callback(kernels[-1].stop)
        yield kernels
        assert not LITTER & set(os.listdir(notebooks))


@pytest.mark.thorough
def test_kernels_of_one_folder_leave_each_other_their_tables(two_kernels: list[Kernel]) -> None:
    one, other = two_kernels
    for kernel in two_kernels:
        run(kernel, BEGIN)
    run(one, "spark.range(3).write.saveAsTable('same')")
    failed = other.run("spark.range(9).write.mode('overwrite').saveAsTable('same')")
    assert "Another kernel of this folder has made same" in str(failed.errors)
    run(other, "spark.range(4).write.saveAsTable('others'); spark.sql('DROP TABLE IF EXISTS same')")
    assert run(one, "print(spark.table('same').count())") == "3\n"
    run(one, "session.stop()")
    restart(other)
    assert tables(other) == ["default.others MANAGED", "default.same MANAGED"]
    assert run(other, "print(spark.table('same').count())") == "3\n"


@pytest.mark.thorough
def test_kernels_of_one_folder_with_hives_catalog(two_kernels: list[Kernel]) -> None:
    begin = BEGIN.replace(
        "workers=1", "workers=1, conf={'spark.sql.catalogImplementation': 'hive'}"
    )
    for rows, kernel in enumerate(two_kernels, 3):
        run(kernel, begin)
        run(kernel, f"spark.range({rows}).write.saveAsTable('same')")
    one, other = two_kernels
    assert run(one, "print(session.notes)") == "[]\n"
    assert "another kernel of this folder has its Hive catalog" in run(other, "print(session)")
    # Derby lets one process in, and the one that was killed has not left for long.
    one.restart()
    run(one, begin)
    for rows, kernel in enumerate(two_kernels, 3):
        assert run(kernel, "print(spark.table('same').count())") == f"{rows}\n"
