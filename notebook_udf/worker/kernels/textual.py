"""Methods, parts and formats of texts: Python's answer, or the row is left to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from notebook_udf.worker.kernels import ranges
from notebook_udf.worker.kernels.numeric import as_numpy
from notebook_udf.worker.kernels.values import (
    Column,
    Domain,
    NoKernel,
    Rows,
    Several,
    Uniform,
    Value,
    column,
    folded,
    operand,
)

# What str.strip takes away; Arrow's own idea of white space is another.
_SPACE = "".join(chr(c) for c in range(0x3001) if chr(c).isspace())
_SPACES = f"[{re.escape(_SPACE)}]+"
_FIXED = re.compile(r"\.([0-6])f")
_PADDED = re.compile(r"0?([1-9][0-9]?)d?")
# Below it a number times a power of ten is within 1e-5 of the exact product.
_NEAR = float(1 << 36)
_TIE = 1e-4
# Of a constant text, all of whose parts are looked for.
_MOST_LETTERS = 64
# What holds constants, and how many are put into Arrow for each bundle.
_HOLDING = (tuple, list, set, frozenset, dict, range)
_MOST_MEMBERS = 50_000


def ascii_only(rows: Rows, array: Any) -> Any:
    """Texts without those beyond ASCII, which are left to Python: letters there may grow."""
    return rows.only(array, pc.string_is_ascii(array), "")


def constant_text(given: Sequence[Value], place: int = 0) -> str:
    """A constant text among arguments.

    Raises
    ------
    NoKernel
        If it is none.
    """
    value = given[place] if place < len(given) else None
    if isinstance(value, Uniform) and type(value.value) is str:
        return value.value
    raise NoKernel("a method of text with another argument than a constant text")


def _stripped(kernel: Callable[..., Any]) -> Callable[..., Value]:
    def strip(rows: Rows, array: Any, given: Sequence[Value]) -> Value:
        letters = constant_text(given) if given else _SPACE
        return column("str", kernel(array, characters=letters) if letters else array, rows)

    return strip


def _ascii(domain: Domain, kernel: Callable[..., Any]) -> Callable[..., Value]:
    """A method without arguments that Arrow's kernel does for ASCII alone."""

    def apply(rows: Rows, array: Any, given: Sequence[Value]) -> Value:
        if given:
            raise NoKernel("this method with arguments")
        return column(domain, kernel(ascii_only(rows, array)), rows)

    return apply


def _ends(kernel: Callable[..., Any]) -> Callable[..., Value]:
    def test(rows: Rows, array: Any, given: Sequence[Value]) -> Value:
        if len(given) != 1:
            raise NoKernel("with a place to begin at")
        one = given[0]
        many = one.value if isinstance(one, Uniform) and type(one.value) is tuple else None
        ends = many if many is not None else (constant_text(given),)
        if not ends or any(type(end) is not str for end in ends):
            raise NoKernel("this tuple of ends")
        found = kernel(array, ends[0])
        for end in ends[1:]:
            found = pc.or_(found, kernel(array, end))
        return column("bool", found, rows)

    return test


def _replace(rows: Rows, array: Any, given: Sequence[Value]) -> Value:
    old, new = constant_text(given), constant_text(given, 1)
    if not old or len(given) != 2:
        raise NoKernel("replace of nothing, or so many times")
    return column("str", pc.replace_substring(array, old, new), rows)


def _split(rows: Rows, array: Any, given: Sequence[Value]) -> Value:
    if not given:
        inside = pc.utf8_trim(array, characters=_SPACE)
        # Of nothing but white space there are no words, where a pattern finds one.
        rows.decline(pc.equal(pc.binary_length(inside), 0))
        return column("texts", pc.split_pattern_regex(inside, _SPACES), rows)
    return _split_at(rows, array, given)


def _split_at(rows: Rows, array: Any, given: Sequence[Value], *, reverse: bool = False) -> Value:
    between, most = constant_text(given), None
    if len(given) == 2 and isinstance(given[1], Uniform):
        most = given[1].value
    if not between or (len(given) > 1 and (type(most) is not int or not 0 < most < 1 << 30)):
        raise NoKernel("split at nothing, or so many times")
    found = pc.split_pattern(array, between, max_splits=most, reverse=reverse)
    return column("texts", found, rows)


