"""Errors and results that cannot be sent: a text stands for them."""

from __future__ import annotations

import os

import pytest

import notebook_udf as nu
from notebook_udf import udf
from tests.queries import run

pytestmark = pytest.mark.usefixtures("next_query_succeeds")


class Unpicklable(Exception):
    def __init__(self, a: int, b: int) -> None:
        super().__init__(f"Größe {a}·{b} überschritten \ud800")
        self.handle = open(os.devnull)  # noqa: SIM115

    def __del__(self) -> None:
        self.handle.close()


def test_exception_that_cannot_be_pickled(session: nu.Session) -> None:
    def raises(i: int) -> int:
        raise Unpicklable(3, 4)

    with pytest.raises(nu.UserFunctionError, match="Größe 3·4 überschritten") as caught:
        run(session, raises)
    assert "Unpicklable" in str(caught.value)


def test_result_that_cannot_be_converted(session: nu.Session) -> None:
    with pytest.raises(nu.ResultError, match="object"):
        run(session, udf(lambda i: object(), result_type="bigint"))


def test_exception_whose_text_raises(session: nu.Session) -> None:
    class Nasty(Exception):
        def __str__(self) -> str:
            raise ValueError("no")

    def raises(i: int) -> int:
        raise Nasty

    told = "Nasty: <its message raised ValueError>"
    with pytest.raises(nu.UserFunctionError, match=told) as caught:
        run(session, raises, "SELECT f(id) FROM range(0, 3, 1, 1)")
    # All else about the call is told as of any other.
    assert caught.value.failed is not None
    assert caught.value.failed.arguments == (("i", "0"),)
