"""Dependencies of functions: imported in the workers, reloaded when they have changed.

A worker is told with each task which dependencies belong to its query. Where these, or a file of
them, differ from what the worker has loaded, everything it loaded of dependencies is forgotten and
imported again. ``kernel.requirements`` installs and adds them.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Literal

from pyspark import SparkFiles

from notebook_udf.errors import SessionError
from notebook_udf.worker.runtime.archives import is_archive, unpacked

# How a task learns of them: a SQL conf, which travels with every query.
DEPENDENCIES_CONF = "spark.notebookUdf.dependencies"

Kind = Literal["requirements", "python file", "archive"]


@dataclass(frozen=True)
class Dependency:
    """Something that functions may import besides the packages of the kernel.

    Attributes
    ----------
    name
        What it is called in the session: the file's name, or the requirements as they were given.
    kind
        ``requirements``, ``python file`` or ``archive``.
    source
        The file or folder that was added; "" for requirements that were given as a list.
    folder
        Where requirements are installed, or where archives are unpacked, a folder for each content.
    sent
        The name of the archive in which Spark has sent its content to another machine; "" where
        workers read it where it is.
    """

    name: str
    kind: Kind
    source: str
    folder: str
    sent: str = ""

    @property
    def is_module(self) -> bool:
        """Whether it is imported from the folder it is in."""
        return not self.sent and self.kind == "python file" and not is_archive(Path(self.source))

    def signature(self) -> object:
        """A text that changes when the dependency does.

        Raises
        ------
        SessionError
            If the file is gone.
        """
        if self.sent or self.kind == "requirements":
            # Both are named for what is in them.
            return self.sent or self.folder
        path = Path(self.source)
        if not path.exists():
            raise SessionError(
                f"{self.source} is gone, which was added to the session: put it back, or take it "
                f"out with session.remove_dependency({self.name!r})"
            )
        files = [path] if path.is_file() else sorted(path.rglob("*.py"))
        return [(str(file), *_state(file)) for file in files]

    def place(self) -> str:
        """The folder to import it from; an archive with new content is unpacked."""
        if self.sent:
            here = Path(SparkFiles.getRootDirectory()).absolute()
            return str(unpacked(here / self.sent, here / "notebook-udf"))
        if self.kind == "requirements":
            return self.folder
        return str(unpacked(Path(self.source), Path(self.folder)))


def to_text(dependencies: Iterable[Dependency]) -> str:
    """Dependencies in the form of ``DEPENDENCIES_CONF``."""
    return json.dumps([asdict(each) for each in dependencies])


def from_text(text: str) -> list[Dependency]:
    """The reverse of ``to_text``; nothing for an empty text."""
    return [Dependency(**each) for each in json.loads(text or "[]")]


class Imports(importlib.abc.MetaPathFinder):
    """Makes the dependencies of the current query importable in this process.

    Parameters
    ----------
    first
        Whether they go before what is installed, as in workers, where a query's own version counts.
    """

    def __init__(self, *, first: bool) -> None:
        self._first = first
        self._text = ""
        self._dependencies: list[Dependency] = []
        self._signatures: list[object] = []
        self._modules: dict[str, Path] = {}
        self._folders: list[str] = []

    def enter(self, text: str) -> None:
        """Makes the dependencies of ``text`` importable, in their current versions.

        Raises
        ------
        SessionError
            If one of them is gone.
        """
        if not text and not self._dependencies:
            return
        dependencies = from_text(text) if text != self._text else self._dependencies
        signatures = [each.signature() for each in dependencies]
        if text == self._text and signatures == self._signatures:
            return
        self._forget()
        self._modules = {
            Path(each.source).stem: Path(each.source) for each in dependencies if each.is_module
        }
        self._folders = [each.place() for each in dependencies if not each.is_module]
        if self._first:
            sys.path[:0] = self._folders
        else:
            sys.path.extend(self._folders)
        if self._modules:
            sys.meta_path.insert(0 if self._first else len(sys.meta_path), self)
        importlib.invalidate_caches()
        if self._first:
            # What was found elsewhere before it was added, or came with the daemon's folder.
            self._forget_modules(set(self._modules))
        self._text, self._dependencies, self._signatures = text, dependencies, signatures

    def _forget(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for folder in self._folders:
            if folder in sys.path:
                sys.path.remove(folder)
        if not self._first:
            # Functions in the kernel hold what they have imported, and name it to the workers.
            return
        names = set(self._modules)
        roots = tuple(folder + os.sep for folder in self._folders)
        for name, module in list(sys.modules.items()):
            if roots and (getattr(module, "__file__", None) or "").startswith(roots):
                names.add(name.partition(".")[0])
        self._forget_modules(names)

    @staticmethod
    def _forget_modules(names: set[str]) -> None:
        for name in list(sys.modules):
            if name.partition(".")[0] in names:
                del sys.modules[name]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module of an added file or package; None for all others."""
        source = self._modules.get(fullname.partition(".")[0])
        if source is None:
            return None
        if "." not in fullname:
            path = [str(source.parent)]
        found = importlib.machinery.PathFinder.find_spec(fullname, path)
        if found is not None and type(found.loader) is importlib.machinery.SourceFileLoader:
            found.loader = _Uncached(fullname, found.loader.path)
            found.cached = None
        return found


class _Uncached(importlib.machinery.SourceFileLoader):
    """A loader that compiles from source: the cache tells versions apart by whole seconds only."""

    def path_stats(self, path: str) -> dict[str, float]:
        raise OSError("no bytecode")


def _state(file: Path) -> tuple[int, int, int]:
    stat = file.stat()
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
