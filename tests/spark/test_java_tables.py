"""Table functions in Spark's JVM: each is called there and in a Python worker, and has to give the
same rows.
"""

# ruff: noqa: UP028

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from streaming import Stream
from waiting import awaited

import notebook_udf as nu
from notebook_udf import Row, TableFunction, udtf
from notebook_udf.kernel import java_lists

TEXTS = ("'a b a c'", "''", "'ü ß 😀 ü'", "'k=1&l=x&m=-3'", "'one\ntwo words\n'", "NULL", "'7'")
ARRAYS = ("array(3, 1, 2)", "array()", "array(CAST(NULL AS INT), 5)", "NULL", "array(7, -7)")
MAPS = ("map('a', 1, 'b', 2)", "map()", "NULL")

CASES: list[tuple[Callable[..., Any], str, str, tuple[str, ...]]] = []


def case(types: str, columns: str, *rows: str) -> Callable[[Any], Any]:
    """A table function of a column of this type, and the values in SQL that it is called with."""

    def add(function: Any) -> Any:
        CASES.append((function, types, columns, rows))
        return function

    return add


@case("string", "word string, n int", *TEXTS[:5])
def words_and_lengths(text: str) -> Iterator[tuple[str, int]]:
    for word in text.split(" "):
        if word:
            yield word, len(word)


@case("string", "word string", *TEXTS)
def words(text: str | None) -> Any:
    if text is None:
        return
    for word in text.split():
        yield word


@case("string", "word string", *TEXTS[:5])
def words_in_a_list(text: str) -> Any:
    return text.split()


@case("string", "word string, place int", *TEXTS[:5])
def numbered(text: str) -> Any:
    yield from_zero(text)
    for place, word in enumerate(text.split(), start=1):
        yield word, place


def from_zero(text: str) -> tuple[str, int]:
    return text[:1], 0


@case("string", "k string, v int", *TEXTS[:5])
def pairs(text: str) -> Any:
    for part in text.split("&"):
        key, _found, value = part.partition("=")
        try:
            yield key, int(value)
        except ValueError:
            yield key, None


@case("string", "letter string, n bigint", *TEXTS[:5])
def counted(text: str) -> Any:
    counts: dict[str, int] = {}
    for letter in text:
        counts[letter] = counts.get(letter, 0) + 1
    for letter, n in counts.items():
        yield letter, n


@case("string", "line int, word string", *TEXTS[:5])
def lines(text: str) -> Any:
    for number, line in enumerate(text.splitlines()):
        for word in line.split():
            yield number, word


@case("string", "a string, b string", *TEXTS[:5])
def neighbours(text: str) -> Any:
    found = text.split()
    for i in range(len(found) - 1):
        yield found[i], found[i + 1]


@case("string", "part string", *TEXTS[:5])
def chunks(text: str) -> Any:
    size = 3
    for start in range(0, len(text), size):
        yield text[start : start + size]


@case("string", "letter string", *TEXTS[:5])
def handed_on(text: str) -> Any:
    yield ">"
    yield from text
    for line in text.splitlines():
        yield from line.split()
        yield from (word.upper() for word in line.split() if len(word) > 1)


@case("string", "word string", *TEXTS[:5])
def matches(text: str) -> Any:
    return re.findall(r"\w+", text)


@case("string", "word string, long boolean", *TEXTS[:5])
def as_dicts(text: str) -> Any:
    for word in text.split():
        yield {"long": len(word) > 2, "word": word}


class Word(NamedTuple):
    word: str
    n: int


@case("string", "word string, n int", *TEXTS[:5])
def as_tuples_with_names(text: str) -> Any:
    return [Word(word, len(word)) for word in text.split()]


@dataclass
class Found:
    n: int
    word: str


@case("string", "word string, n int", *TEXTS[:5])
def as_dataclasses(text: str) -> Any:
    for word in text.split():
        yield Found(len(word), word)


@case("string", "word string, n int", *TEXTS[:5])
def as_rows(text: str) -> Any:
    for word in text.split():
        yield Row(word=word, n=len(word))


@case("string", "word string", *TEXTS[:5])
def bare_and_wrapped(text: str) -> Any:
    for word in text.split():
        yield (word.upper(),)


@case("string", "first string, rest string", *TEXTS)
def one_row_or_none(text: str | None) -> Any:
    if not text:
        return None
    return text[0], text[1:]


@case("string", "word string", *TEXTS[:5])
def one_value(text: str) -> Any:
    return text.strip().title()


