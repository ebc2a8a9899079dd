"""``session.add_requirements``, ``add_python_file``, ``add_archive``: what functions may import.

The kernel's pip installs requirements into a folder named by a hash of them.
``worker.runtime.dependencies`` has how a worker finds them and notices a changed file.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import DeclarationError, SessionError
from notebook_udf.kernel.environment import Environment
from notebook_udf.kernel.sent_dependencies import DependencySender
from notebook_udf.launch.cache_folder import cache_folder
from notebook_udf.render.display import Block, Displayed, Paragraph
from notebook_udf.render.tables import Table
from notebook_udf.sanitize import without_secrets
from notebook_udf.worker.runtime.archives import is_archive, unpacked
from notebook_udf.worker.runtime.dependencies import (
    DEPENDENCIES_CONF,
    Dependency,
    Imports,
    to_text,
)

if TYPE_CHECKING:
    from notebook_udf.host.changes import Changes
    from notebook_udf.host.host import Host

_HEADERS = ("dependency", "kind", "from")
# Workers load these before they get a query; two versions of one cannot be loaded together.
_LOADED = ("numpy", "pandas", "protobuf", "psutil", "pyarrow", "pyspark", "pyzmq")
_SAY_AFTER_SECONDS = 1.0
_TAIL_LINES = 12


class Dependencies(Displayed, Sequence[Dependency]):
    """The dependencies added to a session, in import order. Displays as a table."""

    def __init__(self, items: Sequence[Dependency] = ()) -> None:
        self._items = tuple(items)

    def __getitem__(self, index: Any) -> Any:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Dependency]:
        return iter(self._items)

    def _blocks(self) -> list[Block]:
        rows = [(each.name, each.kind, each.source or each.folder) for each in self]
        return [Table(_HEADERS, rows) if rows else Paragraph("no dependencies were added")]


class WithDependencies:
    """The part of a session for its functions' dependencies."""

    host: Host
    changes: Changes
    folder: Path
    _dependencies: tuple[Dependency, ...] = ()
    _imports: Imports | None = None
    _sender: DependencySender | None = None
    _told = ""

    @property
    def environment(self) -> Environment:
        """The kernel's packages, and what sends them to a cluster."""
        return Environment()

    @property
    def dependencies(self) -> Dependencies:
        """The dependencies that were added."""
        return Dependencies(self._dependencies)

    def add_requirements(self, requirements: str | os.PathLike[str] | Sequence[str]) -> Dependency:
        """Installs packages for the workers, and lets the kernel find them as well.

        They are installed once for each content and version of Python, below
        ``~/.cache/notebook-udf``, and go before the kernel's own packages in workers. Those that
        every worker has loaded (numpy, pandas, pyarrow, pyspark and a few more) stay as they are:
        requirements that do not fit them are refused by pip. A ``requirements.txt`` that has
        changed is installed by the next ``session.sql``.

        Parameters
        ----------
        requirements
            A file as pip reads it, or a list such as ``["humanize>=4"]``.

        Returns
        -------
        Dependency
            What was added; ``session.dependencies`` lists all.

        Raises
        ------
        DeclarationError
            If there is no such file, or it asks for nothing.
        SessionError
            If pip cannot install them, with the end of what it says.

        Notes
        -----
        Source: PyFlink's [set_python_requirements][pyflink].
        """
        if isinstance(requirements, (str, os.PathLike)):
            path = Path(requirements).expanduser().absolute()
            if not path.is_file():
                shown = without_secrets(str(requirements))
                raise DeclarationError(
                    f"there is no file {shown}; packages are given as a list, as in "
                    f"session.add_requirements([{shown!r}])"
                )
            text, name, source = _whole_text(path), path.name, str(path)
        else:
            lines = [str(line).strip() for line in requirements]
            text, name, source = "\n".join(lines), without_secrets(", ".join(lines)), ""
        if not any(line.strip() and line.strip()[0] != "#" for line in text.splitlines()):
            raise DeclarationError(f"{name or 'the list'} asks for no package")
        folder = _installed(text, name, Path(source) if source else None)
        return self._add(Dependency(name, "requirements", source, str(folder)))

    def add_python_file(self, path: str | os.PathLike[str]) -> Dependency:
        """Lets functions import a ``.py`` file, a package's folder, a ``.zip``, ``.egg``, ``.whl``.

        It is read where it is: changes to it hold from the next query.

        Parameters
        ----------
        path
            The file or folder, on this machine.

        Returns
        -------
        Dependency
            What was added; ``session.dependencies`` lists all.

        Raises
        ------
        DeclarationError
            If there is no such file, or Python cannot import it.

        Notes
        -----
        Source: PyFlink's [add_python_file][pyflink].

        Examples
        --------
        >>> with open(f"{folder}/rounding.py", "w") as file:
        ...     size = file.write("STEP = 5")
        >>> added = session.add_python_file(f"{folder}/rounding.py")
        >>> added in session.dependencies
        True
        >>> session.remove_dependency(added.name)
        """
        place = _existing(path)
        if not is_archive(place):
            importable = place.suffix == ".py" if place.is_file() else any(place.glob("*.py"))
            if not importable:
                raise DeclarationError(
                    f"{place} is no .py file, folder of a package, .zip, .egg or .whl"
                )
            if not place.stem.isidentifier():
                raise DeclarationError(f"{place.name} cannot be imported: rename it")
            if place.stem in sys.stdlib_module_names or place.stem in (*_LOADED, "notebook_udf"):
                raise DeclarationError(
                    f"{place.name} would stand in the way of the module {place.stem}: rename it"
                )
        return self._add(Dependency(place.name, "python file", str(place), str(self._unpacked)))

    def add_archive(self, path: str | os.PathLike[str]) -> Dependency:
        """Unpacks a ``.zip`` or ``.tar.gz`` (or takes a folder) for the workers.

        Modules at its top can be imported; data is found beside them, by ``__file__``. A changed
        archive holds for the next query.

        Parameters
        ----------
        path
            The archive or folder, on this machine.

        Returns
        -------
        Dependency
            What was added; ``session.dependencies`` lists all.

        Raises
        ------
        DeclarationError
            If there is no such file, or it is no archive.
        SessionError
            If it cannot be unpacked.

        Notes
        -----
        Source: PyFlink's [add_python_archive][pyflink].

        Examples
        --------
        >>> import shutil
        >>> os.mkdir(f"{folder}/data")
        >>> with open(f"{folder}/data/steps.txt", "w") as file:
        ...     size = file.write("5")
        >>> path = shutil.make_archive(f"{folder}/steps", "zip", f"{folder}/data")
        >>> added = session.add_archive(path)
        >>> session.remove_dependency(added.name)
        """
        place = _existing(path)
        if place.is_file() and not is_archive(place):
            raise DeclarationError(f"{place} is no .zip or .tar.gz")
        return self._add(Dependency(place.name, "archive", str(place), str(self._unpacked)))

    def remove_dependency(self, name: str) -> None:
        """Removes the dependency of a name; the next query runs without it.

        Parameters
        ----------
        name
            As ``session.dependencies`` shows it.

        Raises
        ------
        DeclarationError
            If nothing has that name.

        Examples
        --------
        >>> with open(f"{folder}/doubling.py", "w") as file:
        ...     size = file.write("FACTOR = 2")
        >>> added = session.add_python_file(f"{folder}/doubling.py")
        >>> session.remove_dependency("doubling.py")
        """
        name = without_secrets(name)
        kept = tuple(each for each in self._dependencies if each.name != name)
        if len(kept) == len(self._dependencies):
            known = ", ".join(repr(each.name) for each in self._dependencies) or "none"
            raise DeclarationError(f"no dependency {name!r} was added; there are: {known}")
        self._send(kept)

    def refresh_dependencies(self) -> None:
        """Installs requirements again whose file has changed; sends what has to a cluster."""
        for each in self._dependencies:
            if each.kind == "requirements" and each.source and Path(each.source).is_file():
                text = _whole_text(Path(each.source))
                if Path(each.folder).name != _key(text):
                    self.add_requirements(each.source)
        if self._sender is not None:
            self._tell_workers()

    @property
    def _unpacked(self) -> Path:
        return self.folder / "unpacked"

    def _add(self, dependency: Dependency) -> Dependency:
        if dependency.kind != "requirements" and not dependency.is_module:
            # An archive that cannot be unpacked raises here, and not in the next query.
            unpacked(Path(dependency.source), Path(dependency.folder))
        others = [each for each in self._dependencies if each.name != dependency.name]
        # The one added last goes first, being the user's latest wish.
        self._send((dependency, *others))
        return dependency

    def _send(self, dependencies: tuple[Dependency, ...]) -> None:
        text = to_text(dependencies)
        if self._imports is None:
            self._imports = Imports(first=False)
        self._imports.enter(text)
        self._dependencies = dependencies
        self._tell_workers()

    def _tell_workers(self) -> None:
        """Puts into the queries to come what workers need to find the dependencies."""
        known = self._dependencies
        if not self.host.cluster.shares_files:
            self._sender = self._sender or DependencySender(self.host.cluster, self.folder / "sent")
            known = tuple(map(self._sender.send, known))
        text = to_text(known)
        if text != self._told:
            self.changes.sql(DEPENDENCIES_CONF, text)
            self._told = text

    def forget_dependencies(self) -> None:
        """Removes the dependencies from the kernel's own import path."""
        if self._imports is not None:
            self._imports.enter("")


