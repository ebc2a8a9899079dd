"""Exceptions that functions raise and take in the JVM, and their texts, next to Python's."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import ArrayType, DataType, DoubleType, LongType, StringType
from raised_and_taken import TooBig, several

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

TEXT, LONG, DOUBLE = StringType(), LongType(), DoubleType()
TEXTS = (
    *("", " ", "12", "1_000", "abc", "it's", 'say "x"', "1.5", "\t\n", "\u00e9\U0001f600"),
    *("x" * 300, "'" * 300, "\U0001f600" * 250, "9" * 4000, "nan", "1e5", "\x00", "0x10", None),
)
WHOLE = (0, 1, -1, 5, None, 2**62, -(2**63))
REAL = (0.0, -0.0, 1.5, float("nan"), float("inf"), None, -2.5, 1e300)


class ValidationError(ValueError):
    """Of the user's, of a kind that Java knows."""


class Coded(Exception):
    """One that keeps more than what it is made of."""

    def __init__(self, code: int) -> None:
        super().__init__(f"code {code}")
        self.code = code


def checked(x: int) -> int:
    if x < 0:
        raise ValidationError(f"negative: {x}")
    if x > 100:
        raise TooBig("too big")
    return x


def whole(s: Any) -> str:
    try:
        return str(int(s))
    except ValueError as error:
        return str(error)
    except TypeError as error:
        return f"type: {error}"


def real(s: Any) -> str:
    try:
        return str(float(s))
    except Exception as error:
        return "ERROR: " + str(error)


def decimal(s: Any) -> str:
    try:
        return str(Decimal(s) * 2)
    except Exception as error:
        return str(error)


def address(s: Any) -> str:
    try:
        text = s.strip().lower()
        if "@" not in text:
            raise ValueError("no address: {0!r}".format(s))  # noqa: UP030, UP032
        local, domain = text.split("@")
        return f"{local} at {domain}"
    except Exception as error:
        return "ERROR: " + str(error)


def parts(s: Any) -> str:
    made = []
    for n, part in enumerate((s or "").split(" ")):
        try:
            if not part:
                raise ValueError(f"part {n} is empty")
            made.append(str(7 % int(part)))
        except (ValueError, ZeroDivisionError) as error:
            made.append(f"[{error}]")
    return "|".join(made)


@pytest.mark.parametrize("function", [whole, real, decimal, address, parts])
def test_of_texts(java: Java, function: Callable[..., Any]) -> None:
    rows = [(text,) for text in TEXTS if text is not None or function is not decimal]
    assert answered_alike(java, function, [TEXT], TEXT, rows) == len(rows)


def quotient(x: Any, y: Any) -> str:
    try:
        return str(x / y)
    except (ZeroDivisionError, TypeError) as error:
        return str(error)


