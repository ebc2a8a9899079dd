"""Masked values: what they look like, and what of them stays."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import Row

import notebook_udf as nu
from notebook_udf.export.masking import Mask


@dataclass(frozen=True)
class Person:
    name: str
    born: datetime.date


def shape(text: str) -> list[Any]:
    """The kind of each character; those that are neither letters nor digits themselves."""
    return [
        (each.isascii(), each.isupper(), each.islower(), each.isdigit()) if each.isalnum() else each
        for each in text
    ]


@given(st.text(st.characters(max_codepoint=0x7F)))
def test_a_text_keeps_its_length_and_the_kinds_of_its_characters(text: str) -> None:
    assert shape(Mask().of(text)) == shape(text)


@given(st.text(st.characters()))
def test_any_text_keeps_its_length(text: str) -> None:
    assert len(Mask().of(text)) == len(text)


def test_equal_texts_are_masked_equally_and_in_another_capture_otherwise() -> None:
    mask, text = Mask(), "Ada Lovelace 1815"
    assert mask.of(text) == mask.of(text) != text
    assert Mask().of(text) != mask.of(text)


@pytest.mark.parametrize(
    "value",
    [
        Row(name="Ada", n=1),
        nu.Row(name="Ada", n=1),
        Person("Ada", datetime.date(1815, 12, 10)),
        {"name": "Ada", "n": [1.5, None, True]},
        ("Ada", b"Ada", bytearray(b"Ada")),
        {"Ada"},
    ],
)
def test_texts_are_found_at_every_depth_and_all_else_stays(value: Any) -> None:
    masked = Mask().of(value)
    assert type(masked) is type(value)
    assert "Ada" not in repr(masked)
    for kept in ("name", "n=1", "n': [1.5, None, True]", "datetime.date(1815, 12, 10)"):
        assert (kept in repr(masked)) == (kept in repr(value))
