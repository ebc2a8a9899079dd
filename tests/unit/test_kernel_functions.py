"""Generated functions as kernels: what is answered is Python's, what would raise is left to it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from pyspark.sql.types import LongType

from notebook_udf.worker.kernels import numeric
from notebook_udf.worker.kernels.program import KernelFault, translate
from tests.fuzz.functions import COLUMNS, FORMS, check, functions, rows


@given(functions(), rows)
def test_what_is_answered_is_pythons(
    function: tuple[str, str], given: list[tuple[Any, ...]]
) -> None:
    check(*function, given)


PLAIN = (1, 2, 2.3, -0.75, "Ab,c", "bc", True, dt.date(2024, 2, 29), dt.date(1969, 7, 20))


@pytest.mark.parametrize(("kind", "form"), [(kind, form) for kind in FORMS for form in FORMS[kind]])
def test_every_form_is_answered(kind: str, form: str) -> None:
    """On rows without anything odd none is left to Python, but for what has no kernel."""
    simple = {"int": "b", "float": "x", "str": "t", "bool": "p"}
    text = form.format(**simple)
    if form.endswith("[{int}]"):
        text = form.format(str="t", int="(a - 1)")
    if form == "'ab,c'.index({str})":
        text = "'ab,c'.index(s[1:2])"
    if form in ("int({str})", "float({str})"):
        text = text.replace("t)", "'12' if p else t)")
    if "strptime" in form:
        written = "2024-02-29" if "%Y-" in form else "01.12.1999 23:59"
        text = text.replace("(t,", f"((t * 0) + {written!r},")
    if form == "math.log({float})":
        text = "math.log(x + 3)"
    answered = check(f"def generated({', '.join(COLUMNS)}):\n    return {text}", kind, [PLAIN])
    if form == "NAMES[{str}]":
        assert answered == 1
    assert answered == (form not in LEFT), text


# What Python still runs itself.
LEFT = {"'%s' % {str}"}


def test_branches_that_raise_leave_their_rows_alone() -> None:
    def bounded(a: int) -> int:
        if a < 0:
            raise ValueError(a)
        return a * 2

    program = translate(bounded, LongType())
    assert program is not None
    found = program([pa.array([1, -1, 3], pa.int64())])
    assert found is not None
    assert found.declined is not None
    assert found.declined.tolist() == [False, True, False]
    assert found.result.to_pylist()[::2] == [2, 6]


def test_what_has_no_kernel_is_left_to_python_with_its_line() -> None:
    def divided(a: int) -> int:
        if a < 10:
            return a
        return divmod(a, 10)[0]

    program = translate(divided, LongType())
    assert program is not None
    (left,) = program.outlook([pa.int64()]).left
    assert left.reason == "a call of divmod"
    assert left.line == divided.__code__.co_firstlineno + 3
    found = program([pa.array([1, 20, 3], pa.int64())])
    assert found is not None
    assert found.declined is not None
    assert found.declined.tolist() == [False, True, False]


SEEN: list[int] = []
COUNTS = {1: 0}


def said(a: int) -> int:
    if a > 3:
        print(a)
    return a


def kept(a: int) -> int:
    SEEN.append(a)
    return a


def counted(a: int) -> int:
    COUNTS[1] += 1
    return a


def numbered(a: int) -> int:
    global LAST
    LAST = a
    return a


def within(a: int) -> int:
    return kept(a) + 1


def handled(a: int) -> int:
    try:
        return 10 // a
    except ZeroDivisionError:
        SEEN.append(a)
        return 0


LAST = 0


@pytest.mark.parametrize("function", [said, kept, counted, numbered, within, handled])
def test_what_does_more_than_answer_is_left_to_python(function: Callable[[int], int]) -> None:
    """Even in rows that do not get there: what comes first decides what the next one sees."""
    program = translate(function, LongType())
    assert program is not None
    assert program([pa.array([1, 2], pa.int64())]) is None
    answers, (reason,) = program.outlook([pa.int64()])
    assert reason.line is not None
    assert not answers


def test_an_import_within_a_function_is_named() -> None:
    def seventh(a: int) -> int:
        import colorsys

        return colorsys and a % 7

    program = translate(seventh, LongType())
    assert program is not None
    _, (left,) = program.outlook([pa.int64()])
    assert left.reason == "the import of colorsys, which could stand above the function"
    assert left.line == seventh.__code__.co_firstlineno + 1


def test_a_fault_of_kernels_is_said_and_python_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: Any) -> Any:
        raise AttributeError("of a kernel")

    monkeypatch.setattr(numeric, "arithmetic", wrong)
    program = translate(lambda a: a + 1, LongType())
    assert program is not None
    with pytest.warns(KernelFault, match="AttributeError: of a kernel"):
        assert program([pa.array([1], pa.int64())]) is None