@case("string", "word string", *TEXTS[:5])
def a_generator_expression(text: str) -> Any:
    return (word[::-1] for word in text.split() if word != "a")


@case("string", "place int, word string", *TEXTS[:5])
def an_iterator(text: str) -> Any:
    return enumerate(text.split())


@case("array<int>", "x int", *ARRAYS)
def present(numbers: Any) -> Any:
    for x in numbers or []:
        if x is not None:
            yield x


@case("array<int>", "x int, total bigint", "array(3, 1, 2)", "array()", "array(7, -7)")
def running(numbers: Any) -> Any:
    total = 0
    for x in numbers:
        total += x
        yield x, total


@case("array<int>", "a int, b int", "array(3, 1, 2)", "array()", "array(7, -7)")
def combined(numbers: Any) -> Any:
    for i, a in enumerate(numbers):
        for b in numbers[i + 1 :]:
            yield a, b


@case("array<int>", "x double", *ARRAYS[:2])
def whole_numbers_as_floats(numbers: Any) -> Any:
    for x in sorted(numbers, reverse=True):
        yield x


@case("array<int>", "pair array<int>", "array(3, 1, 2)", "array()", "array(7, -7)")
def lists_as_values(numbers: Any) -> Any:
    for x in numbers:
        yield [x, x + 1]


@case("array<int>", "a int, b int", "array(3, 1, 2)", "array()", "array(7, -7)")
def in_pairs(numbers: Any) -> Any:
    yield from itertools.combinations(numbers, 2)
    for a, b in itertools.product(numbers, (1, 2)):
        yield a, b


@case("map<string,int>", "k string, v int", *MAPS)
def unfolded(values: Any) -> Any:
    if values:
        for key, value in values.items():
            if value > 1:
                yield key, value


@case("date", "day date, number int", "DATE'2024-02-28'", "DATE'1582-10-10'", "NULL")
def week(day: Any) -> Any:
    import datetime

    if day is not None:
        for i in range(3):
            yield day + datetime.timedelta(days=i), i


def rows_of(session: nu.Session, function: Any, types: str, values: tuple[str, ...]) -> list[Any]:
    selects = " UNION ALL ".join(
        f"SELECT {place} AS id, CAST({value} AS {types}) AS given"
        for place, value in enumerate(values)
    )
    found = session.sql(
        f"SELECT id, made.* FROM ({selects}) LEFT JOIN LATERAL {function.name}(given) AS made"
    ).collect()
    frame = session.spark.sql(selects)
    joined = frame.transform(nu.join_lateral(function("given"))).drop("given").collect()
    assert [row for row in found if any(v is not None for v in row[1:])] == [
        row for row in joined if any(v is not None for v in row[1:])
    ]
    return found


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("function", "types", "columns", "values"), CASES)
def test_java_gives_the_rows_that_a_worker_gives(
    session: nu.Session, function: Any, types: str, columns: str, values: tuple[str, ...]
) -> None:
    declared = udtf(function, input_types=[types], result_types=columns)
    in_java = session.register_function("in_java", declared)
    in_worker = session.register_function(
        "in_worker", udtf(function, input_types=[types], result_types=columns, compile=False)
    )
    assert session.java.why_not(in_java) is None
    assert session.java.why_not(in_worker) is not None
    found = rows_of(session, in_java, types, values)
    assert [tuple(row) for row in found] == [
        tuple(row) for row in rows_of(session, in_worker, types, values)
    ]
    plan = session.plan(f"SELECT * FROM (SELECT CAST(NULL AS {types}) x), LATERAL in_java(x)")
    (use,) = [use for node in plan.plan.root.walk() for use in node.functions]
    assert (use.name, use.role) == ("in_java", "table")
    assert use.way == "in Spark's JVM, as a class in Java"


def ways(session: nu.Session, query: str) -> dict[str, str]:
    """How the functions of a query run, by their names."""
    plan = session.plan(query).plan
    return {use.name: use.way for node in plan.root.walk() for use in node.functions}


IN_JAVA = "in Spark's JVM, as a class in Java"


