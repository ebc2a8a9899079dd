"""The page on ``session.sql`` and ``spark.sql`` names every rule of the planner."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from notebook_udf.planner.pipeline import RULES
from notebook_udf.planner.rules.collect_aggregate import CollectAggregate

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "two-doors.md"
# The module that plans table functions in FROM; it makes plans, and has no object of a rule.
CORRELATE = "correlate"


def test_rules_are_those_of_the_source() -> None:
    section = PAGE.read_text("utf-8").partition("\n## What the rules change\n")[2]
    rows = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    told = [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert import_module(f"notebook_udf.planner.rules.{CORRELATE}")
    assert sorted(told) == sorted(
        [*(rule.name for rule in RULES), CollectAggregate.name, CORRELATE]
    )
