"""State as pages of text: searched, cut, compared; what ``session.state`` shows in a terminal."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from sample_aggregates import CountAggregateFunction
from streaming import Stream

import notebook_udf as nu
from notebook_udf import udaf
from notebook_udf.state import StateReader
from notebook_udf.state.pages import diff_page, history_page, state_page, timer_page

HOSTILE = "<b>\x1b[31m"


@pytest.fixture(scope="module")
def state(session: nu.Session, tmp_path_factory: pytest.TempPathFactory) -> StateReader:
    """Two batches by two keys: a few rows, then many more."""
    count = session.register_function("paged", udaf(CountAggregateFunction()))
    stream = Stream(session.spark, tmp_path_factory.mktemp("pages"), "k string, n bigint, v bigint")
    stream.put(
        [("a", 1, 1), ("a", 2, 1), (None, 3, 1), (HOSTILE, 4, 1)],
        [("a", 1, 1), *(("many", number, 1) for number in range(100, 130))],
    )
    stream.run(stream.rows.transform(nu.aggregate(by=["k", "n"], c=count("v"))))
    return session.state(stream.checkpoint)


def test_pages_are_ordered_counted_and_cut(state: StateReader) -> None:
    first, keys = state_page(state, "paged", limit=3)
    assert (first.columns, first.keys) == (("k", "n", "accumulator"), 2)
    assert (first.offset, first.total, first.batch) == (0, 34, state.batches[1])
    assert first.rows[0] == (None, "3", "[1]")
    assert first.rows[1] == ("<b>␛[31m", "4", "[1]")
    assert keys == [(None, 3), (HOSTILE, 4), ("a", 1)]
    last, _ = state_page(state, "paged", offset=32, limit=3)
    assert (last.total, [row[1] for row in last.rows]) == (34, ["128", "129"])
    json.dumps(first.to_dict())


def test_keys_are_searched_in_any_case(state: StateReader) -> None:
    found, _ = state_page(state, "paged", search="MANY\n11", limit=4)
    assert (found.total, found.rows[0]) == (10, ("many", "110", "[1]"))
    null, _ = state_page(state, "paged", search="null")
    assert [row[1] for row in null.rows] == ["3"]
    assert state_page(state, "paged", search="50%_")[0].total == 0


def test_an_earlier_batch_and_what_changed_since(state: StateReader) -> None:
    first, final = state.batches
    assert state_page(state, "paged", first)[0].total == 4
    differing = diff_page(state, "paged", first, final, limit=2)
    assert differing.columns == ("k", "n", "before", "after")
    assert differing.rows == (("a", "1", "[1]", "[2]"), ("many", "100", None, "[1]"))
    assert differing.total == 31
    with pytest.raises(nu.SessionError, match="accumulators is a variable; functions: paged"):
        diff_page(state, "accumulators", first, final)


def test_the_history_of_a_key_shows_its_changes(state: StateReader) -> None:
    first, last = state.batches
    found = history_page(state, ("a", 1))
    assert [row["accumulator"] for row in found["rows"]] == ["[1]", "[2]"]
    assert (found["first"], found["last"], found["rows"][0]["batch"]) == (first, last, first)
    (latest,) = history_page(state, ("a", 1), batches=1)["rows"]
    assert latest == {"batch": last, "function": "paged", "accumulator": "[2]"}
    assert history_page(state, ("nobody", 1))["rows"] == []


def test_variables_are_shown_as_they_are_stored(state: StateReader) -> None:
    page, keys = state_page(state, "accumulators", limit=2)
    assert page.columns[: page.keys] == ("key.k", "key.n")
    assert any(text is not None and "bytes)" in text for text in page.rows[0])
    assert keys == []
    assert timer_page(state).rows == ()
    with pytest.raises(KeyError, match="no function or variable 'nothing'"):
        state_page(state, "nothing")


def test_operators_and_forms(state: StateReader, tmp_path: Path) -> None:
    (operator,) = state.operators
    assert operator.name.startswith("transformWithState")
    assert dict(operator.variables) == state.variables
    assert state.keys == (("k", "STRING"), ("n", "BIGINT"))
    assert state.latest().batches == state.batches
    console = Console(width=160, file=io.StringIO())
    console.print(state)
    assert "ARRAY<BIGINT>" in console.file.getvalue()  # type: ignore[attr-defined]
