"""Keys, checksums and names of files and browsers."""

from __future__ import annotations

import hashlib
from typing import NamedTuple
from urllib.parse import urlparse

from benchmarks.mix.case import Case
from benchmarks.mix.columns import digits, joined, one_of, person, sometimes_null

HEX = "0123456789abcdef"
NEWSPAPERS = {"nytimes", "bbc", "washingtonpost", "cnn", "theguardian", "huffingtonpost"}


class FileParts(NamedTuple):
    name: str
    extension: str | None


def blocking_key(authors: str | None) -> str | None:
    if not authors:
        return None
    letters = "".join(name[0] for name in authors.split())
    return hashlib.md5(letters.encode()).hexdigest()


def _to_hex(data: bytes) -> str:
    letters = []
    for byte in data:
        letters.append(HEX[byte >> 4])
        letters.append(HEX[byte & 15])
    return "".join(letters)


def sha1_hex(text: str | None) -> str:
    if text is None or text == "":
        return ""
    digest = hashlib.sha1()
    digest.update(text.encode("utf-8"))
    return _to_hex(digest.digest())


def luhn_valid(number: str | None) -> bool:
    if not number or not number.isdigit():
        return False
    total = 0
    for place, letter in enumerate(reversed(number)):
        digit = int(letter)
        if place % 2 == 1:
            doubled = digit * 2
            digit = doubled - 9 if doubled > 9 else doubled
        total += digit
    return total % 10 == 0


def file_parts(path: str | None) -> FileParts | None:
    if path is None:
        return None
    file = path.split("/")[-1]
    name, dot, extension = file.rpartition(".")
    if not dot:
        return FileParts(file, None)
    cleaned = name.replace("[", "").replace("]", "").replace("-", "_")
    return FileParts(cleaned, extension.lower())


def is_newspaper(url: str | None) -> bool:
    if url is None:
        return False
    host = urlparse(url).netloc
    return any(part in NEWSPAPERS for part in host.split("."))


def browser_family(agent: str | None) -> str:
    if not agent:
        return "Unknown"
    if "Edg/" in agent:
        return "Edge"
    if "OPR/" in agent or "Opera" in agent:
        return "Opera"
    if "Firefox/" in agent:
        return "Firefox"
    if "Chrome/" in agent:
        return "Chrome Mobile" if "Mobile" in agent else "Chrome"
    if "Safari/" in agent:
        return "Mobile Safari" if "iPhone" in agent else "Safari"
    return "Other"


def content_size(line: str | None) -> int | None:
    if line is None:
        return None
    fields = line.split()
    try:
        return int(fields[-1])
    except (ValueError, IndexError):
        return 0


CASES = (
    Case(
        blocking_key,
        "aaslan20/DIA-ER:spark/hash_blocking_spark.py",
        (sometimes_null(joined(person(1), "' '", person(3))),),
        "string",
        ((("Ada Lovelace",), hashlib.md5(b"AL").hexdigest()), (("",), None)),
    ),
    Case(
        sha1_hex,
        "potnurusiva/udftest:src/feature_generation/disney/udftest.py",
        (sometimes_null(joined(person(1), digits(3, 6))),),
        "string",
        ((("abc",), "a9993e364706816aba3e25717850c26c9cd0d89d"), ((None,), "")),
    ),
    Case(
        luhn_valid,
        "daniel-reich/ubiquitous-fiesta:XKEDTh2NMtTLSyCc2_15.py",
        (sometimes_null(joined(one_of(1, "4", "51", "x"), digits(2, 15))),),
        "boolean",
        ((("4111111111111111",), True), (("4111111111111112",), False), (("x",), False)),
    ),
    Case(
        file_parts,
        "sujaylokesh/Coin-Flippers:FileInputManager.py",
        (
            sometimes_null(
                joined(
                    one_of(1, "/data/raw/", "", "s3://bucket/"),
                    one_of(2, "[repo]-", "my-project", "notes"),
                    digits(3, 3),
                    one_of(4, ".CSV", ".json", "", ".tar.gz"),
                )
            ),
        ),
        "struct<name: string, extension: string>",
        ((("/a/[x]-y.CSV",), FileParts("x_y", "csv")), (("README",), FileParts("README", None))),
    ),
    Case(
        is_newspaper,
        "Harshdeep1996/cite-classifications-wiki:scripts/get_newspaper_citations.py",
        (
            sometimes_null(
                joined(
                    one_of(1, "https://www.", "http://", "https://m."),
                    one_of(2, "nytimes.com", "bbc.co.uk", "example.org", "archive.org"),
                    one_of(3, "/", "/2026/03/a-story.html"),
                )
            ),
        ),
        "boolean",
        ((("https://www.bbc.co.uk/news",), True), (("http://example.org",), False)),
    ),
    Case(
        browser_family,
        "heyulw/Final_Project:spark/99-project/test.py",
        (
            sometimes_null(
                joined(
                    one_of(
                        1,
                        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) ",
                        "Mozilla/5.0 (iPhone; CPU iPhone OS 14_6 like Mac OS X) ",
                    ),
                    one_of(
                        2,
                        "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/92.0 Safari/537.36",
                        "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/92.0 Safari/537.36 Edg/92.0",
                        "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/14.1 Safari/604.1",
                        "Gecko/20100101 Firefox/92.0",
                    ),
                )
            ),
        ),
        "string",
        (
            (("x Firefox/92.0",), "Firefox"),
            (("Chrome/92 Safari/1",), "Chrome"),
            ((None,), "Unknown"),
        ),
    ),
    Case(
        content_size,
        "databricks/reference-apps:"
        "logs_analyzer/chapter1/python/databricks/apps/logs/apache_access_log.py",
        (
            sometimes_null(
                joined(
                    "'10.0.0.1 - - [01/Mar/2026:10:00:00 +0000] \"GET /'",
                    digits(1, 4),
                    one_of(2, ' HTTP/1.1" 200 512', ' HTTP/1.1" 304 -', ' HTTP/1.0" 200 20480'),
                )
            ),
        ),
        "bigint",
        ((('h "GET / HTTP/1.1" 200 512',), 512), (("h -",), 0), ((None,), None)),
    ),
)
