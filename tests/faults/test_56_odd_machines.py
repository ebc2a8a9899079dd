"""Folders with odd names, a home that cannot be written to, a umask that hides nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.scripts import script, told

pytestmark = pytest.mark.timeout(120)

BODY = """
session = nu.session(workers=1)
def twice(i: int) -> int:
    print("row", i)
    return 2 * i
session.register_function("twice", twice)
query = "SELECT sum(twice(id)) AS s FROM range(4)"
answer = session.sql(query).first()[0]
modes = {str(path): path.stat().st_mode for path in [session.folder, *session.folder.rglob("*")]
         if not path.is_symlink()}
tell(answer=answer, modes=modes, folder=str(session.folder), lines=len(list(session.logs())))
session.stop()
"""
NAME = 'it\'s a "größe"; $HOME %20 #'


def test_a_temporary_folder_of_any_name(tmp_path: Path) -> None:
    folder = tmp_path / NAME
    folder.mkdir()
    with script(BODY, {"TMPDIR": str(folder)}) as process:
        facts = told(process)
        assert (facts["answer"], facts["lines"]) == (12, 4)
        assert process.wait(60) == 0
    assert not Path(facts["folder"]).exists()
    assert [path.name for path in folder.iterdir() if path.name.startswith("nudf-")] == []


@pytest.mark.thorough
def test_a_home_that_cannot_be_written_to(tmp_path: Path) -> None:
    home = tmp_path / "home"
    # Not even root can make a folder in a file.
    home.write_text("")
    with script(BODY, {"HOME": str(home)}) as process:
        assert told(process)["answer"] == 12
        assert process.wait(60) == 0


@pytest.mark.thorough
def test_a_umask_that_hides_nothing() -> None:
    with script("os.umask(0)\n" + BODY) as process:
        facts = told(process)
        assert facts["answer"] == 12
        others = stat.S_IRWXG | stat.S_IRWXO
        assert [Path(path).name for path, mode in facts["modes"].items() if mode & others] == []
        assert os.stat("/tmp").st_mode & stat.S_ISVTX
        assert process.wait(60) == 0