def _partition(rows: Rows, array: Any, given: Sequence[Value]) -> Value:
    between = constant_text(given)
    if not between or len(given) != 1:
        raise NoKernel("partition at nothing")
    lengths = ranges.byte_lengths(array)
    # By bytes: no letter's own are found inside those of another.
    found = as_numpy(pc.find_substring(array, between).fill_null(-1)).astype(np.int64)
    there, width = found >= 0, len(between.encode())
    head = np.where(there, found, lengths)
    start = np.where(there, found + width, lengths)
    return Several(
        (
            column("str", ranges.of_texts(array, np.zeros_like(head), head), rows),
            column("str", pc.if_else(pa.array(there), between, ""), rows),
            column("str", ranges.of_texts(array, start, lengths - start), rows),
        )
    )


def _find(rows: Rows, array: Any, given: Sequence[Value]) -> Value:
    part = constant_text(given)
    if len(given) != 1:
        raise NoKernel("with a place to begin at")
    return column("int", pc.find_substring(ascii_only(rows, array), part).cast(pa.int64()), rows)


def _index(rows: Rows, array: Any, given: Sequence[Value]) -> Value:
    found = _find(rows, array, given)
    assert isinstance(found, Column)
    rows.decline(pc.less(found.array, 0))
    return found


def joined(rows: Rows, between: str, texts: Value) -> Value:
    """``between.join(texts)``.

    Raises
    ------
    NoKernel
        If these are no texts that were split.
    """
    if not isinstance(texts, Column) or texts.domain != "texts":
        raise NoKernel("join of this")
    rows.present(texts)
    return column("str", pc.binary_join(texts.array, between), rows)


def _count(rows: Rows, array: Any, given: Sequence[Value]) -> Value:
    part = constant_text(given)
    if not part or len(given) != 1:
        raise NoKernel("count of nothing, or from a place on")
    return column("int", pc.count_substring(array, part).cast(pa.int64()), rows)


def _filled(rows: Rows, array: Any, given: Sequence[Value]) -> Value:
    width = given[0] if len(given) == 1 else None
    if not isinstance(width, Uniform) or type(width.value) is not int or width.value > 1000:
        raise NoKernel("zfill to this width")
    rows.decline(pc.match_substring_regex(array, "^[+-]"))
    return column("str", pc.utf8_lpad(array, max(width.value, 0), "0"), rows)


METHODS: dict[str, Callable[[Rows, Any, Sequence[Value]], Value]] = {
    "upper": _ascii("str", pc.ascii_upper),
    "lower": _ascii("str", pc.ascii_lower),
    "casefold": _ascii("str", pc.ascii_lower),
    "swapcase": _ascii("str", pc.ascii_swapcase),
    "capitalize": _ascii("str", pc.ascii_capitalize),
    "title": _ascii("str", pc.ascii_title),
    "strip": _stripped(pc.utf8_trim),
    "lstrip": _stripped(pc.utf8_ltrim),
    "rstrip": _stripped(pc.utf8_rtrim),
    "startswith": _ends(pc.starts_with),
    "endswith": _ends(pc.ends_with),
    "isdigit": _ascii("bool", pc.ascii_is_decimal),
    "isalpha": _ascii("bool", pc.ascii_is_alpha),
    "isalnum": _ascii("bool", pc.ascii_is_alnum),
    "replace": _replace,
    "split": _split,
    "rsplit": partial(_split_at, reverse=True),
    "partition": _partition,
    "find": _find,
    "index": _index,
    "count": _count,
    "zfill": _filled,
}


def contains(rows: Rows, part: Value, whole: Value) -> Column:
    """``part in whole`` for a constant text in texts, or texts in a constant one's members.

    Raises
    ------
    NoKernel
        If they are anything else.
    """
    if isinstance(whole, Column) and whole.domain == "str":
        text = constant_text([part])
        rows.present(whole)
        return column("bool", pc.match_substring(whole.array, text), rows)
    if isinstance(whole, Uniform) and type(whole.value) is str and isinstance(part, Column):
        rows.present(part)
        return column(
            "bool", pc.is_in(part.array, value_set=pa.array(_parts(part, whole.value))), rows
        )
    members = whole.value if isinstance(whole, Uniform) else None
    if not isinstance(members, _HOLDING) or not isinstance(part, Column):
        raise NoKernel("in here")
    if len(members) > _MOST_MEMBERS:
        raise NoKernel("in so many")
    return column("bool", pc.is_in(part.array, value_set=_keys(part, members)), rows)


def place_in(rows: Rows, whole: str, part: Value, missing: Value | None) -> Value:
    """Where in a constant text another first stands; without ``missing`` Python says what else.

    Raises
    ------
    NoKernel
        If it is no text, or the constant one is long.
    """
    if not isinstance(part, Column):
        raise NoKernel("a place of this in a text")
    rows.present(part)
    return looked_up(rows, {each: whole.find(each) for each in _parts(part, whole)}, part, missing)


