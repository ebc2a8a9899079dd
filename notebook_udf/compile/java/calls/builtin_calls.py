"""Calls of what Python brings along, as Java; functions that are not named here are the user's."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.calls import aggregates, type_tests
from notebook_udf.compile.java.collections import containers, lookups, set_values
from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.iterating import iterators, sorting
from notebook_udf.compile.java.iterating.sorting import flag
from notebook_udf.compile.java.numbers import decimals, whole_numbers
from notebook_udf.compile.java.numbers.arithmetic import absolute, arithmetic, condition, truth
from notebook_udf.compile.java.numbers.powers import power
from notebook_udf.compile.java.texts import text_encodings, text_methods
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import as_double, as_int, number, truncated
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    NUMBERS,
    SCALARS,
    STR,
    BoundMethod,
    Iteration,
    KnownValue,
    NotCompiled,
    Parts,
    Sequence,
    Term,
    Value,
)

Given = tuple[Value, ...]
_MARKS = {16: "x", 8: "o", 2: "b"}
_READING = (
    all, any, enumerate, filter, frozenset, list, map, max, min, set, sorted, sum, tuple, zip,
)  # fmt: skip


def _one(given: Given, name: str) -> Value:
    if len(given) != 1:
        raise NotCompiled(f"{name} of so many arguments")
    return given[0]


def _numeric(code: Code, value: Value) -> Term:
    """What int and float are asked of."""
    return json_values.without_containers(code, code.term(value), "numeric")


def _int(code: Code, given: Given) -> Value:
    if len(given) == 2:
        return _int_of_base(code, *given)
    term = as_int(code, _numeric(code, _one(given, "int")))
    if decimals.is_decimal(term):
        return decimals.as_int(code, term, nearest=False)
    if not term.kinds <= SCALARS or not term.kinds & (NUMBERS | STR):
        raise NotCompiled("int of what is no number and no text")
    if term.kinds == INT:
        return term
    if term.kinds == FLOAT:
        return truncated(code, term)
    return code.set(INT, code.integers.of_object(f"PyNumber.toInt({code.object(term)})"))


def _int_of_base(code: Code, value: Value, base: Value) -> Value:
    text = code.present(value)
    radix = base.value if isinstance(base, KnownValue) else None
    if text.kinds != STR or type(radix) is not int or (radix != 0 and not 2 <= radix <= 36):
        raise NotCompiled("int of this base")
    java = f"PyParse.toInt({text.java}, {radix})"
    return code.set(INT, code.integers.of_object(java))


def _float(code: Code, given: Given) -> Value:
    term = _numeric(code, _one(given, "float"))
    if decimals.is_decimal(term):
        return decimals.as_float(code, term)
    if not term.kinds <= SCALARS or not term.kinds & (NUMBERS | STR):
        raise NotCompiled("float of what is no number and no text")
    if term.kinds <= NUMBERS and len(term.kinds) == 1:
        return code.set(FLOAT, as_double(code, as_int(code, term)))
    return code.set(FLOAT, f"PyNumber.toFloat({code.object(term)})")


def _str(code: Code, given: Given) -> Value:
    data = code.present(given[0]) if len(given) > 1 else None
    if data is not None and data.kinds == BYTES:
        return text_encodings.decoded(code, data.java, given[1:], ())
    return text_methods.formatted(code, _one(given, "str"), "")


def _bytes(code: Code, given: Given) -> Value:
    """``bytes(text, encoding, errors)``."""
    text = code.present(given[0]) if len(given) > 1 else None
    if text is None or text.kinds != STR:
        raise NotCompiled("bytes of anything but a text and its encoding")
    return text_encodings.encoded(code, text.java, given[1:], ())


def _bool(code: Code, given: Given) -> Value:
    found = truth(code, _one(given, "bool"))
    return KnownValue(found) if isinstance(found, bool) else code.set(BOOL, found)


def _round(code: Code, given: Given) -> Value:
    term = number(code, given[0])
    if decimals.is_decimal(term):
        if len(given) == 2:
            return decimals.rounded(code, term, given[1])
        return decimals.as_int(code, term, nearest=True)
    bounded = code.integers.bounded
    if len(given) == 1 or (isinstance(given[1], KnownValue) and given[1].value is None):
        if term.kinds == INT:
            return term
        if term.kinds == FLOAT and bounded:
            return code.set(INT, f"PyNumber.toLong(Math.rint({term.java}))")
        if not term.kinds <= SCALARS or bounded:
            raise NotCompiled("round of this")
        return code.set(INT, f"PyNumber.round({code.object(term)})")
    digits = as_int(code, code.term(given[1]))
    if digits.kinds - NONE != INT or not term.kinds <= NUMBERS:
        raise NotCompiled("round of this")
    if term.kinds == FLOAT and bounded:
        return code.set(FLOAT, f"PyNumber.round({term.java}, {digits.java})")
    if term.kinds == INT and bounded:
        return code.set(INT, f"PyNumber.roundWhole({term.java}, {digits.java})")
    java = f"PyNumber.round({code.object(term)}, {code.object(digits)})"
    # To a number of digits that is None a float is rounded to an int.
    whole = INT if "none" in digits.kinds else frozenset()
    return code.set_from(term.kinds | whole, java)


def _ord(code: Code, given: Given) -> Value:
    term = code.present(_one(given, "ord"))
    if term.kinds != STR:
        raise NotCompiled("ord of what is no text")
    return code.set(INT, code.integers.of_long(f"PyText.ord({term.java})"))


def _chr(code: Code, given: Given) -> Value:
    return code.set(STR, f"PyText.chr({lookups.place(code, _one(given, 'chr'))})")


def _list(code: Code, given: Given) -> Value:
    whole = iterators.materialised(code, _one(given, "list"))
    if not whole.kinds & code.lists.fixed:
        return code.set(whole.kinds, f"new java.util.ArrayList({whole.java})")
    # Of a tuple it is a list that may be changed.
    made = code.new_list()
    code.lists.put(made.kinds, code.lists.of(whole.kinds))
    code.say(f"{made.java}.addAll({whole.java});")
    return made


def _tuple(code: Code, given: Given) -> Value:
    made, whole = code.new_list(), iterators.materialised(code, _one(given, "tuple"))
    code.lists.put(made.kinds, code.lists.of(whole.kinds))
    code.lists.fixed |= made.kinds
    code.say(f"{made.java}.addAll({whole.java});")
    return made


def _sorted(code: Code, given: Given, backwards: bool = False) -> Value:
    one = _one(given, "sorted")
    return sorting.in_order(code, one, aggregates.listed(code, one), backwards)


def _whether(every: bool) -> Callable[[Code, Given], Value]:
    def write(code: Code, given: Given) -> Value:
        one = _one(given, "all" if every else "any")
        over = iterators.iterated(
            code, aggregates.listed(code, one) if set_values.involves_set(one) else one
        )
        return found_in(code, over, every)

    return write


def found_in(code: Code, over: Iteration, every: bool) -> Term:
    """``all`` or ``any`` of an iteration: it goes no further than it has to."""
    found = code.set(BOOL, "true" if every else "false")
    going_on = found.java if every else f"!{found.java}"
    before = (f"if ({going_on}) {{", *over.before, "}") if over.before else ()
    open_still = replace(over, more=f"{going_on} && {over.more}", before=before)
    code.loop(open_still, lambda: code.say(f"{found.java} = {condition(code, over.value)};"))
    return found


def _range(code: Code, given: Given) -> Value:
    known = [each.value for each in given if isinstance(each, KnownValue)]
    if len(known) == len(given):
        try:
            return KnownValue(range(*known))
        except (TypeError, ValueError) as error:
            raise NotCompiled("what raises in every row") from error
    return Sequence(lambda: iterators.numbers(code, given))


def _enumerate(code: Code, given: Given) -> Value:
    start = given[1] if len(given) == 2 else KnownValue(0)
    inner, *_ = given
    return iterators.counted(code, iterators.iterated(code, inner), start)


def _zip(code: Code, given: Given, strict: bool = False) -> Value:
    return iterators.zipped(code, [iterators.iterated(code, each) for each in given], strict)


def _iter(code: Code, given: Given) -> Value:
    return iterators.iterated(code, _one(given, "iter"))


def _reversed(code: Code, given: Given) -> Value:
    one = _one(given, "reversed")
    return iterators.backwards(code, one)


def _rounded(how: str) -> Callable[[Code, Given], Value]:
    def write(code: Code, given: Given) -> Value:
        term = number(code, _one(given, how))
        if term.kinds == INT:
            return term
        if term.kinds != FLOAT:
            raise NotCompiled(f"math.{how} of this")
        method = "toLong" if code.integers.bounded else "toInt"
        inner = term.java if how == "trunc" else f"Math.{how}({term.java})"
        return code.set(INT, f"PyNumber.{method}({inner})")

    return write


def _of_double(java: str, boolean: bool = False) -> Callable[[Code, Given], Value]:
    def write(code: Code, given: Given) -> Value:
        term = number(code, _one(given, "this"))
        if not term.kinds <= NUMBERS:
            raise NotCompiled("a function of math of this")
        return code.set(BOOL if boolean else FLOAT, java.format(as_double(code, term)))

    return write


def _in_base(which: str, radix: int) -> Callable[[Code, Given], Value]:
    def write(code: Code, given: Given) -> Value:
        term = number(code, _one(given, which))
        if term.kinds != INT:
            raise NotCompiled(f"{which} of what is no whole number")
        return code.set(STR, f'PyWhole.inBase({code.object(term)}, "0{_MARKS[radix]}", {radix})')

    return write


def _format(code: Code, given: Given) -> Value:
    if not 1 <= len(given) <= 2:
        raise NotCompiled("format of so many arguments")
    return text_methods.format_chosen(code, given[0], (*given, KnownValue(""))[1])


def _pow(code: Code, given: Given) -> Value:
    *both, last = given
    if len(given) == 3 and not (isinstance(last, KnownValue) and last.value is None):
        return whole_numbers.modular_power(code, given)
    if not 2 <= len(given) <= 3:
        raise NotCompiled("pow of anything but two or three numbers")
    return power(code, *(both if len(given) == 3 else given))


def goes_through(function: Value) -> bool:
    """Whether a call reads what its arguments hold, and keeps none of them as it is."""
    if isinstance(function, BoundMethod):
        return function.name == "join"
    return isinstance(function, KnownValue) and any(function.value is each for each in _READING)


def _divmod(code: Code, given: Given) -> Value:
    if len(given) != 2:
        raise NotCompiled("divmod of so many arguments")
    whole, left = (arithmetic(code, how, *given) for how in ("//", "%"))
    return Parts((whole, left))


# By the identity of what is called: a user's object may be equal to anything.
_CALLS: dict[int, Callable[[Code, Given], Value]] = {
    id(int): _int,
    id(float): _float,
    id(str): _str,
    id(bool): _bool,
    id(bytes): _bytes,
    id(len): lambda code, given: text_methods.length(code, _one(given, "len")),
    id(abs): lambda code, given: absolute(code, _one(given, "abs")),
    id(round): _round,
    id(ord): _ord,
    id(chr): _chr,
    id(min): partial(aggregates.extreme, "min"),
    id(max): partial(aggregates.extreme, "max"),
    id(sum): aggregates.total,
    id(divmod): _divmod,
    id(list): _list,
    id(tuple): _tuple,
    id(sorted): _sorted,
    id(dict): containers.made_dict,
    id(defaultdict): containers.default_dict,
    id(set): lambda code, given: set_values.made(code, given, fixed=False),
    id(frozenset): lambda code, given: set_values.made(code, given, fixed=True),
    id(repr): lambda code, given: text_methods.represented(code, _one(given, "repr")),
    id(pow): _pow,
    id(hex): _in_base("hex", 16),
    id(oct): _in_base("oct", 8),
    id(bin): _in_base("bin", 2),
    id(format): _format,
    # As C rounds it: the quotient is a constant of Python's.
    id(math.radians): _of_double("{0} * (Math.PI / 180.0)"),
    id(math.degrees): _of_double("{0} * (180.0 / Math.PI)"),
    id(any): _whether(every=False),
    id(all): _whether(every=True),
    id(isinstance): type_tests.is_instance,
    id(type): type_tests.type_of,
    id(range): _range,
    id(enumerate): _enumerate,
    id(zip): _zip,
    id(iter): _iter,
    id(reversed): _reversed,
    id(math.floor): _rounded("floor"),
    id(math.ceil): _rounded("ceil"),
    id(math.trunc): _rounded("trunc"),
    id(math.sqrt): _of_double("PyNumber.squareRoot({0})"),
    id(math.fabs): _of_double("Math.abs({0})"),
    id(math.isnan): _of_double("Double.isNaN({0})", boolean=True),
    id(math.isfinite): _of_double("!Double.isNaN({0}) && !Double.isInfinite({0})", boolean=True),
    id(math.isinf): _of_double("Double.isInfinite({0})", boolean=True),
}
_FOLDED = (int, float, str, bool, len, abs, round, ord, chr, min, max, divmod, isinstance, sum)


# The parameters of functions, and how many of them have no name.
_NAMES: dict[int, tuple[tuple[str, ...], int]] = {
    id(round): (("number", "ndigits"), 0),
    id(enumerate): (("iterable", "start"), 0),
    id(sum): (("iterable", "start"), 1),
    id(pow): (("base", "exp", "mod"), 0),
    id(int): (("x", "base"), 1),
    id(str): (("object", "encoding", "errors"), 0),
    id(bytes): (("source", "encoding", "errors"), 0),
}


def _placed(function: Any, given: Given, names: tuple[str, ...]) -> Given:
    """The arguments of a call by their places."""
    parameters, nameless = _NAMES[id(function)]
    placed = taken(given, names, parameters, parameters[nameless:])
    if placed is None or set(placed) != set(parameters[: len(placed)]):
        raise NotCompiled(f"a call of {function.__name__} that does not fit it")
    return tuple(placed[name] for name in parameters[: len(placed)])


def call(code: Code, function: Any, given: Given, names: tuple[str, ...]) -> Value:
    """A call of a builtin, or of a function of ``math``."""
    write = _CALLS.get(id(function))
    said = getattr(function, "__qualname__", type(function).__name__)
    if write is None:
        raise NotCompiled(f"a call of {said}")
    if names and id(function) in _NAMES:
        given, names = _placed(function, given, names), ()
    if function in (min, max) and names == ("default",):
        *values, default = given
        which: str = function.__name__
        return aggregates.extreme(which, code, (_one(tuple(values), which),), default)
    if function is zip and names == ("strict",):
        *each, strict = given
        return _zip(code, tuple(each), flag(strict, "zip with strict="))
    if function is sorted and names == ("reverse",):
        one, backwards = given
        return _sorted(code, (one,), flag(backwards, "sorted with reverse="))
    if function is dict and names:
        return containers.dict_with_names(code, given, names)
    if names:
        raise NotCompiled(f"{said} with {names[0]}=")
    if given and function in _FOLDED and all(isinstance(each, KnownValue) for each in given):
        try:
            return KnownValue(function(*[each.value for each in given]))  # type: ignore[union-attr]
        except Exception:
            raise NotCompiled("what raises in every row") from None
    return write(code, given)
