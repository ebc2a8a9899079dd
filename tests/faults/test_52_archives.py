"""Archives that are damaged, locked or bombs are refused, and leave nothing."""

from __future__ import annotations

import io
import os
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import notebook_udf as nu

pytestmark = pytest.mark.timeout(60)


def encrypted(path: Path) -> None:
    plain(path)
    data = bytearray(path.read_bytes())
    # The first bit of the flags, in both of its headers, says that a file has a password.
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(signature) + offset
        data[at] |= 1
    path.write_bytes(data)


def plain(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.py", "A = 1\n" * 1000)


def truncated_zip(path: Path) -> None:
    plain(path)
    path.write_bytes(path.read_bytes()[:200])


def tar(path: Path, *members: tarfile.TarInfo) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(os.urandom(member.size)))


def member(name: str, **facts: object) -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    for fact, value in facts.items():
        setattr(found, fact, value)
    return found


def truncated_tar(path: Path) -> None:
    tar(path, member("a.bin", size=100_000))
    path.write_bytes(path.read_bytes()[:50_000])


def bomb(path: Path) -> None:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("zeros", "w") as file,
    ):
        for _ in range(1100):
            file.write(bytes(1 << 20))


def crowd(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(200_001):
            archive.writestr(f"{number}", b"")


def claims(path: Path) -> None:
    """A file that says that it is larger than any disk."""
    tar(path, member("a.py", size=10))
    header = member("huge", size=1 << 50).tobuf(tarfile.PAX_FORMAT)
    with tarfile.open(path, "w") as archive:
        assert archive.fileobj is not None
        archive.fileobj.write(header)


CASES: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "encrypted": ("a.zip", encrypted, "password required"),
    "truncated zip": ("a.zip", truncated_zip, "not a zip file"),
    "truncated tar": ("a.tar.gz", truncated_tar, "ended before|unexpected end"),
    "garbage": ("a.tar.gz", lambda path: path.write_bytes(struct.pack("<Q", 7)) and None, "not a"),
    "FIFO inside": (
        "a.tar.gz",
        lambda path: tar(path, member("f", type=tarfile.FIFOTYPE)),
        "special",
    ),
    "device inside": (
        "a.tar.gz",
        lambda path: tar(path, member("d", type=tarfile.CHRTYPE)),
        "special",
    ),
    "leads out": ("a.tar.gz", lambda path: tar(path, member("../../out", size=1)), "outside"),
    "link out": (
        "a.tar.gz",
        lambda path: tar(path, member("l", type=tarfile.SYMTYPE, linkname="/etc/passwd")),
        "absolute path",
    ),
    "bomb": ("a.zip", bomb, "300 times its size"),
    "crowd": ("a.zip", crowd, "more than 200,000 files"),
    "larger than any disk": ("a.tar", claims, "times its size|no room"),
    "FIFO": ("a.zip", lambda path: os.mkfifo(path), "is no"),
}


@pytest.mark.parametrize(("name", "make", "said"), CASES.values(), ids=CASES)
def test_an_archive_is_refused_and_leaves_nothing(
    session: nu.Session, tmp_path: Path, name: str, make: Callable[[Path], None], said: str
) -> None:
    path = tmp_path / name
    make(path)
    scratch = session.folder / "unpacked"
    before = sorted(scratch.rglob("*")) if scratch.exists() else []
    with pytest.raises((nu.SessionError, nu.DeclarationError), match=said) as caught:
        session.add_archive(path)
    assert str(path) in str(caught.value)
    assert (sorted(scratch.rglob("*")) if scratch.exists() else []) == before
    assert list(session.dependencies) == []
    assert not (tmp_path.parent / "out").exists()
    # The session goes on, with one that is in order.
    plain(good := tmp_path / "good.zip")
    session.add_archive(good)
    session.remove_dependency("good.zip")
