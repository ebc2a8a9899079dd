"""Sets in the JVM: what Python's hold, whatever their order, and nothing that depends on it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql.types import ArrayType, BooleanType, DataType, DoubleType, LongType, StringType

import notebook_udf as nu
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import Java, answered_alike

REALS, WHOLES, TEXTS = ArrayType(DoubleType()), ArrayType(LongType()), ArrayType(StringType())
FLAGS = ArrayType(BooleanType())
LONG, DOUBLE, TEXT, BOOLEAN = LongType(), DoubleType(), StringType(), BooleanType()
INF = float("inf")
# Few, so that sets have some in common; many of them are equal to one of another type.
VALUES: dict[type[DataType], tuple[Any, ...]] = {
    DoubleType: (0.0, -0.0, 1.0, 2.0, 0.5, -1.5, INF, -INF, 2.0**53, 2.0**63, 1e300),
    LongType: (0, 1, 2, 3, -1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)),
    BooleanType: (True, False),
    StringType: ("", "a", "b", "B", "a b", "b  a c", "ß", "😀", "1"),
}
VOWELS = frozenset("aeiou")
KNOWN = {1, 2.5, None, "a"}


def value(chance: random.Random, kind: DataType, lacking: float = 0.0) -> Any:
    if chance.random() < lacking:
        return None
    if isinstance(kind, ArrayType):
        lacking = 0.2 if kind.containsNull and chance.random() < 0.2 else 0.0
        count = chance.choice((0, 1, 2, 3, 4, 6, 9))
        return [value(chance, kind.elementType, lacking) for _ in range(count)]
    return chance.choice(VALUES[type(kind)])


def jaccard(a: str, b: str) -> float:
    x, y = set(a.split()), set(b.split())
    if not x and not y:
        return 1.0
    return len(x & y) / len(x | y)


def first_of_each(v: list[float]) -> list[float]:
    seen = set()
    made = []
    for each in v:
        if each in seen:
            continue
        seen.add(each)
        made.append(each)
    return made


def of_two_lists(v: list[float], w: list[int]) -> list[str]:
    whole = set()
    for each in w:
        whole.add(each)
    for real in v:
        whole.add(real)
    return [str(each) for each in sorted(whole)]


def in_place(v: list[int], w: list[int]) -> list[int]:
    x = set(v)
    same = x
    x |= {3, 5}
    x -= set(w)
    x ^= {1, 2}
    x &= {1, 2, 3, 5, 0}
    return sorted(same)


def in_place_of_itself(v: list[int]) -> int:
    x = set(v)
    x.update(x)
    x &= x
    kept = len(x)
    x -= x
    return kept * 100 + len(x)


def frozen(v: list[int], w: list[int]) -> int:
    x = frozenset(v)
    same = x
    x |= set(w)
    return len(same) * 100 + len(x)


def removed(v: list[str], s: str) -> list[str]:
    x = set(v)
    x.discard(s)
    x.discard("a")
    x.remove("b")
    return sorted(x)


def maybe(v: list[int], n: int) -> int | None:
    x = None
    if n > 0:
        x = set(v)
    if not x:
        return None
    return len(x)


def shared_set(v: list[str], s: str) -> bool:
    return s in set(v) or s.upper() in {each.lower() for each in v}


def cleared(v: list[str]) -> list[int]:
    x = set(v)
    y = x.copy()
    x.clear()
    x.update(["q"], {"r", "q"})
    return [len(x), len(y)]


SETS: list[tuple[Callable[..., Any], list[DataType], DataType]] = [
    (jaccard, [TEXT, TEXT], DOUBLE),
    (first_of_each, [REALS], REALS),
    (of_two_lists, [REALS, WHOLES], TEXTS),
    (in_place, [WHOLES, WHOLES], WHOLES),
    (in_place_of_itself, [WHOLES], LONG),
    (frozen, [WHOLES, WHOLES], LONG),
    (removed, [TEXTS, TEXT], TEXTS),
    (maybe, [WHOLES, LONG], LONG),
    (shared_set, [TEXTS, TEXT], BOOLEAN),
    (cleared, [TEXTS], WHOLES),
    (lambda v: sorted(set(v)), [TEXTS], TEXTS),
    (lambda v: sorted(set(v), reverse=True), [REALS], REALS),
    (lambda v: len(set(v)), [REALS], LONG),
    (lambda v: len(set(v)) == len(v), [WHOLES], BOOLEAN),
    (lambda s: len({c for c in s if c != " "}), [TEXT], LONG),
    (lambda s: len(set(s) & VOWELS), [TEXT], LONG),
    (lambda s: sorted(VOWELS - set(s)), [TEXT], TEXTS),
    (lambda s: VOWELS.isdisjoint(s), [TEXT], BOOLEAN),
    (lambda s: set(s) <= set("ab "), [TEXT], BOOLEAN),
    (lambda s: set(s.split()) == {"a", "b"}, [TEXT], BOOLEAN),
    (lambda v: len(set(v) | KNOWN), [REALS], LONG),
    (lambda v: len(KNOWN & set(v)), [TEXTS], LONG),
    (lambda v: sum(set(v)), [WHOLES], LONG),
    (lambda v: min(set(v)), [REALS], DOUBLE),
    (lambda v: max(set(v)), [TEXTS], TEXT),
    (lambda v: any(set(v)), [WHOLES], BOOLEAN),
    (lambda v: all(set(v)), [TEXTS], BOOLEAN),
    (lambda v, w: bool(set(v) - set(w)), [REALS, WHOLES], BOOLEAN),
    (lambda v, w: set(v).isdisjoint(w), [REALS, WHOLES], BOOLEAN),
    (lambda v, n: n in set(v), [REALS, LONG], BOOLEAN),
    (lambda v, x: x not in set(v), [WHOLES, DOUBLE], BOOLEAN),
    (lambda v, b: b in set(v), [WHOLES, BOOLEAN], BOOLEAN),
    (lambda a, b: len({a, b, 1}), [LONG, DOUBLE], LONG),
    (lambda v: len(set(map(str.lower, v))), [ArrayType(TEXT, False)], LONG),
    (lambda v: len(set(each // 2 for each in v)), [ArrayType(LONG, False)], LONG),  # noqa: C401
]


def rows_of(chance: random.Random, types: list[DataType], count: int) -> list[tuple[Any, ...]]:
    made = [tuple(value(chance, kind, 0.03) for kind in types) for _ in range(count)]
    return [*made, tuple(None for _ in types)]


@pytest.mark.parametrize("each", SETS, ids=lambda each: each[0].__name__)
def test_functions_with_sets_answer_as_in_python(java: Java, each: Any) -> None:
    function, types, result = each
    answered = answered_alike(java, function, types, result, rows_of(random.Random(3), types, 150))
    assert answered > 15


# Of sets x, y and lists v, w: a set, and what is told of one.
COMBINED = (
    *("x & y", "x | y", "x - y", "x ^ y", "y & x", "y | x", "y - x", "x & y | x", "x ^ y ^ x"),
    *("x.union(y)", "x.union(w)", "x.union(w, v)", "x.intersection(y)", "x.intersection(w)"),
    *("y.intersection(x, v)", "x.difference(y)", "x.difference(w, [1, 2])", "x.copy()"),
    *("x.symmetric_difference(y)", "x.symmetric_difference(w)", "{e for e in v if e in y}"),
    *("x & {1, 0}", "{True, 0.0} & x", "frozenset(w) & x", "x - {0, 1, 2}", "set() | x"),
)
TOLD = (
    *("[str(e) for e in sorted({set})]", "[str(e) for e in sorted({set}, reverse=True)]"),
    *("[str(len({set}))]", "[str(min({set})), str(max({set}))]", "[str(1 in {set})]"),
    *("['some' if {set} else 'none']", "[str({set} <= x), str({set} < y), str({set} >= y)]"),
    *("[str({set} == y), str({set} != x), str({set} > x)]", "[str({set}.isdisjoint(w))]"),
    *("[str({set}.issubset(w)), str({set}.issuperset(v))]", "[str(0.5 in {set})]"),
)


@pytest.mark.parametrize(
    "types",
    [[REALS, WHOLES], [WHOLES, FLAGS], [REALS, FLAGS], [WHOLES, WHOLES]],
    ids=["reals", "flags", "both", "wholes"],
)
def test_what_is_told_of_combined_sets(java: Java, types: list[DataType]) -> None:
    chance = random.Random(str(types))
    for _ in range(40):
        told = chance.choice(TOLD).replace("{set}", f"({chance.choice(COMBINED)})")
        names: dict[str, Any] = {}
        exec(f"def f(v, w):\n    x, y = set(v), set(w)\n    return {told}", names)
        answered_alike(java, names["f"], types, TEXTS, rows_of(chance, types, 30))


def test_with_nan_a_row_is_not_answered(java: Java) -> None:
    made = translate(lambda v: len(set(v)), [REALS], LONG)
    nan = float("nan")
    assert java.rows(made, [([1.0, nan],), ([1.0],)]) == ["<raised>", 1]
    found = translate(lambda v, x: x in set(v), [REALS, DOUBLE], BOOLEAN)
    assert java.rows(found, [([1.0], nan)]) == [False]


def added_to_frozen(v: list[int]) -> int:
    x = frozenset(v)
    x.add(1)  # type: ignore[attr-defined]
    return len(x)


def popped(v: list[int]) -> int:
    return set(v).pop()


def changed_constant(v: list[int]) -> int:
    KNOWN.update(v)
    return len(KNOWN)


def changed_in_place(v: list[int]) -> int:
    x = KNOWN
    x |= set(v)  # type: ignore[arg-type]
    return len(x)


REFUSED: list[tuple[Callable[..., Any], DataType, str]] = [
    (lambda v: list(set(v)), WHOLES, "order of a set"),
    (lambda v: tuple(set(v)), WHOLES, "order of a set"),
    (lambda v: [each for each in set(v)], WHOLES, "order of a set"),  # noqa: C416
    (lambda v: set(v), WHOLES, "a set as a result"),
    (lambda v: max(set(v), key=v.count), LONG, "order of a set"),
    (lambda v: sorted(set(v), key=abs), WHOLES, "order of a set"),
    (lambda v: sum(each for each in set(v)), LONG, "order of a set"),
    (lambda v: ",".join({str(each) for each in v}), TEXT, "a list of texts"),
    (lambda v: next(iter(set(v))), LONG, "order of a set"),
    (lambda v: f"{set(v)}", TEXT, "a set in a text"),
    (lambda v: set(v) & v, LONG, "a set and something else"),
    (lambda v: sum({each / 2 for each in v}), DOUBLE, "sum of a set"),
    (lambda v: set(v) == v, BOOLEAN, "a set and something else"),
    (lambda v: len({(each, 1) for each in v}), LONG, "a tuple as a value"),
    (added_to_frozen, LONG, "a frozenset"),
    (popped, LONG, "the method pop of a set"),
    (changed_constant, LONG, "not the function's own"),
    (changed_in_place, LONG, "a frozenset"),
]


@pytest.mark.parametrize(("function", "result", "reason"), REFUSED)
def test_what_stays_in_python(function: Any, result: DataType, reason: str) -> None:
    with pytest.raises(NotCompiled, match=reason):
        translate(function, [ArrayType(LONG, False)], result)


def test_it_runs_in_java_in_a_query(session: nu.Session) -> None:
    session.register_function("in_java_jaccard", nu.udf(jaccard))
    try:
        frame = session.sql(
            "SELECT in_java_jaccard('a b c', concat('b c d ', id)) AS j FROM range(4)"
        )
        assert [row.j for row in frame.collect()] == [2 / 5] * 4
        assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()
    finally:
        session.drop_function("in_java_jaccard")
