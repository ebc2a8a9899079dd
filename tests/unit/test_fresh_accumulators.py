"""Which ``create_accumulator`` makes the same each time, and which may not."""

from __future__ import annotations

import collections
import random
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

import pytest

from notebook_udf.compile.fresh_accumulators import makes_the_same
from tests.spark.folding import SAMPLES

COUNTS = iter(range(9))
KEPT: list[int] = []


@dataclass
class Plain:
    """No more than its fields."""

    total: float = 0.0
    seen: list[int] = field(default_factory=list)


@dataclass
class Stamped:
    """One that asks for the time."""

    since: float = field(default_factory=time.time)


class Named:
    """One with a name of its own."""

    def __init__(self) -> None:
        self.name = uuid.uuid4().hex


class Of:
    """Makes accumulators by a function."""

    size = 3

    def __init__(self) -> None:
        self.floor = 0.5


def of(create: Any) -> Any:
    return type("Made", (Of,), {"create_accumulator": create})()


def filled(self: Any) -> Any:
    made: dict[str, list[int]] = {}
    for key in ("a", "b"):
        made[key] = [0 for _ in range(self.size)]
    made["c"] = [0] * self.size
    made["c"].append(1)
    return made


STEADY = {
    "displays": lambda self: [0, 0.0, {"a": (), "b": set()}, float("-inf")],
    "filled": filled,
    "attributes": lambda self: {"least": self.floor, "size": self.size},
    "containers": lambda self: (collections.Counter(), collections.defaultdict(int)),
    "a dataclass": lambda self: Plain(),
}
CHANGING = {
    "a clock": lambda self: {"since": time.time()},
    "chance": lambda self: [random.random()],
    "a dataclass": lambda self: Stamped(),
    "an object": lambda self: Named(),
    "an iterator": lambda self: [next(COUNTS)],
    "an identity": lambda self: [id(self)],
    "a list of the module's": lambda self: KEPT,
    "an attribute": lambda self: [setattr(self, "floor", 1)],
}


@pytest.mark.parametrize("name", STEADY)
def test_what_is_made_of_constants(name: str) -> None:
    assert makes_the_same(of(STEADY[name]))


@pytest.mark.parametrize("name", CHANGING)
def test_what_may_be_another_each_time(name: str) -> None:
    assert not makes_the_same(of(CHANGING[name]))


@pytest.mark.parametrize("name", SAMPLES)
def test_as_people_write_them(name: str) -> None:
    assert makes_the_same(SAMPLES[name].function())
