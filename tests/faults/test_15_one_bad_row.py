"""One row of ten million fails: the error is about that row."""

from __future__ import annotations

import re

import pytest

import notebook_udf as nu
from notebook_udf import udf
from tests.queries import run

pytestmark = pytest.mark.usefixtures("next_query_succeeds")


def test_one_bad_row_in_ten_million(session: nu.Session) -> None:
    def picky(i: int) -> int:
        if i == 9_876_543:
            raise ValueError(f"cannot take {i}")
        return i

    with pytest.raises(nu.UserFunctionError) as caught:
        run(session, udf(picky, compile=False), "SELECT sum(f(id)) FROM range(10000000)")
    text = str(caught.value)
    assert "i = 9876543" in text
    assert 'raise ValueError(f"cannot take {i}")' in text
    assert re.search(r"row [\d,]+ of [\d,]+ in bundle \d+, partition 1, worker \d+", text)
    assert len(text.splitlines()) < 15
    assert "org.apache.spark" in caught.value.jvm_stack
    assert "org.apache.spark" not in text
    with pytest.raises(ValueError, match="cannot take 9876543"):
        session.replay("f")
