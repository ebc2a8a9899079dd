"""Classes that do by ways of their own what tuples, dicts and lists do: never another answer."""

from __future__ import annotations

import enum
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import ArrayType, BooleanType, DataType, LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

LONG, TEXT, FLAG = LongType(), StringType(), BooleanType()


@dataclass(eq=False)
class Plain:
    """An object with an own way for everything."""

    x: int
    y: int

    def __eq__(self, other: Any) -> bool:
        return bool(self.x == other.x)

    def __lt__(self, other: Any) -> bool:
        return bool(self.y < other.y)

    def __bool__(self) -> bool:
        return self.x > 3

    def __len__(self) -> int:
        return 17

    def __str__(self) -> str:
        return f"<{self.x}>"

    def __contains__(self, value: int) -> bool:
        return value == self.x + 1

    def __iter__(self) -> Iterator[int]:
        return iter([self.y, self.x])

    def __getitem__(self, place: int) -> int:
        return place * 10

    def __hash__(self) -> int:
        return 1


class Named(NamedTuple):
    """The same of a tuple with names."""

    x: int
    y: int

    __eq__ = Plain.__eq__  # type: ignore[assignment]
    __lt__ = Plain.__lt__  # type: ignore[assignment]
    __bool__ = Plain.__bool__
    __str__ = Plain.__str__  # type: ignore[assignment]
    __contains__ = Plain.__contains__  # type: ignore[assignment]
    __hash__ = Plain.__hash__  # type: ignore[assignment]

    def __len__(self) -> int:
        return 17

    def __iter__(self) -> Iterator[int]:
        return iter([self[1], self[0]])

    def __getitem__(self, place: Any) -> Any:
        return tuple.__getitem__(self, 1 - place)


class Shown(NamedTuple):
    """A tuple with names that only writes itself in its own way."""

    x: int
    y: int = 2

    def __str__(self) -> str:
        return f"<{self.x}>"

    def total(self) -> int:
        return self.x + self.y


def of_class(made: Any) -> list[tuple[Callable[[int], Any], DataType]]:
    return [
        (lambda n: made(n, 1) == made(n, 2), FLAG),
        (lambda n: made(n, 1) < made(0, 2), FLAG),
        (lambda n: made(n, 1) == None, FLAG),  # noqa: E711
        (lambda n: 1 if made(n, 1) else 2, LONG),
        (lambda n: len(made(n, n)), LONG),
        (lambda n: f"{made(n, 1)} {made(n, 1)!s}", TEXT),
        (lambda n: n + 1 in made(n, 1), FLAG),
        (lambda n: [value for value in made(n, 1)], ArrayType(LONG)),  # noqa: C416
        (lambda n: made(n, 5)[0], LONG),
        (lambda n: max(made(n, 1), made(9, 0)).x, LONG),
        (lambda n: sorted([made(n, 2), made(9, 1)])[0].x, LONG),
        (lambda n: made(n, 1) in [made(n, 2), made(3, 3)], FLAG),
        (lambda n: [made(n, 1)] == [made(n, 2)], FLAG),
        (lambda n: len({made(n, 1), made(n, 2)}), LONG),
        (lambda n: sum(made(n, 1)), LONG),
        (lambda n: ",".join(map(str, [made(n, 1)])), TEXT),
        (lambda n: (lambda a, b: a - b)(*made(n, 1)), LONG),
    ]


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2

    def __lt__(self, other: int) -> bool:
        return int(self) > int(other)

    def __str__(self) -> str:
        return f"level {self.name}"

    def __bool__(self) -> bool:
        return False


class Missing(dict):  # type: ignore[type-arg]
    def __missing__(self, key: str) -> str:
        return "missing"


class HasAll(list):  # type: ignore[type-arg]
    def __contains__(self, value: object) -> bool:
        return True


MISSING, ALL = Missing(a="x"), HasAll([1, 2])
COUNTED, MADE = Counter("112"), defaultdict(int, {"1": 5})
ORDERED = OrderedDict([("1", 2), ("b", 3)])

OTHERS: list[tuple[Callable[[int], Any], DataType]] = [
    (lambda n: Level(1) < Level(n), FLAG),
    (lambda n: 1 if Level.LOW else n, LONG),
    (lambda n: f"{Level.HIGH} {n}", TEXT),
    (lambda n: MISSING[str(n)], TEXT),
    (lambda n: n in ALL, FLAG),
    (lambda n: COUNTED[str(n)], LONG),
    (lambda n: COUNTED.get(str(n), 8) + sum(COUNTED.values()), LONG),
    (lambda n: MADE[str(n)], LONG),
    (lambda n: MADE.get(str(n), 8) + len(MADE), LONG),
    (lambda n: ORDERED[str(n)], LONG),
    (lambda n: str(Shown(n)) + "x", TEXT),
    (lambda n: Shown(n).total() + Shown(n)[1] + len(Shown(n)), LONG),
]


@pytest.mark.parametrize(
    ("function", "result"), [*of_class(Plain), *of_class(Named), *of_class(Shown), *OTHERS]
)
def test_what_has_java_answers_as_python(
    java: Java, function: Callable[[int], Any], result: DataType
) -> None:
    try:
        translate(function, [LONG], result)
    except NotCompiled:
        # Left to Python, which knows.
        return
    rows = [(n,) for n in (1, 2, 5)]
    answered_alike(java, function, [LONG], result, rows)


@pytest.mark.parametrize("at", [5, 6, 8, 9, 11])
def test_what_is_known_of_constants(java: Java, at: int) -> None:
    function, result = OTHERS[at]
    assert answered_alike(java, function, [LONG], result, [(1,), (2,)]) == (1 if at == 9 else 2)


@pytest.mark.parametrize("function", [each for each, _ in OTHERS[3:8:4]])
def test_what_a_look_up_would_change_stays_in_python(function: Callable[[int], Any]) -> None:
    with pytest.raises(NotCompiled, match="an item of this"):
        translate(function, [LONG], LONG)