def test_a_row_that_raises_is_told_with_its_values(session: nu.Session) -> None:
    @udtf(result_types="n int")
    def counts(text: str) -> Iterator[int]:
        for part in text.split(","):
            yield int(part)

    session.register_function("counts", counts)
    query = "SELECT * FROM VALUES ('1,2'), ('3,x,5') AS t(s), LATERAL counts(s)"
    with pytest.raises(nu.UserFunctionError) as caught:
        session.sql(query).collect()
    assert "invalid literal for int() with base 10: 'x'" in str(caught.value)
    failed = caught.value.failed
    assert failed is not None
    assert dict(failed.arguments) == {"text": "'3,x,5'"}
    assert failed.frames[-1].text == "yield int(part)"
    with pytest.raises(ValueError, match="'x'"):
        session.replay("counts")


def test_a_row_that_does_not_fit_its_column_is_told(session: nu.Session) -> None:
    @udtf(result_types="n tinyint")
    def small(x: int) -> Iterator[int]:
        for each in [x, x * 100]:
            try:
                yield each
            except Exception:
                yield 0

    record = session.register_function("small", small)
    assert session.java.runs(record)
    assert session.sql("SELECT n FROM small(1)").collect() == [(1,), (100,)]
    with pytest.raises(nu.ResultError, match="200"):
        session.sql("SELECT n FROM small(2)").collect()


def test_types_come_from_the_calls_where_none_are_declared(session: nu.Session) -> None:
    def pieces(values):  # type: ignore[no-untyped-def]
        for each in values:
            yield each

    record = session.register_function("pieces", udtf(pieces, result_types="piece string"))
    query = "SELECT piece FROM VALUES (array('a', 'b')) AS t(x), LATERAL pieces(x)"
    assert [row.piece for row in session.sql(query).collect()] == ["a", "b"]
    assert ways(session, query) == {"pieces": IN_JAVA}
    text = "SELECT piece FROM pieces('xyz')"
    assert [row.piece for row in session.sql(text).collect()] == ["x", "y", "z"]
    assert ways(session, text) == {"pieces": IN_JAVA}
    assert "in Spark's JVM where it is called with ARRAY<STRING>" in record.explain()
    assert "in Spark's JVM where it is called with STRING" in record.explain()


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda n: (i for i in range(n)), "a range of any length"),
        ("upwards", "rows from a range of any length"),
        ("endless", "rows from a while loop, which may be any number"),
        ("millions", "rows from a range of any length"),
        ("repeated", "rows from a repeat of any length"),
        ("ordered", "a permutations of any length where rows are returned"),
        ("told", "print"),
    ],
)
def test_what_gives_any_number_of_rows_stays_in_a_worker(
    session: nu.Session, function: Any, why: str
) -> None:
    def upwards(n: int) -> Iterator[int]:
        for i in range(n):
            yield i

    def endless(n: int) -> Iterator[int]:
        while True:
            n += 1
            yield n

    def millions(n: int) -> Iterator[int]:
        for i in range(10_000_000):
            yield i + n

    def repeated(n: int) -> Iterator[int]:
        for i in itertools.repeat(n, n):
            yield i

    def ordered(n: int) -> Iterator[int]:
        yield from (sum(each) for each in itertools.permutations([n] * 4))

    def told(n: int) -> Iterator[int]:
        for i in (n, n + 1):
            print(i)
            yield i

    named = (upwards, endless, millions, repeated, ordered, told)
    chosen = {each.__name__: each for each in named}.get(function, function)
    record = session.register_function(
        "many", udtf(chosen, input_types=["int"], result_types="i int")
    )
    assert why in record.explain()
    query = "SELECT i FROM many(5) LIMIT 2"
    assert len(session.sql(query).collect()) == 2
    assert ways(session, query)["many"] != IN_JAVA


def test_chains_are_made_where_each_call_runs(session: nu.Session) -> None:
    @udtf(result_types="word string")
    def words(text: str) -> Iterator[str]:
        yield from_list(text)
        yield from text.split()

    def from_list(text: str) -> str:
        return text

    @udtf(result_types="letter string", compile=False)
    def letters_of(word: str) -> Iterator[str]:
        yield from word

    session.register_function("words", words)
    session.register_function("letters_of", letters_of)
    rows = "VALUES ('ab c') AS t(s)"
    query = f"SELECT s, word, letter FROM {rows}, LATERAL words(s), LATERAL letters_of(word)"
    expected = [("ab c", word, letter) for word in ("ab c", "ab", "c") for letter in word]
    assert [tuple(row) for row in session.sql(query).collect()] == expected
    assert ways(session, query)["words"] == IN_JAVA
    assert ways(session, query)["letters_of"] != IN_JAVA
    turned = f"SELECT word, letter FROM {rows}, LATERAL letters_of(s), LATERAL words(letter)"
    # In the pass of the one before it, whose rows need not leave the worker then.
    assert len(session.sql(turned).collect()) == 7
    assert ways(session, turned)["words"] != IN_JAVA


