"""Lists, dicts and tuples within each other, rows, and what functions change, in Spark's JVM.

Each function is called by its class in Java and by a Python worker: both have to answer alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from pyspark.sql import Row as SparkRow

import notebook_udf as nu
from notebook_udf import Row, udf

CASES: list[tuple[Callable[..., Any], str, str, tuple[str, ...]]] = []


def case(types: str, result: str, *rows: str) -> Callable[[Any], Any]:
    """A function of columns of these types, and the rows of SQL that it is called with."""

    def add(function: Any) -> Any:
        CASES.append((function, types, result, rows))
        return function

    return add


PEOPLE = (
    "array(struct('ann', 3), struct('bo', CAST(NULL AS INT)), struct('cy', 7), struct('dé', -1))",
    "array(struct('ann', 3), struct('cy', 7), struct('ann', 4), struct('bo', 7))",
    "array()",
    "NULL",
    "array(struct(CAST(NULL AS STRING), 5))",
)
TEXTS = ("'a b a c b a'", "''", "'ü ß 😀 ü'", "'one'", "'a=1&b=2&a=3'", "'x,y;z,,w'")
NUMBERS = ("array(3, 1, 2, 3)", "array()", "array(5)", "array(7, -7, 0, 2147483646)")
GRIDS = (
    "array(array(1, 2), array(), array(3))",
    "array(array(5, 5), array(9), array(-1, 2))",
    "array(array())",
)
PERSON = ("struct('Ann', 'Lee', 41)", "struct(CAST(NULL AS STRING), 'Bo', 7)", "struct('A', '', 0)")
person = "struct<first:string,last:string,age:int>"
people = "array<struct<name:string,score:int>>"


@case("double", "string", "1.7e308D", "0.0D", "-1.7e308D", "-1.0D")
def placed_far_away(x: float) -> Any:
    found = [1, 2]
    try:
        found.insert(int(x), 3)
        found.append(found.pop(int(x)))
    except OverflowError:
        return "too far"
    return ",".join(map(str, found))


@case(person, "string", *PERSON[::2])
def by_attribute(row: Any) -> Any:
    return row.first + " " + row.last


@case(person, "string", *PERSON)
def by_name_and_place(row: Any) -> Any:
    return f"{row['last']}, {row[0]} ({row[-1]}) {len(row)}"


@case(person, "string", *PERSON, "NULL")
def maybe_a_row(row: Any) -> Any:
    if row is None:
        return "nobody"
    first, last, age = row
    return last if first is None else first * (age // 20)


@case(person, "struct<first:string,last:string,age:int>", *PERSON, "NULL")
def itself(row: Any) -> Any:
    return row


@case(person, "struct<age:int,first:string,last:string>", *PERSON)
def turned(row: Any) -> Any:
    return row


@case("struct<inside:struct<n:int,m:array<int>>,k:string>", "bigint",
      "struct(struct(1, array(1, 2)), 'a')", "struct(struct(2, array(9)), NULL)")  # fmt: skip
def deep(row: Any) -> Any:
    return row.inside.n + sum(row.inside.m) if row.k else row["inside"]["m"][0]


@case(people, "bigint", *PEOPLE[1:3])
def total(rows: Any) -> Any:
    return sum(row.score for row in rows)


@case(people, "array<string>", *PEOPLE[:3], PEOPLE[4])
def names(rows: Any) -> Any:
    return [row.name for row in rows if row.score is not None and row.score > 2]


@case(people, "struct<name:string,score:int>", *PEOPLE[1:3])
def best(rows: Any) -> Any:
    found = None
    for row in rows:
        if found is None or row.score > found.score:
            found = row
    return found


@case(people, "struct<name:string,score:int>", PEOPLE[1])
def best_by_key(rows: Any) -> Any:
    return max(rows, key=lambda row: row.score)


@case(people, "string", PEOPLE[1])
def first_of_sorted(rows: Any) -> Any:
    return sorted(rows, key=lambda row: -row["score"])[0].name


@case(people, "map<string,array<int>>", *PEOPLE[:3])
def grouped(rows: Any) -> Any:
    found = defaultdict(list)
    for row in rows:
        found[row.name].append(row.score)
    return found


@case(people, "map<string,int>", *PEOPLE[1:3])
def summed(rows: Any) -> Any:
    found: dict[str, int] = {}
    for name, score in rows:
        found[name] = found.get(name, 0) + score
    return found


@case("string", "map<string,int>", *TEXTS)
def counted(text: Any) -> Any:
    found: dict[str, int] = {}
    for word in text.split():
        if word in found:
            found[word] += 1
        else:
            found[word] = 1
    return found


@case("string", "map<string,bigint>", *TEXTS)
def lengths(text: Any) -> Any:
    return {word: len(word) for word in text.split()}


@case("string", "map<string,string>", "'a=1&b=2&a=3'", "'k=v=w'")
def pairs_to_dict(text: Any) -> Any:
    return dict(part.split("=", 1) for part in text.split("&"))


@case("string", "map<string,string>", *TEXTS[:4])
def made_map(text: Any) -> Any:
    return {"text": text, "first": text[:1]}


@case("string", "string", *TEXTS)
def order_of_keys(text: Any) -> Any:
    seen: dict[str, int] = {}
    for place, word in enumerate(text.split()):
        seen.setdefault(word, place)
    seen["last"] = -1
    return ",".join(f"{key}:{value}" for key, value in seen.items())


@case("string", "array<struct<k:string,n:int>>", *TEXTS)
def tuples(text: Any) -> Any:
    return [(word, len(word)) for word in text.split()]


@case("string", "array<struct<k:string,v:string>>", "'a=1&b=2'", "'x=y'")
def splits(text: Any) -> Any:
    return [tuple(part.split("=")) for part in text.split("&")]


@case("string", "array<array<string>>", *TEXTS)
def cells(text: Any) -> Any:
    return [line.split(",") for line in text.split(";")]


@case("array<int>", "array<array<int>>", *NUMBERS)
def neighbours(numbers: Any) -> Any:
    return [[a, b] for a, b in zip(numbers, numbers[1:])]  # noqa: B905, RUF007


@case("array<array<int>>", "array<int>", *GRIDS)
def flat(grid: Any) -> Any:
    return [x for row in grid for x in row]


@case("array<array<int>>", "int", *GRIDS)
def largest_row(grid: Any) -> Any:
    found = None
    for row in grid:
        if found is None or sum(row) > sum(found):
            found = row
    return len(found) if found else -1


class Range(NamedTuple):
    low: int
    high: int


@dataclass
class Point:
    x: int
    y: int


@case("array<int>", "array<struct<high:int,low:int>>", *NUMBERS)
def named_tuples(numbers: Any) -> Any:
    return [Range(min(n, 0), max(n, 0)) for n in numbers]


@case("array<int>", "struct<x:int,y:int>", *NUMBERS)
def last_point(numbers: Any) -> Any:
    found = [Point(n, place) for place, n in enumerate(numbers)]
    return found[-1] if found else None


@case("string", "struct<text:string,n:int>", *TEXTS)
def dict_as_row(text: Any) -> Any:
    return {"n": len(text), "text": text.upper()}


@case("string", "struct<text:string,n:int>", *TEXTS)
def spark_row(text: Any) -> Any:
    return SparkRow(n=len(text), text=text)


@case("string", "struct<text:string,n:int>", *TEXTS)
def own_row(text: Any) -> Any:
    return Row(text, len(text)) if text else None


@case("string", "struct<n:int,words:array<string>>", *TEXTS)
def part_is_a_list(text: Any) -> Any:
    words = text.split()
    return len(words), words


@case("int", "string", "1994", "3", "3999", "0")
def roman(n: Any) -> Any:
    values = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
              (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]  # fmt: skip
    made = ""
    for value, letters in values:
        while n >= value:
            made += letters
            n -= value
    return made


@case("int", "array<int>", "30", "0", "2")
def sieve(n: Any) -> Any:
    is_prime = [True] * (n + 1)
    for i in range(2, n + 1):
        if is_prime[i]:
            for j in range(i * i, n + 1, i):
                is_prime[j] = False
    return [i for i in range(2, n + 1) if is_prime[i]]


@case("string,string", "int", "'kitten','sitting'", "'',''", "'flaw','lawn'", "'a',''")
def levenshtein(a: Any, b: Any) -> Any:
    before = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y)))
        before = row
    return before[-1]


@case("string,string", "int", "'abcbdab','bdcaba'", "'',''", "'xyz','xyz'")
def common(a: Any, b: Any) -> Any:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@case("string", "boolean", "'([]{})'", "'([)]'", "''", "')'", "'(('")
def balanced(text: Any) -> Any:
    opened = []
    pairs = {")": "(", "]": "[", "}": "{"}
    for letter in text:
        if letter in "([{":
            opened.append(letter)
        elif letter in pairs and (not opened or opened.pop() != pairs[letter]):
            return False
    return not opened


@case("array<int>", "array<int>", *NUMBERS)
def one_list_by_two_names(numbers: Any) -> Any:
    made = [0]
    other = made
    for n in numbers:
        made.append(n)
    other.insert(1, len(made))
    return made


@case("array<int>", "array<int>", *NUMBERS)
def grown(numbers: Any) -> Any:
    made = [1, 2]
    same = made
    same += numbers
    made.extend([n + 1 for n in numbers])
    made.reverse()
    return made if same is not None else []


@case("array<int>", "array<int>", *NUMBERS)
def rows_are_shared(numbers: Any) -> Any:
    rows = [[]] * 2
    for n in numbers:
        rows[0].append(n)
    return rows[1]


@case("array<int>", "string", *NUMBERS)
def a_tuple_or_none(numbers: Any) -> Any:
    found = None
    for place, n in enumerate(numbers):
        if n > 2:
            found = (place, n)
            break
    if found is None:
        return "none"
    at, value = found
    return f"{at} {value}"


@case("array<int>", "string", *NUMBERS)
def a_constant_tuple(numbers: Any) -> Any:
    low = (0, "")
    for n in numbers:
        if n < low[0]:
            low = (n, str(n))
    return low[1]


@case("array<int>", "bigint", *NUMBERS)
def shadowed(numbers: Any) -> Any:
    x = 100
    for n in numbers:
        x += n
    squares = [x * x for x in numbers]
    pairs = dict.fromkeys(numbers, 1)
    return x + sum(squares) + len(pairs)


@case("array<int>", "bigint", *NUMBERS)
def named_again(numbers: Any) -> Any:
    y = 7
    made = [y + 1 for y in numbers if y > 1]
    total = y
    for y in made:
        total += y
    try:
        large = [y for y in numbers if y > 2]
        return total // large[0] + y
    except IndexError:
        return total


@case("array<int>", "bigint", *NUMBERS)
def inner_functions(numbers: Any) -> Any:
    base = len(numbers)

    def scaled(x: int) -> int:
        return x * base

    add = lambda y: y + base  # noqa: E731
    return sum(map(scaled, numbers)) + add(1) + sum(base - k for k in numbers)


@case("string", "array<struct<w:string,n:int>>", *TEXTS)
def sorted_items(text: Any) -> Any:
    found = {}
    for word in text.split():
        found[word] = found.get(word, 0) + 1
    return sorted(found.items())


@case("string", "string", "'a b a c b a'", "'one'")
def largest_pair(text: Any) -> Any:
    pairs = [(text.count(word), word) for word in text.split()]
    pairs.sort(reverse=True)
    return max(pairs)[1] + pairs[0][1] + min(pairs)[1]


@case("array<int>", "struct<at:int,n:int>", *NUMBERS)
def constant_tuples(numbers: Any) -> Any:
    for place, n in enumerate(numbers):
        if n < 0:
            return (place, n)
        if n > 6:
            return None
    return (-1, 0)


@case("map<string,struct<n:int,m:int>>", "int", "map('a', struct(1, 2), 'b', struct(5, 3))")
def rows_in_a_dict(by_name: Any) -> Any:
    return sum(row.n * row.m for row in by_name.values()) + by_name["a"].m


@case("map<string,array<int>>", "map<string,int>", "map('a', array(1, 2), 'b', array())")
def lists_in_a_dict(by_name: Any) -> Any:
    return {name: sum(values) for name, values in by_name.items() if values}


@case("struct<d:date,n:int>", "int", "struct(DATE'2024-02-29', 4)")
def beside_a_day(row: Any) -> Any:
    return row.n + 1


@case("struct<p:decimal(10,2),n:int>", "decimal(12,2)", "struct(1.25BD, 4)", "struct(0.00BD, -1)")
def price(row: Any) -> Any:
    return row.p * row.n


def called(
    session: nu.Session, function: Any, types: str, result: str, row: str, *, compiled: bool
) -> Any:
    declared = udf(function, result_type=result, compile=compiled)
    name = f"nested_{'java' if compiled else 'python'}_{function.__name__}"
    session.register_function(name, declared)
    values = [row] if types.count("<") or "," not in types else row.split(",")
    kinds = [types] if len(values) == 1 else types.split(",")
    given = ", ".join(f"CAST({v} AS {t})" for v, t in zip(values, kinds, strict=True))
    frame = session.sql(f"SELECT {name}({given}) AS v FROM range(1)")
    plan = frame._jdf.queryExecution().executedPlan().toString()
    assert ("EvalPython" in plan) != compiled
    return frame


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("function", "types", "result", "rows"), CASES, ids=[each[0].__name__ for each in CASES]
)
def test_both_answer_alike(
    session: nu.Session, function: Any, types: str, result: str, rows: tuple[str, ...]
) -> None:
    frames = {
        compiled: [called(session, function, types, result, row, compiled=compiled) for row in rows]
        for compiled in (True, False)
    }
    try:
        found, expected = (
            [frame.collect()[0].v for frame in frames[compiled]] for compiled in (True, False)
        )
    finally:
        for where in ("java", "python"):
            session.drop_function(f"nested_{where}_{function.__name__}")
    assert repr(found) == repr(expected)


def failing(numbers: Any, rows: Any) -> int:
    made = [10 // n for n in numbers]
    return made[0] + rows[0].n["k"]


def test_the_values_of_a_row_that_raises(session: nu.Session) -> None:
    declared = udf(failing, result_type="int")
    session.register_function("nested_failing", declared)
    types = "ARRAY<STRUCT<n MAP<STRING, INT>, t ARRAY<STRING>>>"
    given = f"array(5, 0), CAST(array(struct(map('k', 1), array('a, (b', NULL))) AS {types})"
    try:
        frame = session.sql(f"SELECT nested_failing({given}) AS v FROM range(1)")
        assert "EvalPython" not in frame._jdf.queryExecution().executedPlan().toString()
        with pytest.raises(nu.UserFunctionError, match="ZeroDivisionError") as raised:
            frame.collect()
        assert dict(raised.value.failed.arguments) == {
            "numbers": "[5, 0]",
            "rows": "[Row(n={'k': 1}, t=['a, (b', None])]",
        }
    finally:
        session.drop_function("nested_failing")


def test_which_exceptions_changes_raise(session: nu.Session) -> None:
    given = {"array()": [], "array(1)": [1], "array(1, 2)": [1, 2]}
    plain = udf(_changes, result_type="string")
    session.register_function("nested_changes", plain)
    try:
        for text, numbers in given.items():
            frame = session.sql(f"SELECT nested_changes(CAST({text} AS ARRAY<INT>)) AS v")
            assert "EvalPython" not in frame._jdf.queryExecution().executedPlan().toString()
            assert frame.collect()[0].v == _changes(numbers)
    finally:
        session.drop_function("nested_changes")


def _changes(numbers: Any) -> str:
    made = list(numbers)
    found = []
    try:
        found.append(str(made.pop()))
        made.pop(5)
    except IndexError:
        found.append("index")
    try:
        made[-1] = 7
        found.append(str(made[0]))
    except IndexError:
        found.append("no place")
    counts = {"a": len(made)}
    try:
        counts["a"] += counts["b"]
    except KeyError:
        found.append("key")
    return " ".join(found)


def _grows(numbers: Any) -> int:
    seen = {}
    for n in numbers:
        seen[n] = 1
    for key in seen:
        seen[key + 1] = 2
    return len(seen)


def test_a_dict_that_grows_while_it_is_gone_through(session: nu.Session) -> None:
    session.register_function("nested_grows", udf(_grows, result_type="int"))
    try:
        for text, length in (("array(2, 1)", None), ("array(1)", None), ("array()", 0)):
            frame = session.sql(f"SELECT nested_grows(CAST({text} AS ARRAY<INT>)) AS v")
            assert "EvalPython" not in frame._jdf.queryExecution().executedPlan().toString()
            if length is None:
                with pytest.raises(nu.UserFunctionError, match="RuntimeError"):
                    frame.collect()
            else:
                assert frame.collect()[0].v == length
    finally:
        session.drop_function("nested_grows")


class Priced(nu.ScalarFunction):
    """A class of a function, with values of its own and a helper."""

    RATE = 2

    def __init__(self, base: int) -> None:
        self.base = base

    @staticmethod
    def half(n: int) -> int:
        return n // 2

    def more(self, n: int) -> int:
        return self.half(n) + self.base

    def eval(self, n: int) -> int:
        return self.more(n) * self.RATE + Settings.offset


class Settings:
    offset = 100


def test_methods_and_attributes(session: nu.Session) -> None:
    session.register_function("nested_priced", udf(Priced(5)))
    try:
        frame = session.sql("SELECT nested_priced(id) AS v FROM range(5)")
        assert "EvalPython" not in frame._jdf.queryExecution().executedPlan().toString()
        assert [row.v for row in frame.collect()] == [Priced(5).eval(n) for n in range(5)]
    finally:
        session.drop_function("nested_priced")


def test_what_it_imports(session: nu.Session) -> None:
    def rooted(n: int) -> float:
        import math
        from math import floor

        return floor(math.sqrt(n)) + 0.5

    session.register_function("nested_rooted", udf(rooted))
    try:
        frame = session.sql("SELECT nested_rooted(id) AS v FROM range(20)")
        assert "EvalPython" not in frame._jdf.queryExecution().executedPlan().toString()
        assert [row.v for row in frame.collect()] == [rooted(n) for n in range(20)]
    finally:
        session.drop_function("nested_rooted")
