"""Formats, patterns and functions that are one of some constants, in the JVM, next to Python's."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import pytest
from java_calls import Java, wrong_rows
from pyspark.sql.types import ArrayType, DataType, LongType, StringType

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

TEXT, LONG = StringType(), LongType()
FORMATS = ["%Y-%m-%d", "%d/%m/%Y", "%m-%d-%Y"]
NAMED = [("iso", "%Y-%m-%d"), ("german", "%d.%m.%Y"), ("long", "%Y-%m-%d %H:%M:%S")]
BY_NAME = {"n": r"\d+", "w": r"[a-z]+", "d": r"(\d+)-(\d+)"}
COMPILED = [re.compile(r"(?P<n>\d+)kg"), re.compile(r"(?P<n>\d+)g", re.I), re.compile("#(?P<n>.)")]
KINDS = {"year": re.compile(r"\d{4}"), "word": re.compile("[a-z]+")}
SHOWN = ("%Y", "%d.%m.%y", "week %j")


def parsed(text: str) -> str | None:
    for how in ("%Y-%m-%d", "%d/%m/%Y", "%m-%d-%Y"):
        try:
            return datetime.strptime(text, how).date().isoformat()
        except ValueError:
            continue
    return None


def parsed_of_list(text: str) -> str:
    found = "none"
    for how in FORMATS:
        try:
            found = str(datetime.strptime(text.strip(), how))
        except ValueError:
            found += "."
        else:
            break
    return found


def named(text: str) -> str:
    for name, how in NAMED:
        try:
            return f"{name} {datetime.strptime(text, how):%d}"
        except ValueError:
            pass
    raise KeyError(text)


def tried(text: str, how: str) -> datetime | None:
    try:
        return datetime.strptime(text, how)
    except ValueError:
        return None


def by_helper(text: str) -> str:
    for how in FORMATS:
        found = tried(text, how)
        if found is not None:
            return found.isoformat()
    return "none"


def fits(text: str, how: str) -> bool:
    try:
        datetime.strptime(text, how)
    except ValueError:
        return False
    return True


def twice(text: str) -> int:
    """The last format stands in a variable of both loops."""
    last, count = "%Y-%m-%d", 0
    for how in FORMATS:
        for other in FORMATS:
            count = count * 2 + fits(text, last) + (how != other and fits(text, other))
            last = other
    return count


def by_branch(text: str) -> str:
    how = "%d/%m/%Y" if "/" in text else "%Y-%m-%d"
    return str(datetime.strptime(text, how).date())


def shown(text: str) -> list[str]:
    day = date.fromisoformat(text)
    made = []
    for how in SHOWN:
        made.append(day.strftime(how))
        made.append(f"{day:{how}}|{format(day, how)}")
    return made


def first_of(text: str) -> str:
    for pattern in (r"(\d+)kg", r"(\d+)g", r"#(.)"):
        found = re.search(pattern, text)
        if found:
            return found.group(1) + found[0]
    return ""


def all_of(text: str) -> list[str]:
    made = []
    for pattern in BY_NAME.values():
        made.append(re.sub(pattern, "_", text))
        made.append("|".join(re.split(pattern, text)) if "(" not in pattern else "")
    return made


def looked_up(text: str) -> str:
    kind, _, rest = text.partition(" ")
    return re.sub(BY_NAME[kind], "<>", rest) + re.sub(BY_NAME.get(kind, "x"), "", rest)


def compiled(text: str) -> str:
    for pattern in COMPILED:
        found = pattern.search(text)
        if found is not None:
            return found["n"] + str(found.start("n"))
    return "none"


def of_kind(text: str) -> str:
    kind, _, rest = text.partition(" ")
    return KINDS[kind].sub("*", rest)


def half(text: str) -> str:
    return text[: len(text) // 2]


def doubled(text: str) -> str:
    return text + text


def tripled(text: str) -> str:
    return text * 3 if text < "3" else text.title()


def steps(text: str) -> str:
    for step in (half, doubled, half, tripled):
        text = step(text)
    return text


FUNCTIONS: list[tuple[Callable[..., Any], DataType]] = [
    (parsed, TEXT),
    (parsed_of_list, TEXT),
    (named, TEXT),
    (by_helper, TEXT),
    (twice, LONG),
    (by_branch, TEXT),
    (shown, ArrayType(TEXT)),
    (first_of, TEXT),
    (all_of, ArrayType(TEXT)),
    (looked_up, TEXT),
    (compiled, TEXT),
    (of_kind, TEXT),
    (steps, TEXT),
]


def texts(seed: int, count: int) -> list[Any]:
    chance = random.Random(seed)
    made: list[Any] = [None, "", *(f"{each:%Y-%m-%d}" for each in (date(1, 1, 1), date.max))]
    parts = [
        *("2024-02-29", "29/02/2024", "02-29-2024", "2023-02-29", "12kg", "7G", "#x", "n ", "w "),
        *("d ", "x ", "12-34", "abc", "01.12.2023", "2024-01-02 03:04:05", " ", "é", "😀", "d/m"),
        *("year ", "word ", "1999", "2024-1-5", "5/6/2024", "٣", "\n"),
    ]
    for _ in range(count):
        made.append("".join(chance.choices(parts, k=chance.choice([1, 1, 1, 2, 3]))))
    return made


@pytest.mark.parametrize(("function", "result"), FUNCTIONS)
def test_each_constant_has_its_java(
    java: Java, function: Callable[..., Any], result: DataType
) -> None:
    assert wrong_rows(java, function, result, texts(5, 700)) == []


def test_formats_in_a_query(session: nu.Session) -> None:
    session.register_function("in_java_parsed", udf(parsed))
    try:
        frame = session.sql("""
            SELECT in_java_parsed(t) AS d
            FROM VALUES ('2024-02-29'), ('29/02/2024'), ('02-29-2024'), ('x') AS v(t)""")
        assert [row.d for row in frame.collect()] == ["2024-02-29"] * 3 + [None]
        assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()
    finally:
        session.drop_function("in_java_parsed")


def test_what_stays_in_python() -> None:
    def varying(text: str) -> str:
        how = "%Y-%m-%d"
        for each in text.split():
            how = each
        return str(datetime.strptime(text, how))

    def differing(text: str) -> str:
        for pattern in ("(a)(b)", "(a)"):
            found = re.search(pattern, text)
            if found:
                return found.group(1)
        return ""

    for function, why in ((varying, "a format that varies"), (differing, "whose groups differ")):
        with pytest.raises(NotCompiled, match=why):
            translate(function, [TEXT], TEXT)
