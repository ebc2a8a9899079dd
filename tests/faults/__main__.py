"""Runs the tests of all faults, or of rows that are named, and prints a line for each row."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from tests.faults.rows import ROWS, TESTS, proofs


@dataclass(eq=False)
class Outcomes:
    """How the tests ended, as pytest tells it."""

    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test, or what it needs before and after, has ended."""
        if report.failed:
            self.failed.append(report.nodeid)
        elif report.passed and report.when == "call":
            self.passed.append(report.nodeid)


def main(named: Sequence[str]) -> int:
    """0 if each row's tests were run and passed."""
    rows = [int(row) for row in named] or list(ROWS)
    wanted = sorted({each for row in rows for each in proofs(row)})
    outcomes = Outcomes()
    options = ["-q", "-m", "thorough or not thorough", *(str(TESTS / each) for each in wanted)]
    pytest.main(options, plugins=[outcomes])
    good = 0
    for row in rows:
        begin = tuple(f"tests/{each}" for each in proofs(row))
        failed = [each for each in outcomes.failed if each.startswith(begin)]
        passed = [each for each in outcomes.passed if each.startswith(begin)]
        fine = bool(begin and passed and not failed)
        good += fine
        what = f"{len(passed)} tests passed" if fine else f"failed: {failed}"
        print(f"{row:3} {'ok' if fine else 'NOT':4} {what}")
    print(f"{good} of {len(rows)}")
    return 0 if good == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
