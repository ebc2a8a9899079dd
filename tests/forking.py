"""Queries of functions that fork, in turn with others, for tests."""

from __future__ import annotations

import notebook_udf as nu
from notebook_udf import udf


def check(session: nu.Session, rounds: int = 1) -> None:
    """Queries of ``forks`` and of another function in turn, in the same workers."""
    session.register_function("other", udf(lambda i: -i, result_type="bigint"))
    for _ in range(rounds):
        forked = session.sql("SELECT id, forks(id) FROM range(0, 40, 1, 2)").collect()
        assert sorted(forked) == [(i, 100 + i) for i in range(40)]
        others = session.sql("SELECT id, other(id) FROM range(0, 40, 1, 2)").collect()
        assert sorted(others) == [(i, -i) for i in range(40)]
