"""Time zones that are always at one offset, in the JVM as in Python."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pyspark.sql.types import DoubleType, LongType, StringType, TimestampType

import notebook_udf as nu
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import Java, answered_alike, wrong_rows
from tests.spark.test_java_moments import FAR, REALS, iso_texts, local_time, seconds_of

TEXT, LONG, DOUBLE = StringType(), LongType(), DoubleType()
BERLIN = ZoneInfo("Europe/Berlin")
TOKYO = timezone(timedelta(hours=9), "JST")
NEARLY = timezone(-timedelta(hours=3, minutes=30, seconds=15, microseconds=250))
CLOCKS = ["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe"]


@pytest.fixture(scope="module")
def java(session: nu.Session) -> Java:
    return Java(session.spark._jvm)


def iso_of_number(n: float) -> str:
    return datetime.fromtimestamp(n, timezone.utc).isoformat()  # noqa: UP017


def day_of_number(n: float) -> str:
    return datetime.fromtimestamp(n, tz=TOKYO).strftime("%Y-%m-%d %H:%M:%S")


def there_and_back(n: float) -> float:
    return datetime.fromtimestamp(timestamp=n, tz=NEARLY).timestamp()


def of_no_zone(n: float) -> str:
    return str(datetime.fromtimestamp(n, None))


def which_error(n: float) -> str:
    try:
        return str(datetime.fromtimestamp(n, NEARLY) + timedelta(days=1))
    except OverflowError:
        return "overflow"
    except ValueError:
        return "value"
    except OSError:
        return "system"


def made_at(n: float) -> str:
    made = datetime(2024, 2, 29, 23, int(n) % 60, tzinfo=TOKYO)
    by_place = datetime(2024, 2, 29, 23, int(n) % 60, 0, 0, TOKYO)
    plain = datetime(2024, 1, 1, tzinfo=None)
    return f"{made} {made.astimezone(dt.UTC)} {by_place == made} {plain}"


@pytest.mark.parametrize(
    "function", [iso_of_number, day_of_number, there_and_back, of_no_zone, which_error, made_at]
)
@pytest.mark.parametrize("clocks", ["UTC", "America/St_Johns"])
def test_moments_of_numbers(java: Java, function: Callable[..., Any], clocks: str) -> None:
    result = DOUBLE if function is there_and_back else TEXT
    with local_time(clocks):
        seconds = [*seconds_of("", clocks, 400), *FAR]
        for kind, values in ((LONG, seconds), (DOUBLE, REALS)):
            rows = [(None,), *((each,) for each in values)]
            assert answered_alike(java, function, [kind], result, rows) > 3


def at_utc(s: str) -> str:
    moment = datetime.fromisoformat(s).replace(tzinfo=dt.UTC)
    return f"{moment} {moment.date()} {moment:%d.%m. %H}"


def elsewhere(s: str) -> str:
    return datetime.fromisoformat(s).astimezone(TOKYO).isoformat()


def to_nearly(s: str) -> str:
    there = datetime.fromisoformat(s).astimezone(NEARLY)
    return f"{there} {there.hour} {there.astimezone(dt.UTC).replace(tzinfo=None)}"


def whichever_error(s: str) -> str:
    try:
        return str(datetime.fromisoformat(s).astimezone(dt.UTC).date())
    except ValueError:
        return "value"
    except OverflowError:
        return "overflow"


def hours_behind(s: str) -> float:
    one = datetime.fromisoformat(s).replace(tzinfo=TOKYO)
    return (one - one.replace(tzinfo=NEARLY)).total_seconds() / 3600


@pytest.mark.parametrize("function", [at_utc, elsewhere, to_nearly, whichever_error, hours_behind])
@pytest.mark.parametrize("clocks", CLOCKS)
def test_moments_of_texts(java: Java, function: Callable[..., Any], clocks: str) -> None:
    def may_give_up(text: str) -> bool:
        # Of its own zone Python gives a moment back that has no UTC.
        return datetime.fromisoformat(text).year in (1, 9999)

    with local_time(clocks):
        # Gaps and folds, of an hour or of half an hour.
        dates = [*("03-10", "03-31", "04-07", "10-06", "10-27", "11-03"), "10-26", "03-09"]
        clock = [f"T{hour:02}:{minute:02}" for hour in range(5) for minute in (0, 1, 29, 30, 59)]
        days = [f"2024-{day}{at}" for day in dates for at in clock]
        edges = ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59Z", "0001-01-01T00:00"]
        texts = [*iso_texts(3, 1500), *days, *edges]
        result = DOUBLE if function is hours_behind else TEXT
        assert wrong_rows(java, function, result, texts, may_give_up) == []


def of_document(s: str) -> str:
    return datetime.fromtimestamp(json.loads(s)["at"], dt.UTC).isoformat()


def local_of_document(s: str) -> str:
    return str(datetime.fromtimestamp(json.loads(s)["at"]))


def error_of_document(s: str) -> str:
    try:
        return str(date.fromtimestamp(json.loads(s)["at"]))
    except TypeError:
        return "type"
    except (ValueError, OverflowError):
        return "value"
    except OSError:
        return "system"


@pytest.mark.parametrize("function", [of_document, local_of_document, error_of_document])
def test_moments_of_numbers_in_documents(java: Java, function: Callable[..., Any]) -> None:
    numbers = ["0", "1700000000", "-1.5", "1.0000005", "true", "false", "null", '"1"', "[1]", "{}"]
    numbers += ["1e300", "99999999999999999999", "NaN", "Infinity", "253402300799", "1e11"]
    texts = [None, "{", "{}", *(f'{{"at": {number}}}' for number in numbers)]
    with local_time("America/St_Johns"):
        assert wrong_rows(java, function, TEXT, texts) == []


def zone_of_its_own(n: int) -> str:
    return str(datetime.fromtimestamp(n, timezone(timedelta(hours=n % 3))))


def local(s: str) -> str:
    return str(datetime.fromisoformat(s).astimezone())


def name_of_zone(n: int) -> str:
    return datetime.fromtimestamp(n, TOKYO).strftime("%H %Z")


def made_with_changing_clocks(n: int) -> str:
    return str(datetime(2024, 7, 1, n, 0, 0, 0, BERLIN))


def made_by_name(n: int) -> str:
    return str(datetime(2024, 7, 1, n, tzinfo=BERLIN))


def misnamed(s: str) -> str:
    return str(datetime.fromisoformat(s).astimezone(zone=TOKYO))  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "function",
    [zone_of_its_own, local, name_of_zone, made_with_changing_clocks, made_by_name, misnamed],
)
def test_what_is_left_to_python(function: Callable[..., Any]) -> None:
    with pytest.raises(NotCompiled):
        translate(function, [TEXT if function in (local, misnamed) else LONG], TEXT)


def read(n: int) -> Any:
    return datetime.fromtimestamp(n, TOKYO)


def test_a_moment_with_a_zone_is_a_timestamp(session: nu.Session) -> None:
    of_rows = nu.udf(read, result_type=TimestampType(), compile=False, vectorise=False)
    made = session.register_function("read_in_java", nu.udf(read, result_type=TimestampType()))
    session.register_function("read_in_rows", of_rows)
    assert session.java.wait(60)
    assert "not in Spark's JVM" not in made.explain()
    query = "SELECT read_in_java(id * 86400000), read_in_rows(id * 86400000) FROM range(100)"
    assert all(one == other for one, other in session.sql(query).collect())
