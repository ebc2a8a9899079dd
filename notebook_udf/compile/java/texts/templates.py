"""``template % values`` and ``template.format(values)`` of a template that is known, as Java."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from notebook_udf.compile.java.numbers.arithmetic import arithmetic
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import as_int, truncated
from notebook_udf.compile.java.writing.terms import (
    FLOAT,
    INT,
    SCALARS,
    STR,
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Value,
)

# Gives ``format(value, how)``.
Format = Callable[[Code, Value, str], Value]
# Gives ``repr(value)``.
Represent = Callable[[Code, Value], Value]
# The same of a format that may vary.
FormatChosen = Callable[[Code, Value, Value], Value]
# What ``string.Formatter`` takes a template apart into: a text before, a field's name, format and
# conversion.
_Field = tuple[str, str | None, str | None, str | None]

_PERCENT = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>[0-9]*)(?:\.(?P<digits>[0-9]*))?(?P<kind>[a-zA-Z%])"
)
_WHOLE, _REAL = "diu", "feEgGF"
_BASES = "xXo"


def percent(
    code: Code, template: str, right: Value, format_value: Format, represent: Represent
) -> Value:
    """``template % right``."""
    left, pieces, at = list(_several(right)), list[Value](), 0
    for found in _PERCENT.finditer(template):
        pieces.append(KnownValue(template[at : found.start()]))
        at = found.end()
        if found["kind"] == "%":
            if found.group() != "%%":
                raise NotCompiled(f"the format {found.group()}")
            pieces.append(KnownValue("%"))
            continue
        if not left:
            raise NotCompiled("what raises in every row")
        value = left.pop(0)
        if found["kind"] == "r":
            value = represent(code, value)
        pieces.append(_percent_one(code, found, value, format_value))
    pieces.append(KnownValue(template[at:]))
    rest = _PERCENT.sub("", template)
    if left or "%" in rest or "\0" in rest:
        raise NotCompiled(f"the template {template!r} with these values")
    return _joined(code, pieces)


def _several(right: Value) -> Sequence[Value]:
    if isinstance(right, Parts) and right.form == "tuple":
        return right.parts
    if isinstance(right, KnownValue) and type(right.value) is tuple:
        return tuple(map(KnownValue, right.value))
    if isinstance(right, (Term, KnownValue)):
        return (right,)
    raise NotCompiled("% of a text, of this")


def _percent_one(code: Code, found: re.Match[str], value: Value, format_value: Format) -> Value:
    flags, width, digits, kind = found["flags"], found["width"], found["digits"], found["kind"]
    said = f"the format {found.group()}"
    term = code.term(value)
    if "#" in flags or not term.kinds <= SCALARS:
        raise NotCompiled(said)
    left = "<" if "-" in flags else ""
    if kind in "sr":
        shown = term if term.kinds == STR else format_value(code, term, "")
        cut = "" if digits is None else f".{digits or 0}"
        how = (f"{left or '>'}{width}" if width else "") + cut
        return format_value(code, shown, how) if how else shown
    number = as_int(code, code.present(term))
    if number.kinds == FLOAT and kind in _WHOLE:
        number = truncated(code, number)
    fits = number.kinds == INT or (number.kinds == FLOAT and kind in _REAL)
    if not fits or kind not in _WHOLE + _REAL + _BASES:
        # What is no number raises.
        raise NotCompiled(said)
    if digits is not None and kind not in _REAL:
        raise NotCompiled(said)
    sign = "+" if "+" in flags else " " if " " in flags else ""
    zero = "0" if "0" in flags and not left and width else ""
    precision = "" if digits is None else f".{digits or 0}"
    how = f"{left if width else ''}{sign}{zero}{width}{precision}"
    return format_value(code, number, f"{how}{'d' if kind in _WHOLE else kind}")


def braces(
    code: Code,
    template: str,
    given: Sequence[Value],
    names: Sequence[str],
    format_value: FormatChosen,
    represent: Represent,
) -> Value:
    """``template.format(given)``; the last of what is given have names."""
    placed = given[: len(given) - len(names)]
    named = dict(zip(names, given[len(placed) :], strict=True))
    fields = [(each, _within(each)) for each in _fields(template)]
    numbers = _numbers(field for each, inner in fields for _, field, _, _ in (each, *inner))

    def value_of(field: str) -> Value:
        place = next(numbers)
        if isinstance(place, int) and place < len(placed):
            return placed[place]
        if isinstance(place, str) and place in named:
            return named[place]
        raise NotCompiled(f"the field {field} of a template")

    pieces, plain = list[Value](), KnownValue("")
    for (literal, field, how, conversion), inner in fields:
        pieces.append(KnownValue(literal))
        if field is None:
            continue
        if conversion not in (None, "s", "r"):
            raise NotCompiled(f"the field {field} of a template")
        value, wanted = value_of(field), KnownValue(how or "")
        if conversion:
            is_shown = conversion == "s"
            value = format_value(code, value, plain) if is_shown else represent(code, value)
        parts = list[Value]()
        for text, name, _, _ in inner:
            parts.append(KnownValue(text))
            if name is not None:
                parts.append(format_value(code, value_of(name), plain))
        pieces.append(format_value(code, value, _joined(code, parts) if inner else wanted))
    return _joined(code, pieces)


def _fields(template: str) -> list[_Field]:
    try:
        return list(string.Formatter().parse(template))
    except ValueError:
        raise NotCompiled("what raises in every row") from None


def _within(field: _Field) -> list[_Field]:
    """The fields of a format that has some, each without a format of its own."""
    how = field[2] or ""
    found = _fields(how) if "{" in how or "}" in how else []
    if any("{" in text or "}" in text or spec or said for text, _, spec, said in found):
        raise NotCompiled(f"the field {field[1]} of a template")
    return found


def _numbers(fields: Iterator[str | None]) -> Iterator[int | str]:
    """What each field stands for: a place among the arguments, or a name."""
    names = [field for field in fields if field is not None]
    if any(names) and not all(names) and any(name.isdecimal() for name in names):
        raise NotCompiled("what raises in every row")
    count = 0
    for name in names:
        if not name:
            yield count
            count += 1
        else:
            yield int(name) if name.isdecimal() else name


def _joined(code: Code, pieces: Sequence[Value]) -> Value:
    shown = [p for p in pieces if not isinstance(p, KnownValue) or p.value]
    if not shown:
        return KnownValue("")
    return reduce(lambda text, piece: arithmetic(code, "+", text, piece), shown)
