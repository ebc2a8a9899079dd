"""The logs of workers that have ended, in the session's folder."""

from __future__ import annotations

import os
from pathlib import Path

from notebook_udf.pool.exit_report import MOST_LOGS, drop_old_logs


def test_the_newest_are_kept(tmp_path: Path) -> None:
    for pid in range(1, MOST_LOGS + 4):
        log = tmp_path / f"{pid}.log"
        log.write_text("said")
        os.utime(log, (pid, pid))
    # The oldest is that of one that lives.
    (tmp_path / "1.native").touch()
    drop_old_logs(tmp_path, MOST_LOGS + 3)
    left = {int(log.stem) for log in tmp_path.glob("*.log")}
    assert left == {1, *range(4, MOST_LOGS + 4)}


def test_an_empty_one_goes_with_its_worker(tmp_path: Path) -> None:
    for pid in (1, 2):
        (tmp_path / f"{pid}.log").touch()
    drop_old_logs(tmp_path, 1)
    # The other may be about to begin.
    assert [log.name for log in tmp_path.iterdir()] == ["2.log"]
    # And once more, after somebody else has removed it.
    drop_old_logs(tmp_path, 1)
