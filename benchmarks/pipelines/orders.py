"""Orders as people typed them: prices and addresses cleaned."""

from __future__ import annotations

import re

from benchmarks.mix.columns import digits, joined, one_of, sometimes_null, whole
from benchmarks.pipelines.pipeline import Pipeline

POSTCODE = re.compile(r"\b(\d{5})\b")
RATES = {"USD": 1.0, "EUR": 1.09, "GBP": 1.27}


def price(text: str | None) -> float | None:
    if text is None:
        return None
    cleaned = text.strip().replace(",", "")
    currency = "USD"
    for name in RATES:
        if cleaned.startswith(name):
            currency = name
            cleaned = cleaned[len(name) :]
    try:
        return round(float(cleaned.strip().lstrip("$")) * RATES[currency], 2)
    except ValueError:
        return None


def postcode(address: str) -> str | None:
    found = POSTCODE.search(address)
    return found.group(1) if found else None


def street(address: str) -> str:
    first = address.split(",")[0].strip()
    return " ".join(word.capitalize() for word in first.split())


def initials(name: str) -> str:
    return "".join(part[0].upper() for part in name.split() if part) or "?"


ORDERS = Pipeline(
    "Cleaning 500,000 orders of a CSV file",
    500_000,
    {
        "name": one_of(1, "ada lovelace", "Grace Hopper", "alan m turing", "barbara  liskov"),
        "address": joined(
            f"CAST({whole(2, 1, 400)} AS STRING)",
            one_of(3, " main street,", " OAK avenue, ", " elm Road , "),
            one_of(4, "Springfield ", "new york ", "Bath "),
            digits(5, 5),
        ),
        "price": sometimes_null(
            joined(
                one_of(7, "$", "EUR ", "GBP", " "),
                f"CAST({whole(8, 1, 9)} AS STRING)",
                one_of(9, ",250.5", "99.99", "0", "?"),
            ),
            6,
        ),
        "quantity": whole(10, 1, 12),
    },
    "csv",
    ((price, "double"), (postcode, "string"), (street, "string"), (initials, "string")),
    """
    SELECT {f}initials(name) AS who, {f}street(address) AS street, {f}postcode(address) AS code,
           {f}price(price) * quantity AS total
    FROM {table}
    """,
)
