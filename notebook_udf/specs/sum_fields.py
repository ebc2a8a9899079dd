"""The columns of sums that Spark adds up for an aggregate."""

from __future__ import annotations

from notebook_udf.functions.sum_ir import Key, Slot

# Parts of a sum: all of it, or its upper and lower half where 64 bits may not do.
SUM, HIGH, LOW = "sum", "high", "low"
# Likewise of amounts that are themselves beyond 64 bits, as decimals.
WIDE_HIGH, WIDE_LOW = "wide high", "wide low"
WIDE = (WIDE_HIGH, WIDE_LOW)
# By how many bits the upper halves are shifted.
SHIFTS = {HIGH: 32, WIDE_HIGH: 64}


# The field that counts the rows of a group that have to fail.
ROWS = "rows"


def field_name(part: str, slot: Slot, number: int) -> str:
    """The name of a sum's column: which part, of which slot, and the addition's number."""
    return f"{part}|{_written(slot)}|{number}"


def slot_of(field: str) -> tuple[str, Slot]:
    """The part and the slot that a column's name says."""
    part, slot, _ = field.split("|")
    if not slot:
        return part, None
    if slot.startswith("."):
        return part, slot[1:]
    return part, int(slot) if slot.isdecimal() else Key(slot)


def _written(slot: Slot) -> str:
    # A key is an identifier, or it is no slot.
    match slot:
        case None:
            return ""
        case Key():
            return slot.name
        case str():
            return f".{slot}"
    return str(slot)


def kept_name(place: int) -> str:
    """The name of an argument's column in the row that is kept."""
    return f"argument{place}"
