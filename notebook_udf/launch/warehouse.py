"""The folder for managed tables, and for what else Spark would write beside the notebooks.

There is one for each working folder, so that a notebook finds its tables again after a restart of
its kernel. ``kernel.kept_tables`` saves the definitions of the tables.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import itertools
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

VARIABLE = "NOTEBOOK_UDF_WAREHOUSE"
WAREHOUSE_CONF = "spark.sql.warehouse.dir"
# The confs by which a user may set another one: Hive's own counts for Spark as well.
WAREHOUSE_CONFS = (WAREHOUSE_CONF, "spark.hadoop.hive.metastore.warehouse.dir")
CATALOG_CONF = "spark.sql.catalogImplementation"
DERBY_PROPERTY = "derby.system.home"
METASTORE = "metastore_db"
_PRIVATE = 0o700
# How long the JVM of a killed kernel may take to end.
_GRACE_SECONDS = 10.0


@dataclass(frozen=True)
class Warehouse:
    """A folder for managed tables.

    Attributes
    ----------
    root
        The folder that holds the others.
    """

    root: Path
    _lock: int | None = field(default=None, compare=False, repr=False)

    @property
    def tables(self) -> Path:
        """Spark's warehouse: a folder for each table."""
        return self.root / "tables"

    @property
    def catalog(self) -> Path:
        """The definitions of the tables: a file with a statement for each."""
        return self.root / "catalog"

    @property
    def metastore(self) -> Path:
        """Derby's database, if Spark runs with Hive's catalog."""
        return self.root / "metastore"

    def make(self) -> None:
        """Creates the folders, for this user only.

        Raises
        ------
        OSError
            If they cannot be written.
        """
        for folder in (self.root, self.tables, self.catalog):
            folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        if not os.access(self.root, os.W_OK):
            raise PermissionError(f"{self.root} cannot be written")

    def leave(self) -> None:
        """Releases it for other kernels, and removes it if it is empty."""
        if self._lock is not None:
            os.close(self._lock)
        for folder in (self.tables, self.catalog, self.root):
            with contextlib.suppress(OSError):
                folder.rmdir()


def of_working_folder() -> Warehouse:
    """The warehouse of this process's working folder."""
    here = Path.cwd()
    mark = hashlib.sha256(os.fsencode(here)).hexdigest()[:10]
    return Warehouse(_home() / f"{here.name or 'root'}-{mark}")


def _home() -> Path:
    """The folder of all warehouses."""
    said = os.environ.get(VARIABLE)
    if said:
        return Path(said).expanduser().absolute()
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return data / "notebook-udf" / "tables"


def made(folder: Path, *, alone: bool) -> tuple[Warehouse, str]:
    """The warehouse of this working folder, and a note about it.

    Parameters
    ----------
    folder
        The session's, which holds the tables until its end if they can be kept nowhere else.
    alone
        Whether no other kernel may use it, because Derby takes one process only: each such kernel
        then has one of its own.
    """
    wanted = of_working_folder()
    try:
        if alone:
            return _alone(wanted)
        wanted.make()
    except OSError as error:
        instead = Warehouse(folder / "warehouse")
        instead.make()
        return instead, (
            f"managed tables end with this session: {wanted.root} cannot be made "
            f"({error.strerror or error}); {VARIABLE} names another place"
        )
    return wanted, ""


def _alone(wanted: Warehouse) -> tuple[Warehouse, str]:
    """The first of a working folder's warehouses that no other kernel uses."""
    for number in itertools.count(1):
        root = wanted.root.with_name(f"{wanted.root.name}-hive{'' if number == 1 else number}")
        Warehouse(root).make()
        lock = os.open(root / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        warehouse = Warehouse(root, lock)
        warehouse.metastore.mkdir(mode=_PRIVATE, exist_ok=True)
        _wait_for_derby(warehouse.metastore / METASTORE / "dbex.lck")
        return warehouse, "" if number == 1 else (
            f"another kernel of this folder has its Hive catalog: this one has its own in {root}"
        )
    raise AssertionError("there is always one more")


def _wait_for_derby(lock: Path) -> None:
    """Waits until the JVM of a killed kernel has released its database."""
    deadline = time.monotonic() + _GRACE_SECONDS
    while lock.exists() and time.monotonic() < deadline:
        with open(lock, "r+b") as file:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                time.sleep(0.1)
            else:
                return
