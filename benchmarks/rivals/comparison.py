"""Running every case in every engine, in turn, and whether all of them answer the same."""

from __future__ import annotations

import contextlib
import math
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.rivals.cases import CASES, Answer, Case
from benchmarks.rivals.children import CHILDREN, CannotRun, Child, Running, Say
from benchmarks.rivals.rows import write_rows

TURNS = 5
WARM = 1
# What takes longer than so many seconds is measured in fewer turns.
SLOW = 5.0
FEWER_TURNS = 3
# What the answers of the others are held against: it runs the function itself.
JUDGE = ("plain", "list")
Way = tuple[str, str]


@dataclass
class Cell:
    """What came of one case in one engine; ``reason`` says why there are no seconds."""

    case: Case
    way: Way
    seconds: list[float] = field(default_factory=list)
    answer: Answer | None = None
    reason: str = ""
    # Nothing of that kind in that engine, which is no failure.
    absent: bool = False
    differs: bool = False

    @property
    def median(self) -> float | None:
        """Seconds; None if it has none, or none that count."""
        return statistics.median(self.seconds) if self.seconds and not self.reason else None


@dataclass(frozen=True)
class Comparison:
    """All cells, and which engines they are of."""

    rows: Mapping[str, int]
    titles: Mapping[Way, str]
    versions: Mapping[str, str]
    cells: Mapping[tuple[str, Way], Cell]

    def cell(self, case: Case, way: Way) -> Cell:
        return self.cells[case.name, way]

    def base(self, case: Case) -> Way:
        """What is 1: Spark's default; of aggregates, which it has none of, its pandas ones."""
        return ("spark", "pandas" if case.kind == "aggregate" else "default")

    def times(self, case: Case, way: Way) -> float | None:
        """How many times as fast as the base."""
        base, own = self.cells.get((case.name, self.base(case))), self.cell(case, way).median
        return base.median / own if base and base.median and own else None

    @property
    def differing(self) -> list[Cell]:
        return [cell for cell in self.cells.values() if cell.differs]


def compare(
    share: float, say: Say, *, children: Sequence[Child] = CHILDREN, turns: int = TURNS
) -> Comparison:
    """Measures all cases with that share of their rows.

    Every engine has a process. All run a case in turn, so that what slows the machine slows all.
    """
    titles = {(child.name, way): title for child in children for way, title in child.ways.items()}
    rows = {case.name: max(1_000, int(case.rows * share)) for case in CASES.values()}
    cells = {(case.name, way): Cell(case, way) for case in CASES.values() for way in titles}
    versions: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="rivals-") as root, _Processes(say) as processes:
        for child in children:
            try:
                versions[child.name] = processes.running(child).version
            except CannotRun as error:
                versions[child.name] = str(error)
        for case in CASES.values():
            folder = Path(root) / case.name
            write_rows(case, rows[case.name], folder)
            for turn in range(WARM + turns):
                say(f"{case.title}, {rows[case.name]:,} rows, turn {turn + 1} of {WARM + turns}")
                for child in children:
                    for way in child.ways:
                        cell = cells[case.name, (child.name, way)]
                        processes.run(child, cell, folder, counts=turn >= WARM)
            _judge([cells[case.name, way] for way in titles])
    return Comparison(rows, titles, versions, cells)


class _Processes(contextlib.ExitStack):
    """One for each child; a child whose process ended gets another."""

    def __init__(self, say: Say) -> None:
        super().__init__()
        self._say = say
        self._running: dict[str, Running] = {}
        self._cannot: dict[str, str] = {}

    def running(self, child: Child) -> Running:
        if child.name in self._cannot:
            raise CannotRun(self._cannot[child.name])
        known = self._running.get(child.name)
        if known is None or not known.alive:
            try:
                known = self.enter_context(Running(child, self._say))
            except CannotRun as error:
                self._cannot[child.name] = str(error)
                raise
            self._running[child.name] = known
        return known

    def run(self, child: Child, cell: Cell, folder: Path, *, counts: bool) -> None:
        slow = len(cell.seconds) >= FEWER_TURNS and min(cell.seconds) > SLOW
        if cell.reason or slow:
            return
        try:
            told = self.running(child).ask(cell.way[1], cell.case.name, folder)
        except CannotRun as error:
            cell.reason = str(error)
            return
        if "absent" in told:
            cell.reason, cell.absent = told["absent"], True
            return
        if cell.answer is not None and not same(cell.answer, told["answer"]):
            cell.reason = f"answers {told['answer']} after {cell.answer}"
            cell.differs = True
        cell.answer = told["answer"]
        if counts:
            cell.seconds.append(told["seconds"])


def _judge(cells: Sequence[Cell]) -> None:
    """Marks the cells whose answers are not those of plain Python."""
    expected = next(
        (cell.answer for cell in cells if cell.way == JUDGE),
        next((cell.answer for cell in cells if cell.answer is not None), None),
    )
    for cell in cells:
        if cell.answer is None or expected is None or same(cell.answer, expected):
            continue
        cell.differs = True
        cell.reason = f"answers {cell.answer} instead of {expected}"


def same(one: Answer, other: Answer) -> bool:
    """Whether two answers are equal, but for the order in which floats were added up."""
    return len(one) == len(other) and all(_alike(*pair) for pair in zip(one, other, strict=True))


def _alike(one: object, other: object) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        numbers = isinstance(one, int | float) and isinstance(other, int | float)
        return numbers and math.isclose(float(one), float(other), rel_tol=1e-9)  # type: ignore[arg-type]
    return one == other


def measured(comparison: Comparison) -> Iterator[tuple[Cell, float, float]]:
    """Each cell that has seconds, with them and with how many times as fast it is."""
    for cell in comparison.cells.values():
        seconds, times = cell.median, comparison.times(cell.case, cell.way)
        if seconds is not None and times is not None:
            yield cell, seconds, times
