"""Deques in the JVM, next to Python's."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import ArrayType, DataType, DoubleType, LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

LONG, TEXT, DOUBLE = LongType(), StringType(), DoubleType()
WHOLES, REALS = ArrayType(LONG, False), ArrayType(DOUBLE, False)


def moving_average(values: list[float]) -> list[float]:
    window: deque[float] = deque(maxlen=3)
    made = []
    for value in values:
        window.append(value)
        made.append(sum(window) / len(window))
    return made


def window_of(values: list[int], n: int) -> str:
    window = deque(values, maxlen=n)
    window.appendleft(7)
    window.extend([8, 9])
    return f"{len(window)} {list(window)} {8 in window} {max(window, default=-1)}"


def both_ends(values: list[int]) -> str:
    queue = deque(values)
    seen = []
    while queue:
        seen.append(queue.popleft())
        if queue:
            seen.append(queue.pop())
    try:
        queue.popleft()
    except IndexError:
        seen.append(-1)
    return ",".join(map(str, seen))


def breadth_first(n: int) -> int:
    """Steps to a number by doubling and adding one."""
    queue, seen = deque([(1, 0)]), {1}
    while queue:
        number, steps = queue.popleft()
        if number >= n:
            return steps
        for other in (number * 2, number + 1):
            if other not in seen:
                seen.add(other)
                queue.append((other, steps + 1))
    return -1


def items(values: list[int]) -> str:
    queue = deque(values)
    queue.extend(queue)
    queue[0] = 5
    queue[-1] = 6
    total = sum(x for x in queue)
    return f"{queue[0]} {queue[-1]} {total} {sorted(queue)} {queue[len(queue) - 1]}"


def changed_meanwhile(values: list[int]) -> int:
    queue = deque(values)
    total = 0
    for value in queue:
        total += value
        if value == 2:
            queue.append(3)
    return total


def cleared(values: list[int]) -> str:
    queue = deque(values)
    other = queue
    queue.clear()
    other.append(len(queue))
    return f"{bool(queue)} {queue[0]} {list(queue) == [0]}"


def quotient(value: int) -> int:
    return 12 // (value - 2)


def extended_until_it_fails(values: list[int]) -> str:
    queue = deque([0])
    try:
        queue.extend(map(quotient, values))
    except ZeroDivisionError:
        queue.append(-1)
    return str(list(queue))


LISTS: list[list[Any]] = [[], [1], [1, 2], [2, 1, 3], [4, 4, 4, 4], list(range(9))]


@pytest.mark.parametrize("function", [both_ends, items, cleared, extended_until_it_fails])
def test_of_lists(java: Java, function: Callable[..., Any]) -> None:
    answered = answered_alike(java, function, [WHOLES], TEXT, [(each,) for each in LISTS])
    # An empty one has no first.
    assert answered == len(LISTS) - (function is items)


def test_of_a_length(java: Java) -> None:
    rows = [(each, n) for each in LISTS for n in (-1, 0, 1, 3, None, 2**40)]
    answered = answered_alike(java, window_of, [WHOLES, LONG], TEXT, rows)
    assert answered == len(LISTS) * 5


def test_a_window(java: Java) -> None:
    rows = [([float(x) for x in each],) for each in LISTS]
    assert answered_alike(java, moving_average, [REALS], REALS, rows) == len(rows)


def test_a_search(java: Java) -> None:
    rows = [(n,) for n in (1, 2, 7, 100, 1023, 5000)]
    assert answered_alike(java, breadth_first, [LONG], LONG, rows) == len(rows)


def test_one_that_changes_while_it_is_gone_through_raises(java: Java) -> None:
    rows = [(each,) for each in LISTS]
    without = sum(2 not in each for each in LISTS)
    assert answered_alike(java, changed_meanwhile, [WHOLES], LONG, rows) == without


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (lambda v: deque(v), WHOLES),
        (lambda v: str(deque(v)), TEXT),
        (lambda v: f"{deque(v)}", TEXT),
        (lambda v: deque(v) == v, LONG),
        (lambda v: len(deque(v) + v), LONG),
        (lambda v: len(deque(v) * 2), LONG),
        (lambda v: len(deque(v)[1:]), LONG),
        (lambda v: deque(v).rotate(2), LONG),
        (lambda v: deque(v).insert(0, 2), LONG),
        (lambda v: isinstance(deque(v), list), LONG),
    ],
)
def test_what_is_left_to_python(function: Callable[..., Any], result: DataType) -> None:
    with pytest.raises(NotCompiled):
        translate(function, [WHOLES], result)
