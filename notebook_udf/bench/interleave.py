"""Measures cases in turn, so that whatever slows the machine slows all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


def in_turn(
    cases: Mapping[str, Callable[[], object]],
    repeats: int,
    *,
    warm: bool = True,
    before: Callable[[str, int], object] = lambda name, turn: None,
) -> dict[str, tuple[float, ...]]:
    """Seconds that each case took in each of ``repeats`` turns.

    Every other turn goes backwards, so that no case always follows the same one.
    If a case returns a float, that is used as its seconds.

    Parameters
    ----------
    warm
        Whether each case is run once before, uncounted, to warm up.
    before
        Called before each run with the case and the number of its turn, from 1 on (0 to warm up).
    """
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(0 if warm else 1, repeats + 1):
        order = list(cases.items())
        for name, run in reversed(order) if turn % 2 else order:
            before(name, turn)
            start = time.perf_counter()
            told = run()
            needed = told if isinstance(told, float) else time.perf_counter() - start
            if turn:
                seconds[name].append(needed)
    return {name: tuple(values) for name, values in seconds.items()}


def next_sample(rows: int, seconds: float, *, target: float, most: int) -> int:
    """The rows of the next trial run, after ``rows`` took ``seconds``; ``rows`` if that is enough.

    A run that is nearly all start-up does not tell how long more rows take: each trial has at most
    16 times the rows of the last.
    """
    if seconds >= target / 2 or rows >= most:
        return rows
    return min(most, int(rows * min(16.0, target / max(seconds, 1e-9))))
