"""Functions that a function makes, with defaults and in loops, in the JVM as in Python."""

# What a default is where the function is made is what is asked about.
# ruff: noqa: B008, B023, E731, SIM108

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from pyspark.sql.types import LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import Java, answered_alike

LONG, TEXT = LongType(), StringType()
NUMBERS = (None, 0, 1, 2, 3, -7, 100, 2**62, -(2**63))
WORDS = (None, "", "a", "b a", "one two", "é 😀", "x1 y22")


def by_place(n: int) -> int:
    def scaled(x: int, by: int = 3, more: int = 1) -> int:
        return x * by + more

    return scaled(n) + scaled(n, 2) + scaled(n, 2, 5) + scaled(n, more=7) + scaled(by=1, x=n)


def by_name(n: int) -> str:
    def told(x: int, *, sep: str = "-", last: bool = False) -> str:
        return f"{x}{sep}" + ("!" if last else "")

    return told(n) + told(n, sep="+") + told(n + 1, last=True)


def as_it_was(n: int) -> int:
    k = n
    plus = lambda x, k=k: x + k
    k = 1000
    return plus(1) + k


def in_a_loop(n: int) -> int:
    total = 0
    for i in range(4):
        times = lambda x, i=i: x * i
        total += times(n)
    return total


def made_in_one_round(n: int) -> int:
    total, times = 0, lambda x, by=5: x + by
    for i in range(4):
        total += times(n, i)
    return total + times(total)


def none_or_not(n: int) -> str:
    def told(x: int, unit: str | None = None) -> str:
        return str(x) if unit is None else str(x) + unit

    return told(n) + told(n, "m")


def a_tuple(n: int) -> int:
    def of(i: int, known: tuple[int, int, int] = (5, 7, n)) -> int:
        return known[i]

    return of(0) + of(2) + of(n)


