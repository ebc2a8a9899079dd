"""The parts of URLs in the JVM: each row's answer is Python's, and what raises there raises."""

from __future__ import annotations

import random
import sys
import unicodedata
import urllib.parse
from collections.abc import Callable
from typing import Any
from urllib import parse
from urllib.parse import urlparse, urlsplit

import pytest
from java_calls import Java, wrong_rows
from pyspark.sql.types import ArrayType, BooleanType, DataType, LongType, StringType

import notebook_udf as nu
from notebook_udf import udf

LONG, TEXT, TRUTH = LongType(), StringType(), BooleanType()


SCHEMES = [
    "",
    "http:",
    "HTTP:",
    "https:",
    "ftp:",
    "sip:",
    "a+b-c.1:",
    "1a:",
    "é:",
    "x_y:",
    ":",
    "tel:",
]
HOSTS = [
    *(
        "",
        "example.com",
        "EXAMPLE.Com",
        "user@h",
        "u:p@h:80",
        "u:@h",
        ":p@h",
        "a@b@c:9",
        "h:",
        "h:0",
    ),
    *(
        "h:65535",
        "h:65536",
        "h:+1",
        "h:1_0",
        "h:\u0661",
        "h: 1",
        "h:x",
        "h:" + "9" * 30,
        "bücher.DE",
    ),
    *("[::1]", "[::1]:8", "u@[FE80::1%Eth0]:80", "[v1.x]", "[v1F.:]", "[vg.x]", "[v1.]", "[v.x]"),
    *(
        "[1.2.3.4]",
        "[::1.2.3.4]",
        "[::1.2.3.256]",
        "[::01.2.3.4]",
        "[::1.2.3]",
        "[1:2:3:4:5:6:7:8]",
    ),
    *("[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1::2::3]", "[:1::2]", "[1::2:]", "[::]", "[:::]"),
    *("[12345::]", "[g::]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]", "[1:2:3:4::5:6:7:8]", "[]"),
    *(
        "[::1%]",
        "[::1%a%b]",
        "[::1%a]x",
        "a[::1]",
        "[::1]a",
        "[::1]:x",
        "[::1",
        "::1]",
        "]::1[",
        "[[",
    ),
    *("[a]@h", "[::1]@h", "v1.x[@h", "v1.a[]@h", "[::1]]", "[[::1]", "a]@[::1]", "[::1]@[::2]:5"),
    *(
        "%41.x",
        "A%Bc:3",
        "İx",
        "ΑΣ",
        "h\u2100",
        "h\uff0f",
        "\uff1ax",
        "a\uff20b",
        "\ufe55",
        "\u2a74",
    ),
    *("\u212a", "e\u0301", "\u2488", "a\u0338", "\ufe16.x", "\U0001f600", "\u2047", "ﬁ", "\u037e"),
]
PATHS = [
    "",
    "/",
    "/a/b",
    "a",
    "/a;p",
    "/a;p/b;q;r",
    ";x",
    "/;",
    "a;b",
    "//x",
    "///y",
    "\\x",
    "/é 😀",
    "/a:b",
]
TAILS = ["", "?", "#", "?q=1", "#f", "?a#b?c", "#a?b#c", "?x=[::1]", "#\u2100", "?;a/b", "?a?b"]
ODD_IN_URLS = [
    "\t",
    "\r",
    "\n",
    " ",
    "\x00",
    "\x1f",
    "\x85",
    "\xa0",
    "/",
    ":",
    "@",
    "[",
    "]",
    "?",
    "#",
    ";",
]


def urls(seed: int, count: int) -> list[str | None]:
    chance = random.Random(seed)
    made = [f"http://{host}/p" for host in HOSTS] + [f"//{host}" for host in HOSTS]
    for _ in range(count):
        text = chance.choice(SCHEMES) + chance.choice(["//", "//", "//", "", "/"])
        text += chance.choice(HOSTS) + chance.choice(PATHS) + chance.choice(TAILS)
        for _ in range(chance.choice([0, 0, 1, 2])):
            at = chance.randint(0, len(text))
            text = text[:at] + chance.choice(ODD_IN_URLS) + text[at:]
        made.append(chance.choice(["", "", "", " ", "\x01 ", "\ufeff"]) + text)
    # Every letter that NFKC changes, and some that it does not.
    letters = [chr(c) for c in range(128, 0x30000) if not 0xD800 <= c < 0xE000]
    changed = [c for c in letters if unicodedata.normalize("NFKC", c) != c]
    return [None, "", *made, *(f"//a{c}b" for c in [*changed, *chance.sample(letters, 1000)])]


