"""Queries of one function, for tests."""

from __future__ import annotations

from typing import Any

import notebook_udf as nu


def run(session: nu.Session, function: Any, query: str = "SELECT f(id) FROM range(10)") -> Any:
    session.register_function("f", function)
    return session.sql(query).collect()