def test_every_form_of_a_join_answers_as_in_a_worker(session: nu.Session) -> None:
    def parts(text: str) -> Iterator[tuple[str, int]]:
        for place, part in enumerate(text.split(",")):
            if part:
                yield part, place

    declared = udtf(parts, result_types="part string, place int")
    session.register_function("parts", declared)
    session.register_function(
        "parts_in_worker",
        udtf(parts, result_types="part string, place int", compile=False),
    )
    rows = "VALUES (1, 'a,b'), (2, ''), (3, 'c'), (4, NULL) AS t(id, s)"
    rows = f"(SELECT * FROM {rows} WHERE s IS NOT NULL)"
    for query in (
        f"SELECT * FROM {rows} LATERAL VIEW parts(s) AS p, n ORDER BY id, n",
        f"SELECT * FROM {rows} LATERAL VIEW OUTER parts(s) AS p, n ORDER BY id, n",
        f"SELECT * FROM {rows}, LATERAL parts(s) AS p ORDER BY id, place",
        f"SELECT * FROM {rows} LEFT JOIN LATERAL parts(s) ORDER BY id, place",
        f"SELECT * FROM {rows} LEFT JOIN LATERAL parts(s) ON place > 0 ORDER BY id, place",
        f"SELECT * FROM {rows} JOIN LATERAL parts(s) ON place = id - 1 ORDER BY id, place",
        f"SELECT id, count(*) AS n FROM {rows}, LATERAL parts(s) WHERE part > 'a' GROUP BY id",
        f"SELECT id FROM {rows} WHERE EXISTS (SELECT 1 FROM parts('x,y') p WHERE p.place = id)",
        "SELECT * FROM parts('x,y')",
        "SELECT * FROM parts(text => 'x,y')",
        "SELECT count(*) AS n FROM parts('x,y')",
        f"SELECT q.* FROM {rows}, LATERAL parts(s) p, LATERAL parts(upper(p.part) || ',') q",
    ):
        other = re.sub(r"\bparts\(", "parts_in_worker(", query)
        found, expected = session.sql(query), session.sql(other)
        assert found.columns == expected.columns, query
        assert found.collect() == expected.collect(), query


def test_rows_are_counted(session: nu.Session) -> None:
    @udtf(result_types="word string")
    def split(text: str) -> Iterator[str]:
        yield from text.split()

    session.register_function("split_words", split)
    session.sql(
        "SELECT * FROM VALUES ('a b'), ('c d e'), ('') t(s), LATERAL split_words(s)"
    ).collect()
    (total,) = [each for each in session.metrics().totals if each.function == "split_words"]
    assert (total.rows_in, total.rows_out) == (3, 5)


def test_it_runs_on_streams(session: nu.Session, tmp_path: Path) -> None:
    @udtf(result_types="word string")
    def split(text: str) -> Iterator[str]:
        yield from text.split()

    record = session.register_function("split_words", split)
    stream = Stream(session.spark, tmp_path, "s string").put([("a b",)], [("b",), ("",)])
    rows = stream.rows.transform(nu.join_lateral(record("s")))
    assert stream.run(rows) == [[("a b", "a"), ("a b", "b")], [("b", "b")]]
    assert "in Spark's JVM" in record.explain()


def test_a_new_version_is_called_from_then_on(session: nu.Session) -> None:
    for number in (1, 2):

        def one(x: int, number: int = number) -> Iterator[int]:
            for each in [x]:
                yield each * number

        session.register_function("one_version", udtf(one, result_types="y int"))
        assert session.sql("SELECT y FROM one_version(5)").collect() == [(5 * number,)]
    session.drop_function("one_version")
    with pytest.raises(Exception, match="one_version"):
        session.sql("SELECT y FROM one_version(5)").collect()


def test_a_method_of_a_plain_class_runs_there(session: nu.Session) -> None:
    class Cut(TableFunction):
        def __init__(self, size: int) -> None:
            self.size = size

        def eval(self, text: str) -> Iterator[str]:
            for at in range(0, len(text), 2):
                yield text[at : at + self.size]

    record = session.register_function("cut", udtf(Cut(1), result_types="part string"))
    assert session.java.runs(record)
    assert [row.part for row in session.sql("SELECT * FROM cut('abcde')").collect()] == list("ace")


