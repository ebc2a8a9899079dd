"""Where quarantined rows are stored: a folder of any file system that Arrow reads and writes.

Workers write to it, each attempt at a task its own files, and the kernel reads what counts. There
is a folder for each version of a function.
"""

from __future__ import annotations

import contextlib
import os
import re
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import fs

# Set in a worker's environment: the place, where it is not the session's folder.
QUARANTINE_VARIABLE = "NOTEBOOK_UDF_QUARANTINE"


class QuarantineStore:
    """A place by its address, ``s3://…``, ``hdfs://…``, ``file:///…``, or a path of this machine.

    Every method raises OSError if the file system cannot be reached. The kernel makes its folder.

    Attributes
    ----------
    place
        The address.
    """

    def __init__(self, place: str) -> None:
        self.place = place.rstrip("/")

    @cached_property
    def _found(self) -> tuple[fs.FileSystem, str]:
        from pyarrow import fs

        if "://" not in self.place:
            return fs.LocalFileSystem(), self.place
        try:
            # As Spark and Arrow call the same thing.
            address = re.sub(r"^s3[an]://", "s3://", self.place)
            files, root = fs.FileSystem.from_uri(address)
        except ValueError as error:
            raise OSError(f"{self.place} is no place to write to: {error}") from error
        return files, root

    @property
    def _files(self) -> fs.FileSystem:
        return self._found[0]

    @property
    def _root(self) -> str:
        return self._found[1]

    @staticmethod
    def folder_of(function: str, version: int) -> str:
        """The folder of one version of a function."""
        return f"{function.lower().encode().hex()}/{version}"

    def versions(self, function: str) -> list[int]:
        """The versions of a function that have a folder."""
        parent = self.folder_of(function, 0).partition("/")[0]
        return sorted(int(name) for name in self.names(parent) if name.isdecimal())

    def write(self, folder: str, name: str, table: pa.Table) -> None:
        """Stores rows, which are there as a whole or not at all."""
        import pyarrow.parquet as pq

        if not self._is_there:
            # A folder made here would be found by nobody, and neither would the rows.
            raise FileNotFoundError(f"there is no folder {self._root}")
        self.prepare(folder)
        hidden = f"{self._root}/{folder}/.{name}.{os.getpid()}"
        try:
            pq.write_table(table, hidden, filesystem=self._files)
            self._files.move(hidden, f"{self._root}/{folder}/{name}")
        except OSError:
            # On a full disk the part of it that was written is in everybody's way.
            with contextlib.suppress(OSError):
                self._files.delete_file(hidden)
            raise

    @property
    def _is_there(self) -> bool:
        """Whether its folder has been made, on a file system that may be this machine's alone."""
        return self._files.type_name != "local" or os.path.isdir(self._root)

    def prepare(self, folder: str = "") -> None:
        """Makes a folder in it, if it is not there."""
        self._files.create_dir(f"{self._root}/{folder}".rstrip("/"), recursive=True)

    def remove(self) -> None:
        """Removes it with all it holds."""
        self._files.delete_dir(self._root)

    def touch(self, folder: str, name: str) -> None:
        """Leaves an empty file."""
        self._files.open_output_stream(f"{self._root}/{folder}/{name}").close()

    def names(self, folder: str) -> list[str]:
        """The files of a folder, those that Spark passes over included; none if it is not there."""
        from pyarrow import fs

        selector = fs.FileSelector(f"{self._root}/{folder}", allow_not_found=True)
        return sorted(each.base_name for each in self._files.get_file_info(selector))

    def path(self, *names: str) -> str:
        """Where Spark finds a folder in it, or a file of that."""
        return "/".join((self.place, *names))
