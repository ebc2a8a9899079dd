"""Scalar functions that run in Spark's own JVM: answers, errors, and what is refused."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyspark.sql import functions as F

import notebook_udf as nu
from notebook_udf import udf

CODES = {"a": 1, "b": 2}


def checksum(text: str) -> int:
    total = 0
    for place, letter in enumerate(text):
        total += (place + 1) * ord(letter)
    return total % 97


def band(number: int) -> str:
    if number is None:
        return "none"
    if number < 10:
        return "low"
    return "middle" if number < 100 else "high"


def shared(total: int, people: int) -> float:
    if people == 0:
        raise ValueError("nobody")
    return total / people


def coded(text: str) -> int:
    return CODES[text]


def powers(number: int) -> int:
    return number**12 % 1000


@pytest.fixture
def register(session: nu.Session) -> Iterator[Any]:
    names: list[str] = []

    def made(function: Any, **options: Any) -> Any:
        name = f"in_java_{function.__name__.strip('<>')}"
        names.append(name)
        return session.register_function(name, udf(function, **options))

    yield made
    for name in names:
        session.drop_function(name)


def test_it_answers_as_python_does_and_no_worker_runs(session: nu.Session, register: Any) -> None:
    register(checksum)
    register(band)
    query = "SELECT id, in_java_checksum(string(id * id)) AS c, in_java_band(id - 3) AS b"
    frame = session.sql(f"{query} FROM range(300)")
    for row in frame.collect():
        assert row.c == checksum(str(row.id**2))
        assert row.b == band(row.id - 3)
    assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()
    assert session.sql("SELECT in_java_band(NULL)").first()[0] == "none"
    assert session.spark.sql("SELECT in_java_band(12)").first()[0] == "middle"


def test_it_stands_wherever_sparks_own_functions_do(session: nu.Session, register: Any) -> None:
    register(band)
    query = """
        SELECT in_java_band(id) AS b, count(*) AS n FROM range(200)
        WHERE in_java_band(id) <> 'low' GROUP BY in_java_band(id) HAVING count(*) > 1
        ORDER BY in_java_band(max(id)) LIMIT 5"""
    assert [tuple(row) for row in session.sql(query).collect()] == [("high", 100), ("middle", 90)]
    found = session.sql("SELECT transform(array(1L, 20L), x -> in_java_band(x)) AS t").first()
    assert found.t == ["low", "middle"]


def test_it_is_called_on_columns(session: nu.Session) -> None:
    declared = udf(band, compile=True)
    frame = session.spark.range(3).select(declared("id").alias("b"), declared(F.lit(50)))
    assert [tuple(row) for row in frame.collect()] == [("low", "middle")] * 3


def test_an_int_is_of_any_size(session: nu.Session, register: Any) -> None:
    register(powers)
    rows = session.sql("SELECT id, in_java_powers(id * 1000003) AS p FROM range(50)").collect()
    assert all(row.p == (row.id * 1000003) ** 12 % 1000 for row in rows)


def test_an_error_is_that_of_python_with_its_line_and_values(
    session: nu.Session, register: Any
) -> None:
    register(shared)
    with pytest.raises(nu.UserFunctionError) as caught:
        session.sql("SELECT in_java_shared(100 - id, id - 7) FROM range(0, 20, 1, 1)").collect()
    failed = caught.value.failed
    assert failed is not None
    assert (failed.row, failed.rows) == (8, 0)
    assert (failed.exception, failed.message) == ("ValueError", "nobody")
    assert failed.arguments == (("total", "93"), ("people", "0"))
    assert 'raise ValueError("nobody")' in str(caught.value)
    assert "org.apache.spark" not in str(caught.value)
    with pytest.raises(ValueError, match="nobody"):
        session.replay("in_java_shared")


def test_a_key_that_a_dict_lacks(session: nu.Session, register: Any) -> None:
    register(coded)
    assert session.sql("SELECT in_java_coded('b')").first()[0] == 2
    with pytest.raises(nu.UserFunctionError, match="KeyError") as caught:
        session.sql("SELECT in_java_coded(c) FROM VALUES ('b'), ('c]ß') AS t(c)").collect()
    assert dict(caught.value.failed.arguments) == {"text": "'c]ß'"}


def test_a_result_that_its_type_does_not_hold(session: nu.Session, register: Any) -> None:
    register(lambda n: n * n, input_types="bigint", result_type="bigint")
    assert session.sql("SELECT in_java_lambda(-3)").first()[0] == 9
    with pytest.raises(nu.ResultError, match="larger numbers"):
        session.sql("SELECT in_java_lambda(4294967296L)").collect()


@pytest.mark.parametrize(("given", "told"), [("1.5", "DECIMAL"), ("'7'", "STRING")])
def test_a_column_of_another_type(
    session: nu.Session, register: Any, given: str, told: str
) -> None:
    register(band)
    with pytest.raises(nu.DeclarationError, match=f"type {told} as number"):
        session.sql(f"SELECT in_java_band({given})").collect()


@pytest.mark.parametrize(
    ("function", "options", "said"),
    [
        (lambda n: hash(n), {}, "a call of hash"),
        (lambda n: (n or 0.5) ** n, {}, r"\*\* of what may be an int or a float"),
        (band, {"on_error": "null"}, "rows that raise have to be kept"),
        (band, {"timeout": "1s"}, "its time is limited"),
        (band, {"deterministic": False}, "not deterministic"),
        (lambda n: n, {"result_type": "float"}, "a result of type float"),
    ],
)
def test_what_has_no_java_runs_in_a_worker_and_says_why(
    register: Any, function: Any, options: dict[str, Any], said: str
) -> None:
    declared = {"input_types": "bigint", "result_type": "bigint"} if function is not band else {}
    made = register(function, **{**declared, **options})
    assert re.search(f"not in Spark's JVM: .*{said}", made.explain())


def test_a_line_is_named(session: nu.Session, register: Any) -> None:
    def slow(number: int) -> int:
        found = number + 1
        return hash(found)

    line = slow.__code__.co_firstlineno + 2
    assert f"a call of hash (line {line})" in register(slow).explain()
    assert session.sql("SELECT in_java_slow(1)").first()[0] == hash(2)


def test_explain_says_where_it_runs(register: Any) -> None:
    assert "runs in Spark's JVM" in register(band).explain()
    assert "not in Spark's JVM: compile=False" in register(band, compile=False).explain()


def test_names_and_defaults_of_arguments(session: nu.Session, register: Any) -> None:
    def powered(base: int, exponent: int = 2) -> int:
        return base**exponent if exponent >= 0 else 0

    in_java = register(powered)
    query = """
        SELECT in_java_powered(id, 3L) AS cubes, in_java_powered(id) AS squares,
               in_java_powered(exponent => 1L, base => id + 7) AS named FROM range(3)"""
    found = session.sql(query).collect()
    assert [tuple(row) for row in found] == [(0, 0, 7), (1, 1, 8), (8, 4, 9)]
    ids = session.spark.range(3)
    columns = ids.select(in_java("id", 3), in_java("id"), in_java("id", exponent=1)).collect()
    assert [tuple(row) for row in columns] == [(0, 0, 0), (1, 1, 1), (8, 4, 2)]


def test_the_plan_shows_where_it_runs_and_what_it_cost(session: nu.Session, register: Any) -> None:
    register(band)
    frame = session.sql("SELECT id, in_java_band(id) AS b FROM range(1000)")
    frame.collect()
    plan = session.plan(frame).plan
    (node,) = (node for node in plan.nodes() if node.functions)
    assert node.kind == "project"
    assert node.detail == "id, in_java_band(id) AS b"
    assert [use.name for use in node.functions] == ["in_java_band"]
    assert [(cost.rows_in, cost.errors) for cost in node.costs] == [(1000, 0)]
    (how,) = plan.strategies
    assert (how.call, how.form) == ("in_java_band(id)", "in Spark's JVM, as a class in Java")


def test_the_plan_names_it_where_it_is_called_alone(session: nu.Session, register: Any) -> None:
    def weighed(n: int) -> int:
        return 3 * n

    register(weighed)
    frame = session.sql("SELECT id % 3, sum(in_java_weighed(id)) FROM range(9) GROUP BY 1")
    assert sorted(map(tuple, frame.collect())) == [(0, 27), (1, 36), (2, 45)]
    (node,) = (node for node in session.plan(frame).plan.nodes() if node.functions)
    assert "partial_sum" in node.detail


def test_a_new_version_takes_its_place_and_a_dropped_one_is_gone(
    session: nu.Session, register: Any
) -> None:
    register(lambda n: n + 1, input_types="bigint", result_type="bigint")
    assert session.sql("SELECT in_java_lambda(1)").first()[0] == 2
    register(lambda n: n + 2, input_types="bigint", result_type="bigint")
    assert session.sql("SELECT in_java_lambda(1)").first()[0] == 3
    register(lambda n: n + 3, input_types="bigint", result_type="bigint", compile=False)
    assert session.sql("SELECT in_java_lambda(1)").first()[0] == 4
    session.drop_function("in_java_lambda")
    with pytest.raises(Exception, match="in_java_lambda"):
        session.spark.sql("SELECT in_java_lambda(1)")


def test_it_runs_in_a_stream(session: nu.Session, register: Any) -> None:
    register(band)
    rows = session.spark.readStream.format("rate").option("rowsPerSecond", 100).load()
    query = (
        rows.select(F.expr("in_java_band(value)").alias("b"))
        .writeStream.format("memory")
        .queryName("java_bands")
        .start()
    )
    try:
        query.processAllAvailable()
    finally:
        query.stop()
    found = {row.b for row in session.spark.table("java_bands").collect()}
    assert found <= {"low", "middle", "high"}


def test_its_rows_and_time_are_among_the_metrics(session: nu.Session, register: Any) -> None:
    def measured(text: str) -> int:
        return len(text)

    register(measured)
    query = "SELECT sum(in_java_measured(string(id))) FROM range(0, 5000, 1, 2)"
    session.sql(query).collect()
    (found,) = (each for each in session.metrics().totals if each.function == "in_java_measured")
    assert (found.rows_in, found.rows_out, found.tasks) == (5000, 5000, 2)
    assert 0 < found.user_ns < 10**9
    assert all(worker.pid for worker in session.pool)


class Span(NamedTuple):
    low: int
    high: int


def spread(numbers: list[int]) -> int | None:
    if not numbers:
        return None
    return max(numbers) - min(numbers)


def words(text: str) -> list[str]:
    return [word.lower() for word in text.split() if word.isalpha()]


def span(text: str) -> Span:
    low, _, high = text.partition("-")
    return Span(int(low), int(high or low))


def named(properties: dict[str, str]) -> str:
    if "name" not in properties:
        return ", ".join(sorted(f"{key}={value}" for key, value in properties.items()))
    return properties["name"] + properties.get("title", "")


def test_lists_dicts_and_tuples(session: nu.Session, register: Any) -> None:
    register(spread)
    register(words)
    register(span)
    register(named)
    one = session.sql("""
        SELECT in_java_spread(array(3L, 9L, -2L)), in_java_spread(array()),
               in_java_words('Some 2 Wörter'), in_java_span('3-17'), in_java_span('4'),
               in_java_named(map('b', 'x', 'a', 'y')), in_java_named(map('name', 'Ada'))""").first()
    assert one[:3] == (11, None, ["some", "wörter"])
    assert [tuple(one[3]), tuple(one[4])] == [(3, 17), (4, 4)]
    assert one[5:] == ("a=y, b=x", "Ada")
    with pytest.raises(nu.UserFunctionError, match="TypeError") as caught:
        session.sql("SELECT in_java_spread(array(1L, NULL))").collect()
    assert caught.value.failed.arguments == (("numbers", "[1, None]"),)
    with pytest.raises(nu.UserFunctionError, match="TypeError") as caught:
        session.sql("SELECT in_java_named(map('name', NULL, 'title', 'Dr'))").collect()
    assert caught.value.failed.arguments == (("properties", "{'name': None, 'title': 'Dr'}"),)


def age(born: date, today: date) -> int:
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def next_workday(day: date) -> date:
    following = day + timedelta(days=1)
    while following.weekday() >= 5:
        following += timedelta(days=1)
    return following


def test_dates(session: nu.Session, register: Any) -> None:
    register(age)
    register(next_workday)
    rows = session.sql("""
        SELECT d, in_java_age(DATE'1979-12-11', d) AS a, in_java_next_workday(d) AS n
        FROM (SELECT DATE'2024-02-23' + INT(id) * 45 AS d FROM range(40))""").collect()
    assert len(rows) == 40
    assert all(row.a == age(date(1979, 12, 11), row.d) for row in rows)
    assert all(row.n == next_workday(row.d) for row in rows)
    with pytest.raises(nu.UserFunctionError, match="OverflowError") as caught:
        session.sql("SELECT in_java_next_workday(DATE'9999-12-31')").collect()
    assert caught.value.failed.arguments == (("day", "datetime.date(9999, 12, 31)"),)


def number(text: str) -> int:
    try:
        return int(text.replace(".", ""))
    except ValueError:
        return -1


def placed(text: str, number: str) -> int:
    try:
        return text.find(str(int(number)))
    except ValueError:
        return -2


def summed(text: str) -> int:
    total = 0
    for part in text.split(","):
        try:
            try:
                total += int(part)
            except IndexError:
                total = 0
        except (ValueError, TypeError):
            total += 1000
    return total


def test_an_exception_goes_on_to_the_next_handler(session: nu.Session, register: Any) -> None:
    register(summed)
    assert session.sql("SELECT in_java_summed('1,x,20,')").first()[0] == 2021


def doubled(text: str) -> str:
    if text is not None:
        pass
    return text + text


def test_a_test_that_makes_no_difference(session: nu.Session, register: Any) -> None:
    register(doubled)
    assert session.sql("SELECT in_java_doubled('ab')").first()[0] == "abab"
    with pytest.raises(nu.UserFunctionError, match="TypeError"):
        session.sql("SELECT in_java_doubled(CAST(NULL AS STRING))").collect()


def parted(text: str, by: str) -> str:
    return "|".join(text.split(by)) if isinstance(text, str) else "no text"


def test_none_where_python_takes_it(session: nu.Session, register: Any) -> None:
    register(parted)
    rows = "VALUES ('a b', NULL), ('a b', 'a'), (NULL, 'b') AS t(t, b)"
    query = f"SELECT in_java_parted(t, b) FROM {rows}"
    assert [row[0] for row in session.sql(query).collect()] == ["a|b", "| b", "no text"]


def test_the_first_of_two_exceptions_counts(session: nu.Session, register: Any) -> None:
    register(placed)
    query = "SELECT in_java_placed(t, n) FROM VALUES ('a12', '12'), ('a', 'b') AS t(t, n)"
    assert [row[0] for row in session.sql(query).collect()] == [1, -2]
    with pytest.raises(nu.UserFunctionError, match="AttributeError"):
        session.sql("SELECT in_java_placed(CAST(NULL AS STRING), 'b')").collect()


def test_what_a_handler_takes(session: nu.Session, register: Any) -> None:
    register(number)
    query = "SELECT in_java_number(c) AS n FROM VALUES ('1.250'), ('many'), ('٣') AS t(c)"
    assert [row.n for row in session.sql(query).collect()] == [1250, -1, 3]
    with pytest.raises(nu.UserFunctionError, match="AttributeError"):
        session.sql("SELECT in_java_number(CAST(NULL AS STRING))").collect()


PAIR = re.compile(r"(?P<key>\w+)=(\d+)?")


def value_of(text: str) -> str | None:
    if found := PAIR.search(text):
        return found["key"] + ":" + (found.group(2) or "-")
    return None


def days_since(text: str) -> int | None:
    try:
        return (datetime.strptime(text, "%Y-%m-%d") - datetime(2000, 1, 1)).days
    except ValueError:
        return None


def digits(text: str) -> str:
    return re.sub(r"[^\d]", "", text) + "/" + ",".join(re.findall("[a-z]+", text))


def test_patterns_and_moments(session: nu.Session, register: Any) -> None:
    for function in (value_of, days_since, digits):
        register(function)
    texts = ["k=12", "é=", "2024-02-29", "2023-02-29", "2024-1-5", "", "a1b٣ c"]
    rows = session.spark.createDataFrame([(each,) for each in texts], "t STRING")
    rows.createOrReplaceTempView("java_texts")
    query = (
        "SELECT t, in_java_value_of(t), in_java_days_since(t), in_java_digits(t) FROM java_texts"
    )
    for text, value, days, found in session.sql(query).collect():
        assert (value, days, found) == (value_of(text), days_since(text), digits(text))


def endless(number: int) -> int:
    found = number
    while found >= 0:
        found = (found + 1) % 7
    return found


def shortened(text: str) -> str:
    while len(text) > 3:
        text = text[1:]
        if text[0] == "-":
            continue
        text = text.strip()
    return text


def test_a_function_that_begins_with_a_loop(session: nu.Session, register: Any) -> None:
    register(shortened)
    for text in ("a", "abcdef", "ab-cd e  "):
        found = session.sql(f"SELECT in_java_shortened('{text}')").first()[0]
        assert found == shortened(text)


def branching(number: int) -> int:
    return number if number < 2 else branching(number - 1) + branching(number - 2)


@pytest.mark.parametrize(("function", "given"), [(endless, "id"), (branching, "id + 90")])
def test_what_does_not_end_is_cancelled(
    session: nu.Session, register: Any, function: Any, given: str
) -> None:
    name = register(function).name
    spark = session.spark
    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(spark.sql(f"SELECT {name}({given}) FROM range(2)").collect)
        deadline = time.monotonic() + 60
        # PySpark has no event for a stage that begins.
        while not spark.sparkContext.statusTracker().getActiveStageIds():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        spark.sparkContext.cancelAllJobs()
        with pytest.raises(Exception, match="cancelled"):
            ending.result(60)
    assert session.sql(f"SELECT {name}(-1)").first()[0] == -1


def scaled(rate: int, number: int, shift: int) -> int:
    return rate * number + shift


class Times:
    def __init__(self, rate: int) -> None:
        self.rate = rate

    def __call__(self, number: int) -> int:
        return self.rate * number


@pytest.mark.parametrize(
    ("function", "expected"),
    [(partial(scaled, 3, shift=1), 22), (partial(scaled, 3, shift=-1), 20), (Times(5), 35)],
)
def test_callables_that_are_no_functions(session: nu.Session, function: Any, expected: int) -> None:
    made = udf(function, input_types=["bigint"], result_type="bigint")
    registered = session.register_function("in_java_callable", made)
    try:
        assert session.sql("SELECT in_java_callable(7)").first()[0] == expected
        assert "runs in Spark's JVM" in registered.explain()
    finally:
        session.drop_function("in_java_callable")


class Undone(Times):
    def __reduce__(self) -> Any:
        return _undone, ()


def _undone() -> Any:
    raise AssertionError("it was unpickled here")


def test_an_object_that_does_something_as_it_is_unpickled_stays_in_a_worker(
    session: nu.Session,
) -> None:
    made = udf(Undone(5), input_types=["bigint"], result_type="bigint")
    registered = session.register_function("in_java_undone", made)
    try:
        assert "not in Spark's JVM: it is no plain function" in registered.explain()
    finally:
        session.drop_function("in_java_undone")


def with_tax(price: Decimal, rate: Decimal) -> Decimal:
    return (price * (1 + rate)).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)


def test_decimals(session: nu.Session, register: Any) -> None:
    kinds = {"input_types": ["decimal(9,2)", "decimal(5,3)"], "result_type": "decimal(12,2)"}
    register(with_tax, **kinds)
    rows = session.sql("""
        SELECT CAST(id AS DECIMAL(9,2)) / 8 AS p, in_java_with_tax(
            CAST(id / 8 AS DECIMAL(9,2)), CAST(id / 1000 AS DECIMAL(5,3))) AS t
        FROM range(0, 4000, 13)""").collect()
    for number, row in zip(range(0, 4000, 13), rows, strict=True):
        price = (Decimal(number) / 8).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
        assert row.t == with_tax(price, Decimal(number) / 1000)


def test_decimals_of_another_scale_than_declared(session: nu.Session, register: Any) -> None:
    def shown(price: Decimal) -> str:
        return str(price)

    query = "SELECT in_java_shown({d}1.50), in_java_shown({d}-12.0), in_java_shown({d}0.12000)"
    for compiles in (True, False):
        register(shown, input_types=["decimal(7,4)"], compile=compiles)
        found = session.sql(query.format(d="")).first()
        assert tuple(found) == ("1.5000", "-12.0000", "0.1200")
        for given in ("0.12345", "12345.5"):
            with pytest.raises(nu.DeclarationError, match=r"DECIMAL|decimal128"):
                session.sql(f"SELECT in_java_shown({given})").collect()


def test_a_profile_has_its_lines_all_the_same(session: nu.Session, register: Any) -> None:
    def spread(number: int) -> int:
        total = 0
        for step in range(200):
            total += (number * step) % 7
        return total

    register(spread, vectorise=False)
    query = "SELECT sum(in_java_spread(id)) FROM range(0, 60000, 1, 2)"
    profile = session.profile(query)
    assert any("% 7" in line for line in profile.to_pandas()["text"])
    assert any("in_java_spread runs in Spark's JVM" in note for note in profile.notes)
    assert "Python" not in session.sql(query)._jdf.queryExecution().executedPlan().toString()


def test_what_a_file_says_that_was_added_is_followed(
    session: nu.Session, register: Any, tmp_path: Path
) -> None:
    file = tmp_path / "helping_java.py"
    file.write_text("def times(number):\n    return 2 * number\n")
    session.add_python_file(file)
    import helping_java  # type: ignore[import-not-found]

    def multiplied(number: int) -> int:
        return int(helping_java.times(number))

    try:
        assert "helping_java.py, which may change" in register(multiplied).explain()
        assert session.sql("SELECT in_java_multiplied(7)").first()[0] == 14
        file.write_text("def times(number):\n    return 3 * number + 0\n")
        assert session.sql("SELECT in_java_multiplied(7)").first()[0] == 21
    finally:
        session.remove_dependency("helping_java.py")


def test_a_call_with_too_few_arguments(session: nu.Session, register: Any) -> None:
    def joined(a: str, b: str, c: str = "") -> str:
        return a + b + c

    register(joined)
    said = r"in_java_joined\(a, b, c\) takes 2 to 3 arguments, and is given 1"
    for sql in (session.sql, session.spark.sql):
        with pytest.raises(nu.PlanningError, match=said):
            sql("SELECT in_java_joined('a')")


def test_days_and_moments_written_by_a_format(session: nu.Session, register: Any) -> None:
    def shown(day: date) -> str:
        return day.strftime("%Y-%m-%d|%y %j %A %a %B %b %% %H:%M:%S.%f %I%p") + f" {day:%d.%m.}"

    def moved(text: str) -> str:
        return datetime.strptime(text, "%Y-%m-%d %H:%M").strftime("%d/%m/%Y %I:%M %p")

    assert "runs in Spark's JVM" in register(shown).explain()
    assert "runs in Spark's JVM" in register(moved).explain()
    days = [date(1, 1, 1) + timedelta(days=each) for each in range(0, 3_652_058, 7_919)]
    texts = [f"{day.isoformat()} {day.day % 24:02}:{day.month:02}" for day in days]
    rows = list(zip(days, texts, strict=True))
    session.spark.createDataFrame(rows, "d date, t string").createOrReplaceTempView("java_days")
    query = "SELECT d, t, in_java_shown(d) AS s, in_java_moved(t) AS m FROM java_days"
    for row in session.sql(query).collect():
        assert (row.s, row.m) == (shown(row.d), moved(row.t))


def test_a_date_that_is_null(session: nu.Session, register: Any) -> None:
    def year_of(day: date | None, otherwise: int) -> int:
        return otherwise if day is None else day.year

    assert "runs in Spark's JVM" in register(year_of).explain()
    query = "SELECT in_java_year_of(d, 7) AS y FROM VALUES (DATE'2024-02-29'), (NULL) AS t(d)"
    assert [row.y for row in session.sql(query).collect()] == [2024, 7]
    assert session.sql("SELECT in_java_year_of(NULL, 8L)").first()[0] == 8