def rest(x: Any, y: Any) -> str:
    try:
        return str(x // y) + str(x % y)
    except Exception as error:
        return str(error)


def sums(x: Any, y: Any) -> str:
    try:
        return str(x * y - x + y) + str(x < y) + str(-x)
    except TypeError as error:
        return str(error)


def powers(x: Any, y: Any) -> str:
    try:
        return f"{y**2:.3f}" + f"{x:.2f}"
    except (TypeError, OverflowError) as error:
        return str(error)


@pytest.mark.parametrize("function", [quotient, rest, sums])
@pytest.mark.parametrize("left", [LONG, DOUBLE], ids=["whole", "real"])
@pytest.mark.parametrize("right", [LONG, DOUBLE], ids=["whole", "real"])
def test_of_numbers(
    java: Java, function: Callable[..., Any], left: DataType, right: DataType
) -> None:
    lefts, rights = (WHOLE if each == LONG else REAL for each in (left, right))
    rows = [(x, y) for x in lefts for y in rights]
    assert answered_alike(java, function, [left, right], TEXT, rows) == len(rows)


def cut(x: Any) -> str:
    try:
        return str(int(x))
    except (ValueError, OverflowError, TypeError) as error:
        return str(error)


def test_of_a_number_that_is_cut(java: Java) -> None:
    rows = [(x,) for x in REAL]
    assert answered_alike(java, cut, [DOUBLE], TEXT, rows) == len(rows)


CODES = {"a": 1, "b": 2}


def looked_up(k: Any, i: Any) -> str:
    try:
        return str(CODES[k] + [1, 2][i] + (5, 6, 7)[i]) + "xyz"[i]
    except (KeyError, IndexError, TypeError) as error:
        return str(error)


def held(xs: list[int], k: str, i: int) -> str:
    m = {}
    m["a"] = len(xs)
    try:
        xs[i] = 5
        return str(m[k] + xs[-i] + max(xs[1:]))
    except (LookupError, ValueError) as error:
        return str(error)


def test_of_items(java: Java) -> None:
    places = (0, 1, 2, None, -2, -3)
    rows: list[tuple[Any, ...]] = [(k, i) for k in ("a", "b", "it's", None) for i in places]
    assert answered_alike(java, looked_up, [TEXT, LONG], TEXT, rows) == len(rows)
    types: list[DataType] = [ArrayType(LONG, False), TEXT, LONG]
    rows = [
        (xs, k, i)
        for xs in ([], [1], [1, 2, 3])
        for k in ("a", 'z"')
        for i in (0, 1, 2, 5, -1, -3, 2**62)
    ]
    assert answered_alike(java, held, types, TEXT, rows) == len(rows)


def own(x: int) -> str:
    try:
        return str(checked(x))
    except ValidationError as error:
        return "invalid " + str(error)
    except Exception as error:
        return "other " + str(error)


def by_class(x: int) -> int:
    try:
        if x % 2:
            raise TooBig(f"odd {x}")
        return checked(x)
    except TooBig:
        return -1
    except ValueError:
        return -2


def raised_again(x: int) -> int:
    try:
        try:
            return checked(x)
        except ValidationError as error:
            raise KeyError(f"again {error}") from error
        except TooBig as error:
            raise error
    except KeyError as error:
        return len(str(error))
    except TooBig as error:
        return -len(str(error))


def made_of_another(x: int) -> int:
    # The format raises before there is an exception of the function's own.
    try:
        raise ValueError(f"{10 // x}")
    except ZeroDivisionError:
        return -1
    except ValueError as error:
        return int(str(error))


def guarded(x: int) -> str:
    try:
        return str(inverse(x))
    except ZeroDivisionError:
        return "by zero"
    except ValueError as error:
        return str(error)


def inverse(x: int) -> int:
    if x < 3:
        raise ValueError(f"too small: {12 // x}")
    return 60 // x


def after_a_call_without(x: int) -> str:
    # What is called first has been written before it is known that somebody takes what it raises.
    return f"{inverse(x + 10)} {guarded(x)}"


NUMBERS: list[Callable[..., Any]] = [
    own, several, by_class, raised_again, made_of_another, guarded, after_a_call_without,
]  # fmt: skip


@pytest.mark.parametrize("function", NUMBERS)
def test_of_what_is_raised(java: Java, function: Callable[..., Any]) -> None:
    rows = [(x,) for x in (*range(-12, 8), 100, 101, 2**40)]
    result = LONG if function in (by_class, raised_again, made_of_another) else TEXT
    # Others have it raise where nobody takes that.
    fine = [row for row in rows if function is not after_a_call_without or row[0] > -8]
    assert answered_alike(java, function, [LONG], result, fine) == len(fine)


def test_a_helper_of_no_module(java: Java) -> None:
    names: dict[str, Any] = {}
    exec("def helped(s):\n    return int(s)", names)
    helped = names["helped"]
    assert helped.__module__ is None

    def told(s: str) -> str:
        try:
            return str(helped(s))
        except ValueError as error:
            return str(error)

    assert answered_alike(java, told, [TEXT], TEXT, [("1",), ("x",)]) == 2


def test_what_is_not_taken_is_raised(java: Java) -> None:
    def strict(x: int) -> int:
        try:
            return checked(x)
        except ValidationError as error:
            raise TooBig("again " + str(error)) from error

    rows = [(-1,), (2,), (300,)]
    assert answered_alike(java, strict, [LONG], LONG, rows) == 1


def document(s: str) -> str:
    try:
        return str(json.loads(s))
    except ValueError as error:
        return str(error)


def day(s: str) -> str:
    try:
        return str(dt.datetime.strptime(s, "%Y-%m-%d"))
    except ValueError as error:
        return str(error)


def coded(s: str) -> str:
    try:
        raise Coded(len(s))
    except Coded as error:
        return str(error)


@pytest.mark.parametrize("function", [document, day, coded])
def test_texts_that_java_does_not_know_are_left_to_python(function: Callable[..., Any]) -> None:
    with pytest.raises(NotCompiled, match=r"the text of what|raise within try"):
        translate(function, [TEXT], TEXT)
