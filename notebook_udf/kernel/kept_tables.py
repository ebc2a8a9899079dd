"""Managed tables that outlive the kernel: their definitions are saved, and restored at the start.

Spark's own catalog ends with its JVM. The rows stay in the warehouse, where without a catalog they
could be neither read nor overwritten. So after each statement that may have changed a table, view
or database, the statement that creates it (by SHOW CREATE TABLE) is saved in a file, and a session
that starts with the same warehouse runs these statements.

Hive's catalog keeps its tables itself, and is left alone.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.catalog import Catalog
from pyspark.sql.readwriter import DataFrameWriter, DataFrameWriterV2
from pyspark.sql.streaming import DataStreamWriter

from notebook_udf.host.call_failures import CALL_FAILURES
from notebook_udf.host.catalog import (
    DEFAULT_DATABASE,
    MANAGED,
    VIEW,
    KeptTable,
    TableCatalog,
)
from notebook_udf.host.host import Host
from notebook_udf.kernel.hooks import Replacing
from notebook_udf.launch.warehouse import CATALOG_CONF, Warehouse
from notebook_udf.sanitize import first_line, sql_string

_log = logging.getLogger(__name__)

_TAKEN = "LOCATION_ALREADY_EXISTS"
# How a statement begins that may change the catalog, a script included. Temporary views are no part
# of it, and made too often to go through all tables each time.
_CHANGES = re.compile(
    r"(?is)(\s|--[^\n]*(\n|\Z)|/\*.*?\*/)*"
    r"(CREATE|DROP|ALTER|REPLACE|COMMENT|MSCK|REPAIR|BEGIN|DECLARE|EXECUTE)\b"
    r"(?!(\s+OR\s+REPLACE)?(\s+GLOBAL)?\s+TEMP(ORARY)?\s)"
)
# PySpark's methods that may change the catalog.
_METHODS: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (SparkSession, ("sql",)),
    (DataFrameWriter, ("saveAsTable",)),
    (DataFrameWriterV2, ("create", "createOrReplace", "replace")),
    (DataStreamWriter, ("toTable",)),
    (Catalog, ("createTable", "dropTable", "dropView", "createDatabase", "dropDatabase")),
)
_ENDING = ".sql"


class KeptTables(Replacing):
    """A hook that saves the definitions of a warehouse's tables while it is installed.

    Parameters
    ----------
    spark
        The session's Spark, started with that warehouse.
    tables
        Its catalog.
    say
        Called with a text about each table that could not be restored.
    """

    def __init__(
        self,
        spark: SparkSession,
        tables: TableCatalog,
        warehouse: Warehouse,
        say: Callable[[str], object],
    ) -> None:
        super().__init__()
        self._spark = spark
        self._tables = tables
        self._folder = warehouse.catalog
        self._known: dict[tuple[str, str], KeptTable] = {}
        self._say = say

    def install(self) -> None:
        """Restores the tables, and saves their changes from now on."""
        self._restore()
        for kind, names in _METHODS:
            for name in names:
                original = getattr(kind, name)
                kept = self._keeping(original, statements=kind is SparkSession)
                self._replace(kind, name, kept)

    def _keeping(self, original: Any, *, statements: bool) -> Any:
        @functools.wraps(original)
        def method(first: Any, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            try:
                result = original(first, *args, **kwargs)
            except PySparkException as error:
                self._add_note(error)
                raise
            text = args[0] if args else kwargs.get("sqlQuery")
            if not statements or (isinstance(text, str) and _CHANGES.match(text)):
                self.save()
            return result

        return method

    def _add_note(self, error: PySparkException) -> None:
        """Adds to an error whose rows are where a table was to be created."""
        if error.getCondition() != _TAKEN:
            return
        said = error.getMessageParameters() or {}
        names = [part.strip("`") for part in said.get("identifier", "").split(".")]
        if len(names) > 1 and self._path(*names[-2:]).exists():
            error.add_note(
                f"Another kernel of this folder has made {names[-1]}: use another name, or restart "
                "this kernel to work on the same table."
            )
        else:
            error.add_note("A statement that did not end, or a table of another catalog, left it.")

    # Keeping ---------------------------------------------------------------------------------

    def save(self) -> None:
        """Saves changed definitions, and removes those of dropped tables.

        Errors are logged only: the statement itself has been carried out.
        """
        try:
            now = {(e.database, e.name): e for e in self._tables.entries()}
        except CALL_FAILURES:
            _log.warning("tables made now may be unknown after a restart", exc_info=True)
            return
        for place in self._known.keys() - now.keys():
            path = self._path(*place)
            path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                path.parent.rmdir()
        for place, entry in now.items():
            if self._known.get(place) == entry:
                continue
            try:
                self._write(entry)
            except (PySparkException, *CALL_FAILURES, OSError):
                _log.warning("%s may be unknown after a restart", entry.sql, exc_info=True)
        self._known = now

    def _write(self, entry: KeptTable) -> None:
        if entry.name:
            made = self._spark.sql(f"SHOW CREATE TABLE {entry.sql}").collect()[0][0]
        else:
            made = f"CREATE DATABASE IF NOT EXISTS {entry.sql} {entry.state}"
        path = self._path(entry.database, entry.name)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = path.with_name(f"{path.name}.{os.getpid()}")
        beside.write_text(f"-- {entry.kind} {entry.within}\n{made}\n", encoding="utf-8")
        beside.replace(path)

    def _path(self, database: str, name: str) -> Path:
        # Spark's names are words of letters, digits and _; no table is called "".
        return self._folder / database / f"{name}{_ENDING}"

    # Restoring -------------------------------------------------------------------------------

    def _restore(self) -> None:
        paths = [p for p in self._folder.glob(f"*/*{_ENDING}") if p.is_file()]
        # Databases before what is in them. A view waits until what it reads is there.
        waiting = sorted(paths, key=lambda path: path.name != _ENDING)
        failed: dict[Path, Exception] = {}
        while waiting:
            failed = {}
            for path in waiting:
                try:
                    self._make(path)
                except (PySparkException, *CALL_FAILURES, OSError, UnicodeError) as error:
                    failed[path] = error
            waiting = list(failed) if len(failed) < len(waiting) else []
        for path, reason in failed.items():
            self._say(
                f"{_entry(path).sql} could not be brought back ({first_line(reason)}); the "
                f"statement that makes it is in {path}"
            )
        if paths:
            self._known = {(e.database, e.name): e for e in self._tables.entries()}

    def _make(self, path: Path) -> None:
        entry = _entry(path)
        head, _, statement = path.read_text("utf-8").partition("\n")
        kind, _, within = head.removeprefix("-- ").partition(" ")
        if kind == MANAGED:
            rows = self._tables.location(entry)
            if not rows.path.exists():
                # Dropped by another kernel, or removed by hand.
                path.unlink()
                return
            # Spark creates no managed table where there are rows already.
            statement = f"{statement.rstrip()}\nLOCATION {sql_string(rows.text)}"
        with self._working_in(within or DEFAULT_DATABASE):
            self._spark.sql(statement)
        if kind and kind != VIEW:
            self._find_partitions(entry)
        if kind == MANAGED:
            self._tables.manage(entry)

    @contextlib.contextmanager
    def _working_in(self, database: str) -> Iterator[None]:
        before = self._spark.catalog.currentDatabase()
        self._spark.catalog.setCurrentDatabase(database)
        try:
            yield
        finally:
            self._spark.catalog.setCurrentDatabase(before)

    def _find_partitions(self, entry: KeptTable) -> None:
        """Has Spark find partitions if its catalog tracks them: else the table has no rows."""
        if self._tables.tracks_partitions(entry):
            self._spark.catalog.recoverPartitions(entry.sql)


def kept_tables(
    host: Host, warehouse: Warehouse | None, say: Callable[[str], object]
) -> list[KeptTables]:
    """The hook that keeps a session's tables; none where it has no warehouse, or Spark's catalog
    keeps them."""
    if warehouse is None or host.spark.conf.get(CATALOG_CONF) != "in-memory":
        return []
    tables = host.catalog.tables
    return [] if tables is None else [KeptTables(host.spark, tables, warehouse, say)]


def _entry(path: Path) -> KeptTable:
    """The table, view or database that a file of saved statements is for."""
    return KeptTable(path.parent.name, path.name.removesuffix(_ENDING))
