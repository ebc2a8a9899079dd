"""Objects of plain classes, begun by an ``__init__``, in the JVM as in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import DataType, DoubleType, LongType, StringType, StructType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

LONG, TEXT, DOUBLE = LongType(), StringType(), DoubleType()
TEXTS = ("", "a", "12+3*4", "1 + 2 + 3", "10-4-3", "2*x", "the cat the dog the end", "b a b", None)


class Mean:
    """A total and a count."""

    DIGITS = 2

    def __init__(self, total: float = 0.0) -> None:
        self.total = total
        self.count = 0

    def add(self, value: float) -> None:
        self.total += value
        self.count += 1

    @property
    def value(self) -> float | None:
        return round(self.total / self.count, self.DIGITS) if self.count else None


class Tokens:
    """The numbers and signs of a sum."""

    def __init__(self, text: str) -> None:
        self.text = text.replace(" ", "")
        self.at = 0

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self) -> str:
        found = self.peek()
        self.at += 1
        return found

    def number(self) -> int:
        digits = ""
        while self.peek().isdigit():
            digits += self.take()
        return int(digits)


class Words:
    __slots__ = ("most", "order", "seen")

    def __init__(self, most: int | None) -> None:
        self.seen = {}
        self.order = []
        if most is None:
            self.most = 2
        else:
            self.most = most

    def add(self, word: str) -> None:
        if word not in self.seen:
            self.order.append(word)
        self.seen[word] = self.seen.get(word, 0) + 1

    def top(self) -> list[str]:
        return sorted(self.order, key=lambda word: (-self.seen[word], word))[: self.most]


class Shape:
    def __init__(self, name: str) -> None:
        self.name = name

    def area(self) -> float:
        return 0.0

    def told(self) -> str:
        return f"{self.name} {self.area():.2f}"


class Square(Shape):
    def __init__(self, side: float) -> None:
        self.name = "square"
        self.side = side

    def area(self) -> float:
        return self.side**2


@dataclass
class Basket:
    """With lists of its own, and what follows from what it is given."""

    name: str
    prices: list[float] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    total: float = 0.0

    def __post_init__(self) -> None:
        self.name = self.name.title()
        self.total = self.total + sum(self.prices)

    def add(self, word: str) -> None:
        self.prices.append(len(word) / 2)
        self.counts[word] = self.counts.get(word, 0) + 1


@dataclass
class Plain:
    words: list[str] = field(default_factory=list)
    most: int = 1


def baskets(s: str) -> str:
    one, other = Basket("an apple", total=1.0), Basket(s, [1.5, 2.0])
    for word in s.split():
        one.add(word)
    most = max(one.counts.values()) if one.counts else 0
    said = f"{one.name} {len(one.prices)} {most} {one.total}"
    return f"{said} {other.name} {other.total} {len(other.counts)}"


def plain_lists(s: str) -> str:
    one, other = Plain(), Plain(most=2)
    for word in s.split():
        one.words.append(word)
        other.most += 1
    return f"{one.words} {other.words} {other.most}"


def mean_of_lengths(s: str) -> float | None:
    mean = Mean()
    for word in s.split():
        mean.add(len(word))
    return mean.value


def summed(s: str) -> int:
    tokens = Tokens(s)
    total = tokens.number()
    while tokens.peek():
        sign = tokens.take()
        if sign == "*":
            total *= tokens.number()
        else:
            total += tokens.number() if sign == "+" else -tokens.number()
    return total


def most_common(s: str) -> str:
    words = Words(None if "dog" in s else 1)
    for word in s.split():
        words.add(word)
    return ",".join(words.top()) + str(len(words.seen))


def shapes(s: str) -> str:
    found = [Square(float(len(s))), Square(side=1.5)]
    found[0].side += 1
    return " ".join(each.told() for each in found) + Shape("none").told()


def two_names(s: str) -> str:
    one = Mean(1.0)
    other, third = one, Mean(1.0)
    other.add(len(s))
    return f"{one.total} {third.total} {one.count} {one is other}"


def only_read(s: str) -> float:
    return Square(len(s)).area() + Mean.DIGITS


@dataclass
class Order:
    """An order, which functions change."""

    note: str
    price: float = 8.0
    tags: list[str] = field(default_factory=list)

    def doubled(self) -> Order:
        def double() -> None:
            self.price *= 2

        double()
        return self


def discounted(order: Order, rate: float) -> None:
    order.price *= 1 - rate
    if rate > 0.1:
        order.tags.append("sale")


def cleaned(order: Order) -> Order:
    order.note = order.note.strip().upper()
    return order


def served(order: Order) -> Order:
    discounted(cleaned(order), 0.5)
    return order


def by_a_function(s: str) -> str:
    order = Order(s)
    discounted(order, 0.25)
    same = order
    same.note += "!"
    return f"{order.note}{order.price}{order.tags}{same is order}"


def by_a_function_of_a_function(s: str) -> str:
    one, other = Order(s), Order(s)
    return served(one).note[::-1] + f"{one.price}{other.price}{len(other.tags)}"


def by_a_function_within(s: str) -> str:
    order = Order(s)

    def change() -> None:
        order.note = order.note.lower()

    change()
    return order.note + str(order.doubled().price)


def each_of_a_list(s: str) -> str:
    orders = [Order(s), Order("b", 2.0)]
    for order in orders:
        discounted(order, len(s) / 10)
    return ",".join(f"{order.price:.2f}{order.tags}" for order in orders)


def where_one_raises(s: str) -> str:
    order = Order(s)
    try:
        served(order)
        discounted(order, 1 // len(s))
    except ZeroDivisionError:
        order.note += "none"
    return f"{order.note}{order.price}"


CASES: list[tuple[Callable[[str], Any], DataType]] = [
    (mean_of_lengths, DOUBLE),
    (summed, LONG),
    (most_common, TEXT),
    (shapes, TEXT),
    (two_names, TEXT),
    (only_read, DOUBLE),
    (baskets, TEXT),
    (plain_lists, TEXT),
    (by_a_function, TEXT),
    (by_a_function_of_a_function, TEXT),
    (by_a_function_within, TEXT),
    (each_of_a_list, TEXT),
    (where_one_raises, TEXT),
]


@pytest.mark.parametrize(("function", "result"), CASES, ids=[each[0].__name__ for each in CASES])
def test_answers(java: Java, function: Callable[[str], Any], result: DataType) -> None:
    assert answered_alike(java, function, [TEXT], result, [(text,) for text in TEXTS]) > 2


class Registered:
    every: ClassVar[list[Any]] = []

    def __init__(self, value: int) -> None:
        self.value = value
        self.every.append(self)


class Watched:
    def __init__(self, value: int) -> None:
        self.value = value

    def __setattr__(self, name: str, value: int) -> None:
        object.__setattr__(self, name, value * 2)


class Computed:
    def __init__(self, value: int) -> None:
        self._value = value
        self.value = value

    @property
    def value(self) -> int:
        return self._value

    @value.setter
    def value(self, value: int) -> None:
        self._value = value + 1


class Described:
    class Twice:
        def __set_name__(self, owner: type, name: str) -> None:
            self.name = "_" + name

        def __get__(self, owner: Any, kind: type) -> int:
            return int(getattr(owner, self.name))

        def __set__(self, owner: Any, value: int) -> None:
            setattr(owner, self.name, value * 2)

    value = Twice()

    def __init__(self, value: int) -> None:
        self.value = value


class Slotted:
    __slots__ = ("other",)

    def __init__(self, value: int) -> None:
        self.value = value  # type: ignore[misc]


class Lacking:
    def __init__(self, value: int) -> None:
        if value > 1:
            self.value = value


class Begun:
    def __new__(cls, value: int) -> Any:
        return value + 1

    def __init__(self, value: int) -> None:
        self.value = value


class Shared:
    def __init__(self, value: int) -> None:
        self.value = value
        self.later = lambda: self.value


REGISTRY: list[Any] = []


@dataclass
class Noted:
    value: int

    def __post_init__(self) -> None:
        REGISTRY.append(self)


class Compared:
    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return True

    def __bool__(self) -> bool:
        return False


@dataclass
class Held:
    """That says itself whether it is true, and is changed by a method."""

    count: int

    def add(self) -> Held:
        self.count += 1
        return self

    def __bool__(self) -> bool:
        return self.count > 2


class Sized:
    def __init__(self) -> None:
        self.count = 0

    def add(self) -> Sized:
        self.count += 1
        return self

    def __len__(self) -> int:
        return 0


def set_and_asked(s: str) -> int:
    held = Held(0)
    held.count = len(s)
    return 1 if held else 2


@pytest.mark.parametrize(
    "function",
    [
        set_and_asked,
        lambda s: 1 if Held(1).add() else 2,
        lambda s: 1 if not Sized().add() else 2,
        lambda s: int(bool(Sized().add())),
        lambda s: int(any([Held(0).add()])),
        lambda s: len(list(filter(None, [Sized().add()]))),
        lambda s: Registered(len(s)).value,
        lambda s: Watched(len(s)).value,
        lambda s: Computed(len(s)).value,
        lambda s: Described(len(s)).value,
        lambda s: Slotted(len(s)).value,  # type: ignore[attr-defined]
        lambda s: Lacking(len(s)).value,
        lambda s: Begun(len(s)) + 1,
        lambda s: Shared(len(s)).later(),
        lambda s: Noted(len(s)).value,
        lambda s: 1 if Compared(1) else 2,
        lambda s: str(Mean()),
        lambda s: hash(Mean()),
    ],
)
def test_what_may_do_more_has_no_java(function: Callable[[str], Any]) -> None:
    with pytest.raises(NotCompiled):
        translate(function, [TEXT], LONG)


def test_an_object_is_no_row() -> None:
    row = StructType().add("total", DOUBLE).add("count", LONG)
    with pytest.raises(NotCompiled, match="an object of Mean as a row"):
        translate(lambda s: Mean(len(s)), [TEXT], row)