def test_more_rows_than_java_holds_are_an_error_that_says_what_to_do(session: nu.Session) -> None:
    @udtf(result_types="i bigint")
    def squares(text: str) -> Iterator[int]:
        for i in range(len(text)):
            for j in range(len(text)):
                yield i * j

    session.register_function("squares", squares)
    rows = "SELECT count(*) AS n FROM squares(repeat('x', {}))"
    assert session.sql(rows.format(1000)).collect() == [(1_000_000,)]
    with pytest.raises(nu.NotebookUdfError, match=r"4,410,000 rows.*compile=False"):
        session.sql(rows.format(2100)).collect()
    session.register_function(
        "squares", replace(squares, options=replace(squares.options, compile=False))
    )
    assert session.sql(rows.format(2100)).collect() == [(2100 * 2100,)]


def in_python(rows: DataFrame) -> bool:
    return "Python" in str(rows._jdf.queryExecution().optimizedPlan().toString())


def test_spark_sql_takes_the_rows_from_java_too(session: nu.Session) -> None:
    @udtf(result_types="word string, n int")
    def split(text: str) -> Iterator[tuple[str, int]]:
        for word in text.split():
            yield word, len(word)

    session.register_function("split_words", split)
    session.spark.sql("SELECT * FROM VALUES ('a b'), (''), ('cd') AS t(s)").createOrReplaceTempView(
        "texts_to_split"
    )
    for query in (
        "SELECT word FROM texts_to_split, LATERAL split_words(s)",
        "SELECT s, w FROM texts_to_split, LATERAL split_words(s) AS x(w, m) WHERE m > 1",
        "SELECT s, word FROM texts_to_split LEFT JOIN LATERAL split_words(s) x ON n > 1",
        "SELECT s, word FROM texts_to_split LEFT JOIN LATERAL split_words(s) x ON TRUE",
        "SELECT * FROM split_words('a b')",
        "SELECT count(*) AS n FROM texts_to_split JOIN LATERAL split_words(upper(s)) ON word < 'C'",
    ):
        rows = session.spark.sql(query)
        assert not in_python(rows), query
        assert sorted(rows.collect()) == sorted(session.sql(query).collect()), query
    named = session.spark.sql("SELECT * FROM split_words(text => 'a b')")
    assert in_python(named)
    assert named.collect() == [("a", 1), ("b", 1)]
    session.drop_function("split_words")
    with pytest.raises(Exception, match="split_words"):
        session.spark.sql("SELECT * FROM split_words('a b')")


def test_spark_sql_learns_the_types_of_its_calls(session: nu.Session) -> None:
    def pieces(values):  # type: ignore[no-untyped-def]
        yield from values

    session.register_function("pieces_of", udtf(pieces, result_types="piece string"))
    query = "SELECT piece FROM VALUES (array('a', 'b')) AS t(x), LATERAL pieces_of(x)"
    first = session.spark.sql(query)
    assert in_python(first)
    with awaited(session, lambda: bool(session.java.called(session.functions["pieces_of"]))):
        assert [row.piece for row in first.collect()] == ["a", "b"]
    again = session.spark.sql(query)
    assert not in_python(again)
    assert [row.piece for row in again.collect()] == ["a", "b"]


def test_a_column_is_one_of_sparks_own_udtf(session: nu.Session) -> None:
    @udtf(result_types="word string")
    def split(text: str) -> Iterator[str]:
        yield from text.split()

    record = session.register_function("split_words", split)
    frame = session.spark.sql("SELECT 'a b' AS s")
    found = frame.lateralJoin(record(F.col("s").outer())).select("word").collect()
    assert [row.word for row in found] == ["a", "b"]


def test_the_names_of_old_versions_go_and_their_plans_stay(
    session: nu.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java_lists, "MOST_VERSIONS", 2)
    frames = []
    for number in range(4):

        def aged(x: int, number: int = number) -> Iterator[int]:
            yield x + number

        session.register_function("aged", udtf(aged, result_types="y int"))
        frames.append(session.sql("SELECT y FROM VALUES (10), (20) AS t(v), LATERAL aged(v)"))
    known = session.spark.sql("SHOW USER FUNCTIONS LIKE '*nu_rows_aged*'").collect()
    assert len(known) == 2
    assert [[row.y for row in rows.collect()] for rows in frames] == [
        [10 + number, 20 + number] for number in range(4)
    ]