def raises_where_it_is_made(n: int) -> int:
    def unused(x: int, by: int = 10 // n) -> int:
        return x * by

    return 1 if n > 2 else unused(n)


def taken_where_it_is_made(n: int) -> int:
    try:
        share = lambda x, by=100 // n: x // by
        return share(1000)
    except ZeroDivisionError:
        return -1


def given_out(s: str) -> str:
    def words(text: str, least: int = 2) -> Iterator[str]:
        for word in text.split():
            if len(word) >= least:
                yield word

    return ",".join(words(s)) + ";" + ",".join(words(s, least=1))


def in_its_place(s: str) -> str:
    return re.sub(r"\d+", lambda found, s=s: found.group() + str(len(s)), s)


def for_an_order(s: str) -> str:
    n = len(s)
    return "".join(sorted(s.split(), key=lambda w, n=n: (len(w) % (n + 1), w)))


def cleaned(s: str) -> str:
    def clean(word: str) -> str:
        return word.strip().title()

    made = []
    for word in s.split():
        made.append(clean(word))
    return ",".join(made)


def in_loops(s: str) -> str:
    size, made = len(s), ""

    def told(word: str, times: int = 1) -> str:
        return word * times + str(size)

    for i in range(3):
        if i == 1:
            continue
        for word in s.split():
            made += told(word, i)
        while len(made) < 9:
            made += told("x")
    return made


def another_in_each_round(n: int) -> int:
    total = 0
    for i in range(4):

        def step(x: int, by: int = i) -> int:
            return x + by * i

        for j in (1, 2, 3):
            total += step(j) if n > j else step(j, n)
    return total


def in_three_loops(n: int) -> int:
    total = 0
    for i in range(4):
        plus = lambda x, k=i: x + k
        for j in range(3):
            times = lambda x, by=plus(j): x * by
            for k in range(n % 5):
                total += plus(k) + times(j)
    return total


def one_of_two(n: int) -> int:
    if n > 2:
        change = lambda x: x + 1
    else:
        change = lambda x: x - 1
    total = 0
    for i in range(3):
        total += change(i)
    return total


def that_calls_another(s: str) -> str:
    def head(word: str, most: int = 2) -> str:
        return word[:most]

    def marked(word: str) -> str:
        return f"<{head(word)}>"

    made = ""
    for word in s.split():
        try:
            made += marked(word) + head(word, 1) + word[3]
        except IndexError:
            made += "!"
    return made


def calls_itself(n: int) -> int:
    def moves(k: int) -> int:
        return 0 if k <= 0 else 2 * moves(k - 1) + 1

    def sums(k: int) -> int:
        if k < 2:
            return k
        return sums(k - 1) + sums(k - 2)

    return moves(n % 20) * 1000 + sums(n % 9) + moves(2)


def is_a_lambda_that_calls_itself(n: int) -> int:
    shared = lambda x, y: x if y == 0 else shared(y, x % y)
    return shared(n, 12)


OF_NUMBERS: list[Callable[[int], object]] = [
    by_place, as_it_was, in_a_loop, made_in_one_round, a_tuple, raises_where_it_is_made,
    taken_where_it_is_made, another_in_each_round, in_three_loops, calls_itself,
    is_a_lambda_that_calls_itself,
]  # fmt: skip


OF_TEXTS: list[Callable[[str], object]] = [
    given_out, in_its_place, for_an_order, cleaned, in_loops, that_calls_another,
]  # fmt: skip


@pytest.mark.parametrize("function", OF_NUMBERS)
def test_numbers_are_as_in_python(java: Java, function: Callable[[int], object]) -> None:
    assert answered_alike(java, function, [LONG], LONG, [(n,) for n in NUMBERS])


@pytest.mark.parametrize("function", [by_name, none_or_not])
def test_texts_of_numbers_are_as_in_python(java: Java, function: Callable[[int], object]) -> None:
    assert answered_alike(java, function, [LONG], TEXT, [(n,) for n in NUMBERS])


@pytest.mark.parametrize("function", OF_TEXTS)
def test_texts_are_as_in_python(java: Java, function: Callable[[str], object]) -> None:
    assert answered_alike(java, function, [TEXT], TEXT, [(s,) for s in WORDS])


def kept_between_calls(n: int) -> int:
    def grown(x: int, seen: list[int] = []) -> int:  # noqa: B006
        seen.append(x)
        return len(seen)

    return grown(n) + grown(n)


def one_of_a_list(n: int) -> int:
    values = [n, 2]

    def first(x: int, of: list[int] = values) -> int:
        return of[0] + x

    values.append(3)
    return first(1)


def too_few(n: int) -> int:
    def both(x: int, y: int, by: int = 1) -> int:
        return x + y + by

    return both(n)  # type: ignore[call-arg]


def doubling(function: Callable[[int], int]) -> Callable[[int], int]:
    def double(n: int) -> int:
        return function(n) * 2

    return double


def calls_what_its_decorator_made(n: int) -> int:
    @doubling
    def down(k: int) -> int:
        return 1 if k <= 0 else down(k - 1) + 1

    return down(n % 9)


def calls_one_of_two(n: int) -> int:
    def down(k: int) -> int:
        return 1 if k <= 0 else down(k - 1) + 1

    first = down(n % 9)

    def down(k: int) -> int:  # type: ignore[no-redef]
        return 2 if k <= 0 else down(k - 1) + 2

    return first + down(n % 9)


REFUSED: list[tuple[Callable[[int], int], str]] = [
    (kept_between_calls, "a default that is no number and no text"),
    (one_of_a_list, "a default that is no number and no text"),
    (one_of_two, "change, which may have no value, or values of several types"),
    (too_few, "a call of both that does not fit it"),
    (calls_what_its_decorator_made, "down, which has no value yet"),
    (calls_one_of_two, "down, which changes and which a function here shares"),
]


@pytest.mark.parametrize(("function", "why"), REFUSED)
def test_what_may_change_stays_in_python(function: Callable[[int], int], why: str) -> None:
    with pytest.raises(NotCompiled, match=why):
        translate(function, [LONG], LONG)
