"""Temporary confs of a SQL session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any


@contextmanager
def with_confs(conf: Any, settings: Mapping[str, str]) -> Iterator[None]:
    """Sets confs for the block, and restores them after it."""
    before = {name: conf.get(name, None) for name in settings}
    for name, value in settings.items():
        conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                conf.unset(name)
            else:
                conf.set(name, value)
