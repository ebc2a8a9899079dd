"""What web servers write: addresses, log lines, parameters, JSON."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlparse

from benchmarks.mix.case import Case
from benchmarks.mix.columns import joined, moment, one_of, sometimes_null, whole

LINE = re.compile(
    r'^(?P<host>\S+) - - \[(?P<time>[^\]]+)\] "(?P<method>[A-Z]+) (?P<url>\S+) HTTP/[\d.]+" '
    r"(?P<status>\d{3}) (?P<size>\d+|-)$"
)


class Request(NamedTuple):
    host: str | None
    method: str | None
    url: str | None
    status: int | None


def log_fields(line: str | None) -> Request:
    found = LINE.match(line) if line else None
    if found is None:
        return Request(None, None, None, None)
    status = int(found["status"])
    return Request(found["host"], found["method"], found["url"], status)


def is_server_error(line: str | None) -> bool:
    if line is None:
        return False
    found = LINE.match(line)
    if not found:
        return False
    return int(found.group("status")) in range(500, 600)


def domain_of(url: str | None) -> str | None:
    if url is None:
        return None
    host = urlparse(url).hostname
    if host is None:
        return None
    parts = host.split(".")
    if len(parts) > 2 and parts[-2] in ("co", "com", "org"):
        return parts[-3]
    return parts[-2] if len(parts) > 1 else host


def ip_to_int(ip: str | None) -> int | None:
    if ip is None:
        return None
    octets = ip.split(".")
    if len(octets) != 4:
        return None
    number = 0
    for octet in octets:
        number = number * 256 + int(octet)
    return number


def query_parameter(url: str | None, key: str) -> str | None:
    if url is None or "?" not in url:
        return None
    query = url.split("?", 1)[1]
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if name == key:
            return value
    return None


def zip_code(record: str | None) -> str | None:
    if record is None:
        return None
    try:
        fields = json.loads(record)
    except ValueError:
        return None
    code = fields.get("Zipcode")
    if code is None:
        return None
    kind = fields.get("ZipCodeType", "STANDARD")
    if kind == "STANDARD":
        return f"{code:05d}"
    return f"{code:05d} ({kind.lower()})"


def _octets(seed: int) -> str:
    numbers = [f"CAST({whole(seed + i, 1, 254)} AS STRING)" for i in range(4)]
    return f"concat_ws('.', {', '.join(numbers)})"


def _lines(seed: int) -> str:
    time = moment(seed, datetime(2026, 3, 1), 86_400)
    line = joined(
        _octets(seed + 1),
        "' - - ['",
        f"date_format({time}, 'dd/MMM/yyyy:HH:mm:ss')",
        "' +0000] \"'",
        one_of(seed + 5, "GET ", "POST ", "HEAD "),
        one_of(seed + 6, "/", "/index.html", "/api/items/42", "/img/logo.png"),
        "' HTTP/1.1\" '",
        one_of(seed + 7, "200", "304", "404", "500", "503"),
        one_of(seed + 8, " 512", " 20480", " -", " broken"),
    )
    return sometimes_null(line)


_URLS = joined(
    one_of(1, "https://www.", "http://", "https://shop."),
    one_of(2, "example.com", "bbc.co.uk", "python.org"),
    one_of(3, "/", "/news?utm_source=mail&page=2", "/a/b?page=7&lang=en", "/q?lang=de"),
)

CASES = (
    Case(
        log_fields,
        "0BVer/log-streaming:spark-streaming/my_udf.py",
        (_lines(1),),
        "struct<host: string, method: string, url: string, status: bigint>",
        (
            (
                ('1.2.3.4 - - [01/Mar/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 5',),
                Request("1.2.3.4", "GET", "/a", 200),
            ),
            (("?",), Request(None, None, None, None)),
        ),
    ),
    Case(
        is_server_error,
        "AlexTalker/mt:app/2.py",
        (_lines(20),),
        "boolean",
        ((('h - - [t] "GET / HTTP/1.0" 503 -',), True), (("?",), False)),
    ),
    Case(
        domain_of,
        "skyxie/pants-test:src/my_module/__init__.py",
        (sometimes_null(_URLS),),
        "string",
        ((("https://www.bbc.co.uk/",), "bbc"), (("http://python.org/x",), "python")),
    ),
    Case(
        ip_to_int,
        "reganhw/netmasking:netmasking.py",
        (sometimes_null(_octets(1)),),
        "bigint",
        ((("192.168.0.1",), 3232235521), (("1.2",), None)),
    ),
    Case(
        query_parameter,
        "DKaczmarek/data-engineer-homework:homework/etl/transformers/parsers.py",
        (sometimes_null(_URLS), one_of(5, "page", "lang")),
        "string",
        ((("http://a.b/?x=1&page=2", "page"), "2"), (("http://a.b/", "page"), None)),
    ),
    Case(
        zip_code,
        "herculanocm/pyspark-aux:pyspark_json_column.py",
        (
            sometimes_null(
                joined(
                    "'{\"Zipcode\": '",
                    f"CAST({whole(1, 501, 99950)} AS STRING)",
                    one_of(2, "", ', "ZipCodeType": "STANDARD"', ', "ZipCodeType": "UNIQUE"'),
                    one_of(3, ', "City": "PARC PARQUE"}', ', "State": "PR"}', "}", " cut off"),
                )
            ),
        ),
        "string",
        ((('{"Zipcode": 704}',), "00704"), (('{"Zip',), None)),
    ),
)
