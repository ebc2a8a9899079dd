"""Bundles of which kernels answer some rows and Python the others: nobody sees which is which."""

from __future__ import annotations

from typing import Any

import pytest

import notebook_udf as nu

# Rows 3, 8, 13 ... divide by zero; every seventh is NULL.
ROWS = "SELECT IF(id % 7 = 6, NULL, id) AS a, id % 5 - 3 AS b FROM range(0, 9000, 1, 1)"


def share(a: int | None, b: int) -> float | None:
    """Branches, a check for None, a local, and an error in a fifth of the rows."""
    if a is None:
        return None
    part = a % 100 + 0.5
    if b < 0:
        return -part
    return part / b


@pytest.fixture(params=[True, False], ids=["kernels", "rows"])
def vectorise(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def shares() -> list[float | None]:
    found = []
    for i in range(9000):
        a, b = (None if i % 7 == 6 else i), i % 5 - 3
        found.append(share(a, b) if b or a is None else None)
    return found


def test_rows_that_raise_are_null(session: nu.Session, vectorise: bool) -> None:
    session.register_function(
        "share_null", share, on_error="null", vectorise=vectorise, compile=False
    )
    record = session.functions["share_null"]
    assert ("kernels" in record.explain()) is vectorise
    found = session.sql(f"SELECT share_null(a, b) AS s FROM ({ROWS})").collect()
    assert [row.s for row in found] == shares()


def test_rows_that_raise_are_quarantined_under_their_numbers(
    session: nu.Session, vectorise: bool
) -> None:
    name = f"share_kept_{vectorise}"
    session.register_function(
        name, share, on_error="quarantine", vectorise=vectorise, compile=False
    )
    session.sql(f"SELECT {name}(a, b) AS s FROM ({ROWS})").collect()
    kept = session.errors(name).select("bundle", "row", "a", "b", "error").collect()
    assert {(row.b, row.error) for row in kept} == {(0, "ZeroDivisionError")}
    assert sorted(row.a for row in kept) == [i for i in range(9000) if i % 5 == 3 and i % 7 != 6]
    # Rows are counted from 1.
    assert {(row.bundle, row.row - row.a) for row in kept} == {(1, 1)}


def test_an_error_names_its_row(session: nu.Session, vectorise: bool) -> None:
    session.register_function("share_fails", share, vectorise=vectorise, compile=False)
    with pytest.raises(Exception, match="ZeroDivisionError") as caught:
        session.sql(f"SELECT share_fails(a, b) AS s FROM ({ROWS})").collect()
    error: Any = caught.value
    assert "row 4 of 9,000 in bundle 1" in str(error)
    assert "a = 3" in str(error)


def test_where_some_rows_do_not_reach_it(session: nu.Session, vectorise: bool) -> None:
    session.register_function("share_guarded", share, vectorise=vectorise, compile=False)
    query = f"SELECT CASE WHEN b <> 0 THEN share_guarded(a, b) END AS s FROM ({ROWS})"
    found = [row.s for row in session.sql(query).collect()]
    assert found == [None if i % 5 == 3 else value for i, value in enumerate(shares())]


def test_elements_of_lists(session: nu.Session, vectorise: bool) -> None:
    session.register_function(
        "share_each", share, on_error="null", vectorise=vectorise, compile=False
    )
    query = "SELECT transform(array(a, 8, NULL), e -> share_each(e, b)) AS s FROM"
    found = session.sql(f"{query} ({ROWS} LIMIT 20)").collect()
    for i, row in enumerate(found):
        a, b = (None if i % 7 == 6 else i), i % 5 - 3
        expected = [share(e, b) if b or e is None else None for e in (a, 8, None)]
        assert row.s == expected


def number_of(address: str) -> int:
    """A loop, whose rounds and errors are each row's own."""
    number = 0
    for octet in address.split("."):
        number = number * 256 + int(octet)
    return number


def test_a_loop_names_the_row_that_fails_in_it(session: nu.Session, vectorise: bool) -> None:
    session.register_function("number_of", number_of, vectorise=vectorise, compile=False)
    assert ("kernels" in session.functions["number_of"].explain()) is vectorise
    texts = "concat_ws('.', id, id % 256, 7)"
    found = session.sql(f"SELECT number_of({texts}) AS n FROM range(0, 3000, 1, 1)").collect()
    assert [row.n for row in found] == [number_of(f"{i}.{i % 256}.7") for i in range(3000)]
    bad = f"IF(id = 1700, '1.x.3', {texts})"
    with pytest.raises(nu.UserFunctionError) as raised:
        session.sql(f"SELECT number_of({bad}) AS n FROM range(0, 3000, 1, 1)").collect()
    assert "ValueError" in str(raised.value)
    assert "1.x.3" in str(raised.value)
    assert "row 1,701 of 3,000" in str(raised.value)
