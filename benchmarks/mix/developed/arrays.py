"""Arrays, maps and structs as arguments."""

from __future__ import annotations

import math
from typing import NamedTuple

from benchmarks.mix.case import Case
from benchmarks.mix.columns import one_of, real, sometimes_null


class Parameter(NamedTuple):
    key: str
    value: str | None


def spread(values: list[float] | None) -> float | None:
    if not values or len(values) < 2:
        return None
    mean = sum(values) / len(values)
    squares = [(value - mean) ** 2 for value in values]
    return math.sqrt(sum(squares) / (len(values) - 1))


def cosine_similarity(first: list[float], second: list[float]) -> float:
    dot = sum(a * b for a, b in zip(first, second, strict=True))
    norm_first = math.sqrt(sum(a * a for a in first))
    norm_second = math.sqrt(sum(b * b for b in second))
    if norm_first == 0 or norm_second == 0:
        return 0.0
    return dot / (norm_first * norm_second)


def parameter_value(parameters: list[Parameter] | None) -> str | None:
    if parameters is None:
        return None
    found = [parameter for parameter in parameters if parameter.key == "a"]
    if not found:
        return None
    return found[0].value


def describe_person(properties: dict[str, str] | None) -> str:
    if not properties:
        return "nothing known"
    parts = []
    for key in ("hair", "eye"):
        colour = properties.get(key)
        if colour:
            parts.append(f"{colour} {key}")
    return " and ".join(parts) or "nothing known"


def _vector(seed: int, count: int) -> str:
    return f"array({', '.join(real(seed + i, -1, 1, 4) for i in range(count))})"


def _parameter(seed: int) -> str:
    key = one_of(seed, "a", "b", "c")
    return f"named_struct('key', {key}, 'value', {one_of(seed + 1, 'x', 'y', 'z')})"


CASES = (
    Case(
        spread,
        "taka-yayoi/public_repo:feature_engineering_at_scale/core_feature_factory/functions.py",
        (sometimes_null(_vector(1, 8)),),
        "double",
        ((([1.0, 3.0],), math.sqrt(2)), (([1.0],), None)),
    ),
    Case(
        cosine_similarity,
        "PiotrMaciejKowalski/BigData2022-films:lib/pyspark_cosinus_similarity.py",
        (_vector(1, 6), _vector(10, 6)),
        "double",
        ((([1.0, 0.0], [0.0, 1.0]), 0.0), (([3.0], [2.0]), 1.0)),
    ),
    Case(
        parameter_value,
        "gomesuit/larning-pyspark:sample4.py",
        (sometimes_null(f"array({_parameter(1)}, {_parameter(3)}, {_parameter(5)})"),),
        "string",
        ((([Parameter("b", "x"), Parameter("a", "y")],), "y"), (([],), None)),
    ),
    Case(
        describe_person,
        "ergemp/pyspark_reference2:structType_structField_examples/mapType_example.py",
        (
            sometimes_null(
                f"map('hair', {one_of(1, 'black', 'brown', 'red', 'grey')}, "
                f"'eye', {one_of(2, 'brown', 'black', 'grey', '')})"
            ),
        ),
        "string",
        ((({"hair": "red", "eye": ""},), "red hair"), ((None,), "nothing known")),
    ),
)
