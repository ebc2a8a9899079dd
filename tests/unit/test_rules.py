"""The rules of the planner, one fixture each, without a JVM: see ``tests.recorded_planning``."""

from __future__ import annotations

from pathlib import Path

import pytest

from notebook_udf.planner import pipeline
from notebook_udf.planner.pipeline import RULES
from tests import recorded_planning as recorded

FIXTURES = sorted(recorded.FOLDER.glob("*.sql"))
ENTRIES = [
    pytest.param(entry, id=f"{path.stem}: {entry.name}")
    for path in FIXTURES
    for entry in recorded.entries(path)
]
ANSWERS = recorded.read_answers()


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_query_becomes_what_its_fixture_says(entry: recorded.Entry) -> None:
    context = recorded.Replay(ANSWERS)
    assert recorded.planned(entry.query, recorded.records(), context) == entry.became


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_the_rule_decides_what_its_fixture_says(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the rule Spark is handed something else for some of its queries, not for others."""
    rule = next(rule for rule in RULES if rule.name == path.stem)
    monkeypatch.setattr(type(rule), "apply", lambda *_: None)
    decided = {_is_the_same(entry) for entry in recorded.entries(path)}
    assert decided == {True, False}


def _is_the_same(entry: recorded.Entry) -> bool:
    try:
        became = recorded.planned(entry.query, recorded.records(), recorded.Replay(ANSWERS))
    except recorded.NeverAsked:
        # Without the rule the query is another one.
        return False
    return _handed(became) == _handed(entry.became)


def _handed(became: str) -> list[str]:
    """The texts alone, without what the rules say."""
    return [line for line in became.splitlines() if not line.startswith("-- ")]


def test_rules_have_names_of_their_own() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert set(pipeline.RULES) >= {*pipeline.SCALAR_RULES, *pipeline.AGGREGATE_RULES}
