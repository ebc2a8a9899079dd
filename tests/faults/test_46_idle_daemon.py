"""The daemon that forks workers is killed between two queries."""

from __future__ import annotations

import os
import signal

import psutil
import pytest

import notebook_udf as nu

_GONE = "a worker was gone when Spark sent it rows"


def where(_i: int) -> str:
    return f"{os.getpid()} {os.getppid()}"


@pytest.mark.thorough
@pytest.mark.timeout(150)
def test_the_next_query_succeeds_or_says_what_was_lost(session: nu.Session) -> None:
    session.register_function("shown_after_a_daemon", where)
    query = "SELECT shown_after_a_daemon(id) FROM range(0, 4, 1, 2)"

    def ask() -> tuple[set[int], set[int]]:
        """The workers that answered, and their daemons."""
        places = [[int(pid) for pid in place.split()] for (place,) in session.sql(query).collect()]
        return {worker for worker, _ in places}, {daemon for _, daemon in places}

    for _ in range(5):
        before, (daemon,) = ask()
        idle = len(session.pool)
        os.kill(daemon, signal.SIGKILL)
        after: set[int] = set()
        said: list[str] = []
        while not after and len(said) <= idle:
            try:
                after, _ = ask()
            except nu.WorkerLost as lost:
                # Spark asks the system for its workers, which knows them until they are reaped.
                said.append(str(lost))
        assert after
        assert all(each.startswith(_GONE) for each in said), said
        assert not before & after
        listed = {worker.pid for worker in session.pool}
        assert after <= listed
        assert all(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE for pid in listed), listed
        assert not before & listed
