"""Masks values: texts of the same length and the same kinds of characters, numbers as they are.

What a text looks like stays, so that code which splits, measures or matches it goes the same way
where it does not compare it with a text of its own. Equal texts are masked equally, in one capture;
in another one otherwise, so that a list of possible values does not lead back to them.
"""

from __future__ import annotations

import dataclasses
import hashlib
import secrets
import string
from typing import Any

from pyspark.sql.types import Row

from notebook_udf.functions.row import Row as OwnRow

_LETTERS = (
    string.ascii_uppercase,
    string.ascii_lowercase,
    string.digits,
    "".join(c for c in map(chr, range(0xC0, 0xDF)) if c.isupper()),
    "".join(c for c in map(chr, range(0xE0, 0x100)) if c.islower()),
    "".join(map(chr, range(0x4E00, 0x4E80))),
)


class Mask:
    """Replaces the texts and bytes in values, the same ones always in the same way.

    Numbers, dates and truth values stay: code compares them with limits. So do the names of fields
    and the keys of maps, by which code finds their values.
    """

    def __init__(self) -> None:
        self._salt = secrets.token_bytes(16)

    def of(self, value: Any) -> Any:
        """A value of the same type, with every text in it replaced."""
        if isinstance(value, Row):
            made = tuple.__new__(type(value), map(self.of, value))
            names = getattr(value, "__fields__", None)
            if names is not None:
                made.__fields__ = names
            return made
        if isinstance(value, OwnRow):
            return OwnRow.of(value.names, list(map(self.of, value)))
        if isinstance(value, tuple) and hasattr(value, "_make"):
            return value._make(map(self.of, value))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = [field.name for field in dataclasses.fields(value) if field.init]
            return dataclasses.replace(value, **{f: self.of(getattr(value, f)) for f in fields})
        if type(value) in (list, tuple, set, frozenset):
            return type(value)(map(self.of, value))
        if type(value) is dict:
            return {key: self.of(each) for key, each in value.items()}
        if type(value) is str:
            return self._text(value)
        if type(value) in (bytes, bytearray):
            return type(value)(self._numbers(bytes(value)))
        return value

    def _text(self, value: str) -> str:
        numbers = self._numbers(value.encode("utf-8", "surrogatepass"))
        return "".join(map(_like, value, numbers))

    def _numbers(self, value: bytes) -> bytes:
        """As many random bytes as it has, the same for the same value."""
        return hashlib.shake_256(self._salt + value).digest(len(value))


def _like(character: str, number: int) -> str:
    """A character of the same kind; what is no letter and no digit stays."""
    kinds = (
        character.isascii() and character.isupper(),
        character.isascii() and character.islower(),
        character.isdigit(),
        character.isupper(),
        character.islower(),
        character.isalpha(),
    )
    for letters, fits in zip(_LETTERS, kinds, strict=True):
        if fits:
            return letters[number % len(letters)]
    return character
