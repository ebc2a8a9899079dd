"""A forked child prints: it is heard exactly once."""

from __future__ import annotations

import os

import notebook_udf as nu
from tests.written import lines_after


def test_forked_child_is_heard_exactly_once(session: nu.Session) -> None:
    def writes(i: int) -> int:
        print("parent before", end=" ")
        pid = os.fork()
        if pid == 0:
            print("the child speaks", flush=True)
            os._exit(0)
        os.waitpid(pid, 0)
        print("and after")
        return i

    lines = lines_after(session, writes, until="the child speaks")
    texts = [line.text for line in lines]
    assert texts.count("the child speaks") == 1
    assert texts.count("parent before and after") == 1
