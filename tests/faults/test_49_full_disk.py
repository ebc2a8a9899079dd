"""The disk of the temporary folder is full: workers start all the same, and say what they lack."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scripts import script, told

BODY = """
session = nu.session(workers=1)
session._warmup.wait()
def where(i: int) -> int:
    print("row", i)
    return os.getpid()
session.register_function("where", where)
query = "SELECT where(id) FROM range(0, 3, 1, 1)"
before = {pid for (pid,) in session.sql(query).collect()}
session.pool.restart()
tell(folder=str(session.folder))
sys.stdin.readline()
full = {pid for (pid,) in session.sql(query).collect()}
tell(new=not full & before)
sys.stdin.readline()
session.pool.restart()
after = {pid for (pid,) in session.sql(query).collect()}
tell(new=not full & after, lines=any(line.text == "row 2" for line in session.logs()))
session.stop()
"""


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of a few megabytes; its path is short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="disk-"))
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=48m,mode=0700", "none", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"a disk of its own needs the right to mount one: {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


def fill(folder: Path) -> Path:
    """Takes all the room that is left."""
    path = folder / "takes-all-the-room"
    with open(path, "wb", 0) as file:
        try:
            while True:
                file.write(bytes(1 << 16))
        except OSError:
            pass
        try:
            while True:
                file.write(b"0")
        except OSError:
            pass
    assert os.statvfs(folder).f_bavail == 0
    return path


@pytest.mark.timeout(150)
def test_workers_start_on_a_full_disk_and_all_goes_on_after_it(small_disk: Path) -> None:
    with script(BODY, {"TMPDIR": str(small_disk)}) as process:
        assert Path(told(process)["folder"]).is_relative_to(small_disk)
        filling = fill(small_disk)
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        assert told(process) == {"new": True}
        filling.unlink()
        process.stdin.write("\n")
        process.stdin.flush()
        assert told(process) == {"new": True, "lines": True}
        assert process.wait(60) == 0
