"""A function forks, and the copy raises: the error reaches nobody."""

from __future__ import annotations

import os

import pytest

import notebook_udf as nu
from notebook_udf import udf
from tests.forking import check

pytestmark = pytest.mark.usefixtures("no_copy_is_left")


def test_a_copy_that_raises(session: nu.Session) -> None:
    def forks(i: int) -> int:
        if i % 20 == 3 and os.fork() == 0:
            raise ValueError("only in the copy")
        return 100 + i

    session.register_function("forks", udf(forks, result_type="bigint"))
    check(session, rounds=20)
