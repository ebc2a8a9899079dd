"""The columns of sums that Spark adds up for an aggregate."""

from __future__ import annotations

# Parts of a sum: all of it, or its upper and lower half where 64 bits may not do.
SUM, HIGH, LOW = "sum", "high", "low"


# The field that counts the rows of a group that have to fail.
ROWS = "rows"


def field_name(part: str, slot: int | str | None, number: int) -> str:
    """The name of a sum's column: which part, of which slot, and the addition's number."""
    return f"{part}|{'' if slot is None else slot}|{number}"


def kept_name(place: int) -> str:
    """The name of an argument's column in the row that is kept."""
    return f"argument{place}"
