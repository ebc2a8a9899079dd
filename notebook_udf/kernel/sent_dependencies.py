"""Sends dependencies to executors on other machines, which cannot read them where they are."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from notebook_udf.errors import SessionError
from notebook_udf.host.cluster import SparkCluster
from notebook_udf.worker.runtime.dependencies import Dependency


class DependencySender:
    """Packs what dependencies consist of, and has Spark send it with the next queries.

    Each content is a file of its own, so that queries which run already keep theirs.

    Parameters
    ----------
    cluster
        Where executors are.
    folder
        Where the files are kept for as long as the session lives: executors that start later ask
        for them too.
    """

    def __init__(self, cluster: SparkCluster, folder: Path) -> None:
        self._cluster = cluster
        self._folder = folder
        # The file for each state of a dependency.
        self._sent: dict[tuple[Dependency, str], str] = {}

    def send(self, dependency: Dependency) -> Dependency:
        """The dependency as workers are told of it; sent now unless it has been.

        Raises
        ------
        SessionError
            If its file is gone, or cannot be packed.
        """
        try:
            state = (dependency, _state(dependency))
            if state not in self._sent:
                self._sent[state] = self._send(dict(sorted(_files(dependency))))
        except OSError as error:
            raise SessionError(
                f"{dependency.name} could not be packed for the cluster: {error}"
            ) from error
        return replace(dependency, sent=self._sent[state])

    def _send(self, files: Mapping[str, Path]) -> str:
        digest = hashlib.sha256()
        for name, file in files.items():
            digest.update(f"{name}\0{file.stat().st_size}\0".encode())
            digest.update(file.read_bytes())
        packed = self._folder / f"notebook-udf-{digest.hexdigest()[:20]}.zip"
        if packed.name in self._sent.values():
            return packed.name
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Spark would unpack a .tar.gz beside its other files, onto the path of all functions.
        with zipfile.ZipFile(
            packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False
        ) as archive:
            for name, file in files.items():
                archive.write(file, name)
        self._cluster.add_file(packed)
        return packed.name


def _state(dependency: Dependency) -> str:
    """A text that differs when what would be sent has changed; asked before each query.

    Raises
    ------
    SessionError
        If its file is gone.
    """
    told = dependency.signature()
    if dependency.kind != "requirements" and Path(dependency.source).is_dir():
        # The signature of a folder is that of its modules, and data goes along.
        told = [(name, file.stat().st_mtime_ns) for name, file in _files(dependency)]
    return repr(told)


def _files(dependency: Dependency) -> Iterator[tuple[str, Path]]:
    """Its files, by their place in a folder that is to be on the path of modules."""
    if dependency.is_module:
        top = Path(dependency.source)
        prefix = f"{top.name}/"
    else:
        top, prefix = Path(dependency.place()), ""
    if top.is_file():
        yield top.name, top
        return
    for file in top.rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            yield f"{prefix}{file.relative_to(top).as_posix()}", file