def _parts(part: Column, whole: str) -> list[str]:
    """All texts that are in a constant one."""
    if part.domain != "str" or len(whole) > _MOST_LETTERS:
        raise NoKernel("in a text so long")
    ends = range(len(whole) + 1)
    return sorted({whole[start:end] for start in ends for end in ends})


def _keys(value: Column, members: Any) -> pa.Array:
    """Members as Arrow holds them; None is one that NULL equals."""
    kind = {"int": int, "str": str}.get(value.domain)
    nothing = type(None)
    if kind is None or any(type(each) not in (kind, nothing) for each in members):
        raise NoKernel("members of other types")
    try:
        return pa.array(list(members), value.array.type)
    except (OverflowError, pa.ArrowInvalid):
        raise NoKernel("members beyond 64 bits") from None


def looked_up(rows: Rows, table: dict[Any, Any], key: Value, default: Value | None) -> Value:
    """``table[key]``, or ``table.get(key, default)``.

    Raises
    ------
    NoKernel
        If the table is of other types than columns.
    """
    if not isinstance(key, Column) or not table:
        raise NoKernel("a look-up by this key")
    places = pc.index_in(key.array, value_set=_keys(key, table))
    found = taken(list(table.values()), places, rows)
    missing = places.is_null()
    if default is None:
        rows.decline(missing)
        return found
    if isinstance(default, Uniform) and default.value is None:
        return found
    domain, other = operand(default)
    if domain != found.domain:
        raise NoKernel("a default of another type")
    return column(domain, pc.if_else(missing, other, found.array), rows)


def taken(values: Sequence[Any], places: Any, rows: Rows) -> Column:
    """Constants by place.

    Raises
    ------
    NoKernel
        If they are of several types.
    """
    kinds = {type(each) for each in values if each is not None}
    if len(kinds) != 1:
        raise NoKernel("values of several types")
    domain, _ = operand(Uniform(next(each for each in values if each is not None)))
    kind = pa.int64() if domain == "int" else None
    try:
        return column(domain, pa.array(values, kind).take(places), rows)
    except (OverflowError, pa.ArrowInvalid):
        raise NoKernel("values beyond 64 bits") from None


def rounded(rows: Rows, array: Any, digits: int) -> tuple[Any, Any]:
    """How many units of the last of some digits each number has, and the number so rounded.

    Next to a tie the nearest double may lie on either side: there Python has to look.
    """
    values = as_numpy(array)
    with np.errstate(all="ignore"):
        units = values * 10.0**digits
        size = np.abs(units)
        unsafe = ~(size < _NEAR) | (np.abs(size - np.floor(size) - 0.5) < _TIE)
        rows.decline(unsafe)
        units = np.rint(np.where(unsafe, 0.0, units))
        return units, units / 10.0**digits


def formatted(rows: Rows, value: Value, how: str) -> Value:
    """``format(value, how)``.

    Raises
    ------
    NoKernel
        If it is of a type or with a format that kernels do not write.
    """
    if isinstance(value, Uniform):
        return folded("format", format, value.value, how)
    if not isinstance(value, Column):
        raise NoKernel("a format of this")
    rows.present(value)
    domain, array = value.domain, value.array
    if not how and domain == "str":
        return value
    if not how and domain in ("int", "date"):
        return column("str", array.cast(pa.string()), rows)
    if not how and domain == "bool":
        return column("str", pc.if_else(array, "True", "False"), rows)
    if domain == "int" and (found := _PADDED.fullmatch(how)):
        rows.decline(pc.less(array, 0))
        filler = "0" if how.startswith("0") else " "
        return column("str", pc.utf8_lpad(array.cast(pa.string()), int(found[1]), filler), rows)
    if domain == "float" and (found := _FIXED.fullmatch(how)):
        return column("str", _fixed(rows, array, int(found[1])), rows)
    raise NoKernel(f"the format {how!r} of {domain}")


def _fixed(rows: Rows, array: Any, digits: int) -> Any:
    units, _ = rounded(rows, array, digits)
    size = np.abs(units).astype(np.int64)
    whole = pa.array(size // 10**digits).cast(pa.string())
    signs = pc.if_else(pa.array(np.signbit(as_numpy(array))), "-", "")
    if not digits:
        return pc.binary_join_element_wise(signs, whole, "")
    rest = pc.utf8_lpad(pa.array(size % 10**digits).cast(pa.string()), digits, "0")
    return pc.binary_join_element_wise(signs, whole, pa.scalar("."), rest, "")
