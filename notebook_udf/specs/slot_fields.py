"""The columns of what Spark adds up, or gathers, for an aggregate."""

from __future__ import annotations

from typing import NamedTuple

from notebook_udf.functions.sum_ir import Key, Slot

# Parts of a sum: all of it, or its limbs of 32 bits, the lowest first, where 64 bits may not do.
SUM = "sum"
LIMBS = ("limb0", "limb1", "limb2", "limb3")
LIMB_BITS = 32
# The values that go into a list or a set of the accumulator.
GATHERED = "gathered"
# The field that counts the rows of a group that have to fail.
ROWS = "rows"


def field_name(part: str, slot: Slot, number: int) -> str:
    """The name of a column: what it is a part of, which slot it goes to, and a number."""
    return f"{part}|{_written(slot)}|{number}"


class SlotField(NamedTuple):
    """What a column's name says; the columns of one addition have its number.

    ``part`` is ``SUM``, one of ``LIMBS`` or ``GATHERED``.
    """

    part: str
    slot: Slot
    number: int


def slot_field(name: str) -> SlotField:
    """The reverse of ``field_name``."""
    part, slot, number = name.split("|")
    return SlotField(part, _slot(slot), int(number))


def _slot(written: str) -> Slot:
    if not written:
        return None
    if written.startswith("."):
        return written[1:]
    return int(written) if written.isdecimal() else Key(written)


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
