"""Unpacks archives that functions import from: whole or not at all, and within bounds."""

from __future__ import annotations

import hashlib
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path

from notebook_udf.errors import SessionError
from notebook_udf.render.format import size

# Bounds of what is taken for an archive of code and data and not for a bomb: its files, and how
# many times its own size its content may have once that is large.
_MOST_FILES = 200_000
_MOST_RATIO = 300
_LARGE = 1 << 30

_ERRORS = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError, ValueError,
    # Of ``zipfile``: a password, a compression that it lacks.
    RuntimeError, NotImplementedError,
)  # fmt: skip


def is_archive(path: Path) -> bool:
    """Whether a file is an archive that is to be unpacked."""
    name = path.name.lower()
    return name.endswith((".zip", ".whl", ".egg", ".jar", ".tar", ".tar.gz", ".tgz"))


def unpacked(path: Path, folder: Path) -> Path:
    """The folder below ``folder`` with the content of an archive; unpacked once.

    Raises
    ------
    SessionError
        If it is no archive, is damaged or encrypted, holds paths that lead out of it or things
        that are no files, is a bomb, or the disk has no room for it.
    """
    if path.is_dir():
        return path
    if not path.is_file():
        raise SessionError(f"{path} is no file")
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:20]
    target = folder / digest
    if target.exists():
        return target
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=folder))
    try:
        if ".tar" in path.name.lower() or path.name.lower().endswith(".tgz"):
            _untar(path, scratch)
        else:
            _unzip(path, scratch)
        # Whole, or not there: other workers look for it as well.
        if not target.exists():
            scratch.rename(target)
    except SessionError:
        raise
    except _ERRORS as error:
        if not target.exists():
            raise SessionError(f"{path} cannot be unpacked: {error}") from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target


def _unzip(path: Path, folder: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        held = archive.infolist()
        total = sum(each.file_size for each in held)
        _check_bomb(path, len(held), total)
        _check_room(path, folder, total)
        archive.extractall(folder)


def _untar(path: Path, folder: Path) -> None:
    with tarfile.open(path) as archive:
        files = total = 0
        # The headers only. A bomb shows before it has been read to its end.
        for each in archive:
            files, total = files + 1, total + each.size
            _check_bomb(path, files, total)
        _check_room(path, folder, total)
        archive.extractall(folder, filter="data")


def _check_room(path: Path, folder: Path, total: int) -> None:
    free = shutil.disk_usage(folder).free
    if total > free:
        raise SessionError(
            f"there is no room for {path} in {folder}: it needs {size(total)}, and {size(free)} "
            f"are free; {size(total - free)} are missing"
        )


def _check_bomb(path: Path, files: int, total: int) -> None:
    if files > _MOST_FILES:
        raise SessionError(
            f"{path} holds more than {_MOST_FILES:,} files: give their folder instead"
        )
    if total > max(_LARGE, path.stat().st_size * _MOST_RATIO):
        raise SessionError(
            f"{path} would become more than {_MOST_RATIO} times its size, {size(total)}: give what "
            "it holds as a folder if that is meant"
        )
