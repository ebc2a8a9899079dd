"""The functions of the benchmark ``mix``: plain Python that answers, and how they were split."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.mix import DEVELOPED, KEPT_APART
from benchmarks.mix.case import Case

ALL = (*DEVELOPED, *KEPT_APART)
SOURCE = re.compile(r"[\w.-]+/[\w.-]+:\S+|https://\S+")
each_case = pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)


def test_each_half_is_large_enough() -> None:
    assert min(len(DEVELOPED), len(KEPT_APART)) >= 30


def test_names_are_unique() -> None:
    names = [case.name for case in ALL]
    assert sorted(set(names)) == sorted(names)


def test_the_split_is_alternate_in_alphabetical_order() -> None:
    names = sorted(case.name for case in ALL)
    assert sorted(case.name for case in DEVELOPED) == names[0::2]
    assert sorted(case.name for case in KEPT_APART) == names[1::2]


@each_case
def test_a_source_is_named(case: Case) -> None:
    assert SOURCE.fullmatch(case.source)


@each_case
def test_it_is_plain_python_with_annotations(case: Case) -> None:
    function: Callable[..., Any] = case.function
    assert inspect.isfunction(function)
    signature = inspect.signature(function)
    assert len(signature.parameters) == len(case.columns)
    assert set(inspect.get_annotations(function)) == {*signature.parameters, "return"}


@each_case
def test_it_answers(case: Case) -> None:
    assert case.examples
    for arguments, answer in case.examples:
        assert case.function(*arguments) == answer
