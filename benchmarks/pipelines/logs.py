"""The log of a web server: lines to fields, and what failed how often."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.mix.columns import joined, one_of, whole
from benchmarks.mix.developed.web import LINE
from benchmarks.pipelines.pipeline import Pipeline


class Request(NamedTuple):
    host: str
    method: str
    path: str
    status: int
    size: int


def request(line: str) -> Request | None:
    found = LINE.match(line)
    if found is None:
        return None
    size = found["size"]
    return Request(
        found["host"],
        found["method"],
        found["url"],
        int(found["status"]),
        0 if size == "-" else int(size),
    )


def section(path: str) -> str:
    parts = [part for part in path.split("?")[0].split("/") if part]
    return parts[0].lower() if parts else "home"


def outcome(status: int) -> str:
    if status >= 500:
        return "our fault"
    if status >= 400:
        return "their fault"
    return "moved" if status >= 300 else "fine"


LOGS = Pipeline(
    "Parsing a log of 500,000 lines of text",
    500_000,
    {
        "value": joined(
            one_of(1, "10.0.0.7", "192.168.3.44", "8.8.4.4", "unicomp6.unicomp.net"),
            "' - - [01/Jul/2026:00:00:01 +0000] \"'",
            one_of(2, "GET", "POST", "HEAD"),
            "' '",
            one_of(3, "/", "/Shop/item?id=7", "/shop/cart", "/blog/2026/07/a-day", "/API/v2/users"),
            "' HTTP/1.1\" '",
            one_of(4, "200", "200", "200", "301", "404", "500"),
            "' '",
            f"CAST({whole(5, 0, 90_000)} AS STRING)",
        )
    },
    "text",
    (
        (request, "host string, method string, path string, status bigint, size bigint"),
        (section, "string"),
        (outcome, "string"),
    ),
    """
    WITH requests AS (SELECT {f}request(value) AS r FROM {table})
    SELECT {f}section(r.path) AS section, {f}outcome(r.status) AS outcome,
           count(*) AS requests, sum(r.size) AS bytes
    FROM requests WHERE r IS NOT NULL
    GROUP BY ALL ORDER BY section, outcome
    """,
)
