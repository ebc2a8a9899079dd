"""SQL expressions over ``id`` for columns of realistic values, the same in every run.

Each takes a ``seed`` first, so that the columns of a case do not go up and down together.
"""

from __future__ import annotations

from datetime import date, datetime


def mixed(seed: int, count: int) -> str:
    """A BIGINT from 0 to ``count - 1``."""
    return f"pmod(xxhash64(id, {seed}), {count})"


def whole(seed: int, low: int, high: int) -> str:
    """A BIGINT from ``low`` to ``high``."""
    return f"({low} + {mixed(seed, high - low + 1)})"


def real(seed: int, low: float, high: float, digits: int = 2) -> str:
    """A DOUBLE between the two, with so many digits after the point."""
    return f"round({low}D + {mixed(seed, 1_000_000)} / 1000000D * {high - low}D, {digits})"


def amount(seed: int, low: int, high: int, digits: int) -> str:
    """A DECIMAL between the two, with so many digits after the point."""
    unit = 10**digits
    return f"CAST({whole(seed, low * unit, high * unit)} / {unit} AS DECIMAL(12, {digits}))"


def literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def one_of(seed: int, *texts: str) -> str:
    """One of some texts."""
    return pick(seed, *map(literal, texts))


def pick(seed: int, *expressions: str) -> str:
    """The value of one of some expressions."""
    place = f"CAST({mixed(seed, len(expressions))} + 1 AS INT)"
    return f"element_at(array({', '.join(expressions)}), {place})"


def digits(seed: int, count: int) -> str:
    """A text of so many digits."""
    return f"lpad(CAST({mixed(seed, 10**count)} AS STRING), {count}, '0')"


def joined(*parts: str) -> str:
    """The texts of some expressions, one after the other."""
    return f"concat({', '.join(parts)})"


def day(seed: int, first: date, days: int) -> str:
    """A DATE within so many days."""
    return f"date_add(DATE'{first}', CAST({mixed(seed, days)} AS INT))"


def moment(seed: int, first: datetime, seconds: int) -> str:
    """A TIMESTAMP within so many seconds."""
    return f"timestamp_seconds(unix_seconds(TIMESTAMP'{first}') + {mixed(seed, seconds)})"


def sometimes_null(expression: str, seed: int = 99) -> str:
    """NULL in one row of 25."""
    return f"IF({mixed(seed, 25)} = 0, NULL, {expression})"


FIRST_NAMES = ("Ada", "Grace", "Alan", "Edsger", "Barbara", "Niklaus", "Frances", "Ken", "Radia")
LAST_NAMES = ("Lovelace", "Hopper", "Turing", "Dijkstra", "Liskov", "Wirth", "Allen", "Perlman")


def person(seed: int) -> str:
    """A first and a last name."""
    return joined(one_of(seed, *FIRST_NAMES), "' '", one_of(seed + 1, *LAST_NAMES))


def sentence(seed: int) -> str:
    """A few words with hashtags, capitals and full stops."""
    return joined(
        one_of(seed, "I love", "We hate", "They like", "Nobody needs", "Who knows"),
        one_of(seed + 1, " this great phone", " the slow service", " #BigData and #Spark", " a"),
        one_of(seed + 2, " because it is", ", and that was", " when the day is", ". It seems"),
        one_of(seed + 3, " awesome!", " terrible.", " bad #fail", " good, really good."),
    )