def host_or_path(url: str) -> str:
    try:
        found = urlparse(url)
    except ValueError:
        return "wrong"
    return found.hostname or found.path


def taken_apart(url: str) -> list[Any]:
    if url is None:
        return []
    scheme, netloc, _, _, _ = urlsplit(url)
    path, params = urlparse(url)[2], urlparse(url).params
    return [scheme.upper(), netloc, path, params, urllib.parse.urlsplit(url).query[1:]]


OF_URLS: list[tuple[Callable[..., Any], DataType]] = [
    (lambda u: urlparse(u).netloc, TEXT),
    (lambda u: urllib.parse.urlparse(u).path, TEXT),
    (lambda u: parse.urlsplit(u).path, TEXT),
    (lambda u: [urlparse(u).scheme, urlparse(u).params, urlparse(u).query], ArrayType(TEXT)),
    (taken_apart, ArrayType(TEXT)),
    (lambda u: urlparse(u), ArrayType(TEXT)),
    (lambda u: urlparse(u).fragment, TEXT),
    (lambda u: urlparse(u).hostname, TEXT),
    (lambda u: urlsplit(u).port, LONG),
    (lambda u: urlsplit(u).username, TEXT),
    (lambda u: urlsplit(u).password, TEXT),
    (host_or_path, TEXT),
    (lambda u: urlparse(u).hostname.removeprefix("www.").split(".")[0], TEXT),
    # Of None the parts are bytes: these raise, or say so.
    (lambda u: urlparse(u).scheme + "://" + urlparse(u).netloc, TEXT),
    (lambda u: f"{urlparse(u).scheme}://{urlparse(u).netloc}", TEXT),
    (lambda u: urlparse(u).scheme == "https" or urlparse(u).scheme in ("ftp", "http"), TRUTH),
    (lambda u: bool(urlparse(u).scheme and urlparse(u).netloc), TRUTH),
    (lambda u: all([urlparse(u).scheme, urlparse(u).netloc]), TRUTH),
    (lambda u: "." in urlparse(u).netloc, TRUTH),
    (lambda u: urlparse(u).netloc[4:], TEXT),
    (lambda u: urlparse(u).netloc + urlparse(u).path, TEXT),
    (lambda u: urlparse(u).path < urlparse(u).query, TRUTH),
    (lambda u: max(urlparse(u).path, urlparse(u).query, "x"), TEXT),
]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("function", "result"), OF_URLS)
def test_urls_have_the_parts_that_python_gives_them(
    java: Java, function: Callable[..., Any], result: DataType
) -> None:
    assert wrong_rows(java, function, result, urls(3, 2500)) == []


def test_no_delimiter_is_made_by_two_letters() -> None:
    marks = [chr(c) for c in range(0x300, sys.maxunicode + 1) if unicodedata.combining(chr(c))]
    for delimiter in "/?#@:":
        text = "".join(delimiter + mark for mark in marks)
        assert unicodedata.normalize("NFKC", text).count(delimiter) == len(marks)


def host(url: str) -> str | None:
    return urlparse(url).hostname


def test_urls_in_a_query(session: nu.Session) -> None:
    session.register_function("in_java_host", udf(host))
    try:
        frame = session.sql("""
            SELECT in_java_host('https://Me@WWW.Host-' || id || '.org:80/x?y') AS h
            FROM range(20)""")
        assert [row.h for row in frame.collect()] == [f"www.host-{n}.org" for n in range(20)]
        assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()
        assert session.sql("SELECT in_java_host(NULL)").first()[0] is None
        with pytest.raises(nu.UserFunctionError, match="Invalid IPv6 URL"):
            session.sql("SELECT in_java_host('http://[::1')").collect()
    finally:
        session.drop_function("in_java_host")


def test_parts_of_a_url_are_placed_in_a_row_by_their_names(session: nu.Session) -> None:
    names = ["path", "scheme", "query", "netloc", "fragment"]
    row = f"struct<{', '.join(f'{name}: string' for name in names)}>"
    made = udf(lambda u: urlsplit(u), input_types="string", result_type=row)
    session.register_function("in_java_split", made)
    try:
        found = session.sql("SELECT in_java_split('s://h/p?q#f') AS s").first().s
        assert tuple(found) == ("/p", "s", "q", "h", "f")
    finally:
        session.drop_function("in_java_split")
