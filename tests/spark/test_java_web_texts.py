"""``quote``, ``unquote``, ``base64`` and bytes as texts in the JVM, next to Python's."""

from __future__ import annotations

import base64
import binascii
import random
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, quote, quote_plus, unquote, unquote_plus, urlparse

import pytest
from java_calls import Java, wrong_rows
from pyspark.sql.types import ArrayType, DataType, LongType, StringType

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

TEXT, LONG = StringType(), LongType()


def domain(url: str) -> str:
    return urlparse(url).netloc.replace("www.", "")


def what(text: str) -> str:
    try:
        return b64decode(text).decode()
    except UnicodeDecodeError:
        return "no text"
    except binascii.Error:
        return "no base64"
    except ValueError:
        return "no ASCII"


def first_label(url: str) -> str:
    host = urlparse(url).netloc
    return host.split(".")[0] if host.startswith("a") else host.partition(":")[2]


def identified(url: str) -> str | None:
    return parse_qs(urlparse(url).query).get("id", [None])[0]


def counted(query: str) -> list[str]:
    made = []
    for name, values in parse_qs(query).items():
        made.append(f"{name}: {len(values)} {values[-1]} {'|'.join(values)}")
    return made


def asked(query: str) -> str:
    found = parse_qs(query, keep_blank_values=True)
    if "a" not in found:
        return found.get("", ["nothing"])[0] + str(len(found))
    return found["a"][0] + ",".join(found["id"])


OF_TEXTS: list[tuple[Callable[..., Any], DataType]] = [
    (lambda s: unquote(s), TEXT),
    (lambda s: unquote_plus(s), TEXT),
    (lambda s: quote(s), TEXT),
    (lambda s: quote(s, safe=""), TEXT),
    (lambda s: quote(s, "/:?&"), TEXT),
    (lambda s: quote_plus(s), TEXT),
    (lambda s: quote_plus(s, safe="/"), TEXT),
    (lambda s: b64encode(s.encode()).decode(), TEXT),
    (lambda s: base64.urlsafe_b64encode(s.encode("utf-8")).decode("utf-8"), TEXT),
    (lambda s: b64decode(s).decode("utf-8", errors="replace"), TEXT),
    (lambda s: base64.urlsafe_b64decode(s).hex(), TEXT),
    (lambda s: base64.b64decode(s.encode()).hex(), TEXT),
    (lambda s: len(base64.standard_b64decode(s)), LONG),
    (lambda s: s.encode().hex(), TEXT),
    (what, TEXT),
    (domain, TEXT),
    (identified, TEXT),
    (counted, ArrayType(TEXT)),
    (asked, TEXT),
    (lambda s: ",".join(sorted(parse_qs(s).keys())), TEXT),
    (first_label, TEXT),
    (lambda s: [quote(unquote(s)), unquote(quote(s))], ArrayType(TEXT)),
]
PARTS = [
    *(
        "%41",
        "%4a",
        "%e4",
        "%C3%A4",
        "%c3",
        "%A4",
        "%F0%9F%98%80",
        "%F0%9F",
        "%ED%A0%80",
        "%",
        "%%",
    ),
    *("%4", "%zz", "%2", "+", "a", "é", "😀", " ", "/", "~", "%E2%82", "%FF", "%C0%80", "%F4%90"),
    *("%00", "&", "=", "?", "\0", "\u2028", "%E2%82%AC", "%E0%80", "%F5", "%2B", "b%C3é%A4", "."),
]
CODED = [
    "YQ==",
    "YWI=",
    "YWJj",
    "=",
    "==",
    "-",
    "_",
    "+",
    "/",
    "w6Q=",
    "8J+YgA==",
    "/w==",
    "\n",
    " ",
    "é",
    "7aCA",
]
HOSTS = ["www.example.com", "a.www.b", "h:80", "wwwww.x", "é", "", "u@www.x.de:1", "[::1"]


def texts(seed: int, count: int) -> list[Any]:
    chance = random.Random(seed)
    made: list[Any] = [None, "", *PARTS, *CODED]
    for _ in range(count):
        made.append("".join(chance.choices(PARTS, k=chance.randint(1, 6))))
        made.append("".join(chance.choices(CODED, k=chance.randint(1, 5))))
        raw = bytes(chance.choices(range(256), k=chance.randint(0, 9)))
        wide = bytes(
            chance.choices((0x41, 0x80, 0xBF, 0xC3, 0xE0, 0xED, 0xA0, 0xF0, 0xF4, 0x90), k=7)
        )
        for each in (raw, wide):
            made += ["".join(f"%{byte:02x}" for byte in each), b64encode(each).decode()]
        pairs = chance.choices([*PARTS, "id=", "a=", "a", "id", "=", "&", "&&", ";", "=="], k=9)
        made += ["".join(pairs), f"//h/p?{'&'.join(pairs)}"]
        made.append(f"http://{chance.choice(HOSTS)}/{chance.choice(HOSTS)}")
    return made


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("function", "result"), OF_TEXTS)
def test_texts_of_the_web_are_as_in_python(
    java: Java, function: Callable[..., Any], result: DataType
) -> None:
    assert wrong_rows(java, function, result, texts(12, 500)) == []


def test_a_domain_in_a_query(session: nu.Session) -> None:
    session.register_function("in_java_domain", udf(domain))
    try:
        frame = session.sql(
            "SELECT in_java_domain('http://www.h' || id || '.org/x') AS d FROM range(5)"
        )
        assert [row.d for row in frame.collect()] == [f"h{n}.org" for n in range(5)]
        assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()
        with pytest.raises(nu.UserFunctionError, match="TypeError"):
            session.sql("SELECT in_java_domain(NULL)").collect()
    finally:
        session.drop_function("in_java_domain")


def test_what_stays_in_python() -> None:
    cases: list[tuple[Callable[..., Any], str]] = [
        (lambda s: b64encode(s), "no bytes"),
        (lambda s: quote(s, safe=s), "safe letters that vary"),
        (lambda s: unquote(s, "latin-1"), "so many arguments"),
        (lambda s: s.encode().decode("cp1252"), "decode as cp1252"),
        (lambda s: b64decode(s, validate=True).hex(), "so many arguments"),
        (lambda s: urlparse(s).netloc.lower(), "no text"),
    ]
    for function, why in cases:
        with pytest.raises(NotCompiled, match=why):
            translate(function, [TEXT], TEXT)