def _existing(path: str | os.PathLike[str]) -> Path:
    place = Path(path).expanduser().absolute()
    if not place.exists():
        raise DeclarationError(f"there is no file {place}")
    return place


def _whole_text(path: Path, seen: frozenset[Path] = frozenset()) -> str:
    """The text of a requirements file and of those it refers to."""
    text = path.read_text("utf-8")
    parts = [text]
    for match in re.finditer(r"(?m)^\s*(?:-r|-c|--requirement|--constraint)[ =]+(\S+)", text):
        other = (path.parent / match[1]).resolve()
        if other not in seen and other.is_file():
            parts.append(_whole_text(other, seen | {other}))
    return "\n".join(parts)


def _pinned() -> str:
    lines = []
    for name in _LOADED:
        try:
            lines.append(f"{name}=={importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return "\n".join(lines) + "\n"


def _key(text: str) -> str:
    """The name of the folder for the packages that a requirements text asks for."""
    wanted = [line.split(" #")[0].strip() for line in text.splitlines()]
    parts = ["\n".join(w for w in wanted if w), _pinned(), platform.machine(), sys.version]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


def _installed(text: str, name: str, file: Path | None) -> Path:
    """The folder with the packages a text asks for; they are installed if it is not there.

    ``file`` is the file of the text, if it has one: pip reads that, and what it refers to.

    Raises
    ------
    SessionError
        If pip fails; with the end of its output.
    """
    cache = cache_folder("packages")
    target = cache / _key(text)
    if target.exists():
        return target
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="building-") as scratch:
        pinned = Path(scratch) / "constraints.txt"
        pinned.write_text(_pinned(), "utf-8")
        wanted = file or Path(scratch) / "requirements.txt"
        if file is None:
            wanted.write_text(text, "utf-8")
        built = Path(scratch) / "built"
        command = [
            sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input",
            "--target", str(built), "-c", str(pinned), "-r", str(wanted),
        ]  # fmt: skip
        code, output = _run(command, name, file.parent if file else Path.cwd())
        if code:
            tail = without_secrets("\n".join(output.strip().splitlines()[-_TAIL_LINES:]))
            raise SessionError(f"pip could not install {name} (exit code {code}):\n{tail}")
        built.mkdir(exist_ok=True)
        try:
            built.rename(target)
        except OSError:
            # Another kernel was faster.
            shutil.rmtree(built, ignore_errors=True)
    return target


def _run(command: list[str], name: str, folder: Path) -> tuple[int, str]:
    """Runs pip, with a message if it takes a while; returns its exit code and its output."""
    started = time.monotonic()
    said = threading.Event()

    def say() -> None:
        said.set()
        print(f"installing {name} for the workers …", flush=True)

    timer = threading.Timer(_SAY_AFTER_SECONDS, say)
    timer.daemon = True
    timer.start()
    try:
        ran = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
        )  # fmt: skip
    finally:
        timer.cancel()
        timer.join()
    if said.is_set() and not ran.returncode:
        print(f"installed in {time.monotonic() - started:.0f} s", flush=True)
    return ran.returncode, ran.stdout
