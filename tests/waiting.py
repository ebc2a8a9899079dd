"""Waiting for what the side channel brings."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import notebook_udf as nu

PATIENCE = 20.0


@contextmanager
def awaited(session: nu.Session, arrived: Callable[[], bool]) -> Iterator[None]:
    """Runs a query, then waits until the side channel has brought what it should."""
    changed = threading.Event()
    end = session.store.subscribe(lambda record: changed.set())
    try:
        yield
        while not arrived():
            assert changed.wait(PATIENCE), "the record did not arrive"
            changed.clear()
    finally:
        end()


def happens(what: Callable[[], bool], within: float = PATIENCE) -> None:
    """Waits until something is so that no event tells of: what a worker does in a file, say."""
    deadline = time.monotonic() + within
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)
