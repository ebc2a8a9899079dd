"""Waiting for what the side channel brings."""

from __future__ import annotations

import threading
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
