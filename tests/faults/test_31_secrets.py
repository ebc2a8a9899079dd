"""Keys are in no argument, log, conf or text."""

from __future__ import annotations

import json
from pathlib import Path

import psutil

import notebook_udf as nu
from tests.queries import run
from tests.scripts import command_line


def test_secrets_stay_secret(session: nu.Session) -> None:
    secret = json.loads((session.folder / "channel.json").read_text())["client_secret"]
    assert (session.folder / "channel.json").stat().st_mode & 0o777 == 0o600
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        assert secret not in command_line(process)
    context = session.spark.sparkContext
    shown = [value for _, value in context.getConf().getAll()]
    assert not any(secret in value for value in shown)
    assert not any("channel" in key.lower() for key, _ in context.getConf().getAll())
    for log in ("jvm.log", "spark.log"):
        path = session.folder / log
        assert not path.exists() or secret not in path.read_text("utf-8", "replace")
    assert secret not in repr(session)
    assert secret not in repr(session._receiver)


def test_log_file_is_private(session: nu.Session) -> None:
    def writes(i: int) -> int:
        print(i)
        return i

    run(session, writes)
    folder: Path = session.folder
    assert folder.stat().st_mode & 0o777 == 0o700
    for file in (folder / "workers").iterdir():
        if file.suffix in (".log", ".native"):
            assert file.stat().st_mode & 0o077 == 0, file
