"""The folder of sockets is private, and its paths are short."""

from __future__ import annotations

import os

import notebook_udf as nu


def test_socket_paths_are_short_and_private(session: nu.Session) -> None:
    sockets = [p for p in session.folder.iterdir() if p.is_socket()]
    assert len(sockets) == 1
    for path in sockets:
        assert len(os.fsencode(path)) < 104
    assert session.folder.stat().st_mode & 0o777 == 0o700
