"""The examples of public docstrings run, and print what they show; one session for all."""

from __future__ import annotations

import doctest
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions

import notebook_udf as nu
from tests.public_names import public_callables

# Queries of examples are shown, and not kept as text.
pytestmark = pytest.mark.drawn

_PARSER = doctest.DocTestParser()
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SHOWN = {name: text for name, text in public_callables() if _PARSER.get_examples(text)}


@pytest.fixture
def names(session: nu.Session, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """What the examples may use without saying where it comes from."""
    yield {
        "__name__": "__main__",
        "F": functions,
        "folder": str(tmp_path),
        "nu": nu,
        "os": os,
        "session": session,
        "spark": session.spark,
        "tempfile": tempfile,
    }
    for query in session.spark.streams.active:
        query.stop()
    for name in list(session.functions):
        session.drop_function(name)


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_prints_what_it_shows(name: str, names: dict[str, Any]) -> None:
    test = _PARSER.get_doctest(SHOWN[name], names, name, None, None)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=_FLAGS).run(test, out=said.append, clear_globs=False)
    assert not said, "".join(said)
