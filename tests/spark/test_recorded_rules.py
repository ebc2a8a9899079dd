"""What the fixtures of the rules say is what Spark says: see ``tests.recorded_planning``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf.kernel.session_catalog import Catalog
from notebook_udf.planner.pipeline import RULES
from tests import recorded_planning as recorded

FIXTURES = sorted(recorded.FOLDER.glob("*.sql"))


@pytest.fixture(scope="module")
def answers(session: nu.Session, request: pytest.FixtureRequest) -> Any:
    for name, function in recorded.FUNCTIONS.items():
        assert session.register_function(name, function).version == 1
    for name, query in recorded.VIEWS.items():
        session.spark.sql(query).createOrReplaceTempView(name)
    found: dict[str, Any] = {}
    yield found
    if request.config.getoption("--write-golden"):
        recorded.write_answers(found)
    for name in recorded.VIEWS:
        session.spark.catalog.dropTempView(name)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_spark_says_what_the_fixtures_say(
    session: nu.Session, answers: dict[str, Any], path: Path, request: pytest.FixtureRequest
) -> None:
    known, found = recorded.read_answers(), []
    for entry in recorded.entries(path):
        fresh: dict[str, Any] = {}
        with Catalog(session.host, session.planned, session.hidden, session.java.listed) as catalog:
            context = recorded.Recording(catalog, fresh)
            became = recorded.planned(entry.query, session.functions, context)
        found.append(recorded.Entry(entry.name, entry.query, became))
        answers.update(fresh)
        if not request.config.getoption("--write-golden"):
            assert {key: known.get(key) for key in fresh} == fresh, entry.name
    if request.config.getoption("--write-golden"):
        recorded.write(path, found)
    assert found == list(recorded.entries(path))


def test_each_rule_has_a_fixture() -> None:
    assert {rule.name for rule in RULES} == {path.stem for path in FIXTURES}
