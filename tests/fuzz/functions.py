"""Functions and rows for kernels: several statements, branches, locals, helpers, early returns.

What kernels answer of them has to be Python's answer, and what raises has to be left to Python.
"""

from __future__ import annotations

import datetime as dt
import math
import struct
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
from pyspark.sql.types import BooleanType, DataType, DoubleType, LongType, StringType

from notebook_udf.worker.kernels.program import translate
from tests.fuzz.wide_forms import WIDE_COLUMNS, WIDE_FORMS, WIDE_NAMESPACE, WIDE_STATEMENTS

# Of a row that kernels do not answer.
LEFT = object()
RESULTS: dict[str, DataType] = {
    "int": LongType(),
    "float": DoubleType(),
    "str": StringType(),
    "bool": BooleanType(),
}
COLUMNS = {
    "a": pa.int64(), "b": pa.int64(), "x": pa.float64(), "y": pa.float64(), "s": pa.string(),
    "t": pa.string(), "p": pa.bool_(), "d": pa.date32(), "e": pa.date32(),
}  # fmt: skip
NAMESPACE = """
import math
import datetime
import re
EPOCH = datetime.datetime(1970, 1, 1)
LIMIT = 7
RATE = 1.25
NAMES = {'a': 1, 'bc': 2, '': -5}
LABELS = {0: 'none', 1: 'one', 2: 'two'}
SIZES = ('small', 'medium', 'large')
VOWELS = frozenset('aeiou')
NUMBER = re.compile(r'[+-]?\\d+(\\.\\d*)?')
PAIR = re.compile(r'(?P<key>[a-z]+)[,=](\\w*)')
WORD = re.compile(r'^\\s*(\\w+)[,.]?\\b', re.IGNORECASE)

def half(v):
    return v / 2

def clipped(v, low=0, high=10):
    if v < low:
        return low
    return high if v > high else v

def first(text):
    if not text:
        return '?'
    return text[0]

def key_of(text):
    found = PAIR.search(text)
    if found is None:
        return 'none', ''
    return found['key'], found.group(2)

def ends(text, *, default='-'):
    if len(text) < 2:
        return default, default
    return text[0], text[-1]
"""

# By type: forms, where {int} and so on stand for further expressions.
FORMS: dict[str, tuple[str, ...]] = {
    "int": (
        "a", "b", "3", "0", "-1", "LIMIT", "2 ** 40", "({int} + {int})", "({int} - {int})",
        "({int} * {int})", "({int} // {int})", "({int} % {int})", "(-{int})", "abs({int})",
        "min({int}, {int})", "max({int}, {int}, {int})", "len({str})", "int({float})",
        "int({str})", "round({float})", "({int} if {bool} else {int})", "NAMES[{str}]",
        "NAMES.get({str}, 0)", "math.floor({float})", "math.ceil({float})", "d.year", "d.month",
        "d.day", "d.weekday()", "(d - e).days", "(d - datetime.date(2020, 2, 29)).days",
        "datetime.datetime.strptime({str}, '%Y-%m-%d').month", "EPOCH.year",
        "(datetime.datetime.strptime({str}, '%d.%m.%Y %H:%M') - EPOCH).days", "{str}.find('b')",
        "{str}.index('b')", "len({str}.split())", "{str}.count('a')", "{int} ** 2",
        "clipped({int})", "clipped({int}, 2)", "clipped(high={int}, v={int})",
        "round(number={float})", "(a, b)[1]", "len({str}[{int}:])",
        "len({str}.split(','))", "({int} or {int})", "({int} and {int})", "int({bool})",
        "(d + datetime.timedelta(days=3)).day", "(d - (d - e)).month", "(EPOCH + (d - e)).year",
        "(EPOCH - (d - e)).month", "(datetime.timedelta(hours=-25) + d).day",
        "(e - datetime.timedelta(hours=49)).day", "(d + (d - e)).year",
        "'abca'.find({str})", "'ab,c'.index({str})", "'a,b'.find(',')",
    ),
    "float": (
        "x", "y", "0.5", "-2.0", "RATE", "({float} + {float})", "({float} - {int})",
        "({float} * {float})", "({float} / {float})", "({int} / {int})", "({float} % {float})",
        "({float} // {float})", "(-{float})", "abs({float})", "max({float}, {float})",
        "min({float}, {float})", "float({int})", "float({str})", "round({float}, 2)",
        "round({float}, 0)", "math.sqrt({float})", "math.sin({float})", "math.exp({float})",
        "math.log({float})", "math.radians({float})", "({float} if {bool} else {float})",
        "half({int})", "({int} * 0.1)", "round({float}, ndigits=1)", "math.fabs({float})",
        "(d - e).total_seconds()", "(d - e + (e - d)).total_seconds()",
        "{float} ** 2", "math.atan({float})",
    ),
    "str": (
        "s", "t", "'ab'", "''", "({str} + {str})", "{str}.upper()", "{str}.lower()",
        "{str}.strip()", "{str}.strip('ab')", "{str}.rstrip()", "{str}.lstrip('-')",
        "{str}.title()", "{str}.capitalize()", "{str}.swapcase()", "{str}.replace('a', 'xy')",
        "{str}[0]", "{str}[-1]", "{str}[1:3]", "{str}[:-1]", "{str}[-2:]", "{str}[::-1]",
        "{str}.split(',')[0]", "{str}.split(',')[-1]", "{str}.split('b')[1]", "str({int})",
        'f"{{{int}}}"', 'f"{{{str}}}-{{{int}}}"', 'f"{{{float}:.2f}}"', 'f"{{{int}:03d}}"',
        'f"{{{float}:.0f}}"', "({str} if {bool} else {str})", "first({str})", "LABELS[{int}]",
        "LABELS.get({int}, 'many')", "SIZES[{int}]", "str({bool})", "d.isoformat()", "str(d)",
        "({str} * 2)", "({str} * {int})", "({int} * {str})", "({str} or {str})", "{str}.zfill(4)",
        "NUMBER.sub('#', {str})", "re.sub('[ab]+|1', '', {str})", "' '.join({str}.split())",
        "'-'.join({str}.split(','))", "{str}.split()[0]", "re.sub('A(b|c)?', '<>', {str})",
        "'%s' % {str}", "{str}[{int}:{int}]", "{str}[{int}:]", "{str}[:{int}]", "{str}[{int}]",
        "{str}[::2]", "{str}[{int}::-1]", "{str}[-1:{int}:-2]", "{str}[:{str}.find('b')]",
        "','.join({str}.split(',')[1:])", "' '.join({str}.split()[::-1])",
        "{str}.split('a')[{int}]", "'-'.join({str}.split(',')[{int}:{int}])",
        "{str}.split(',', 1)[-1]", "{str}.rsplit(',', maxsplit=1)[0]", "{str}.partition(',')[0]",
        "{str}.partition('b')[2]", "{str}.partition('a')[1]", "ends({str})[0]",
        "key_of({str})[1]", "PAIR.sub('', {str})", "re.match('[^,]*', {str}).group()",
        "re.search('(.)(.)', {str} + 'zz').groups()[1]",
        "ends({str}, default=t)[1]", "'xyz'[{int}]",
    ),
    "bool": (
        "p", "True", "({int} < {int})", "({int} <= {float})", "({float} == {float})", "(d < e)",
        "(d == e)", "({float} != {int})", "({str} == {str})", "({str} < {str})",
        "(0 <= {int} < 9)", "(not {bool})", "({bool} and {bool})", "({bool} or {bool})",
        "(a is None)", "(s is not None)", "(x is None)", "{str}.startswith('a')",
        "{str}.endswith(('b', ','))", "({int} in (1, 2, 3))", "({str} not in ('a', 'bc'))",
        "('b' in {str})", "({str} in 'abcba')", "({str} in NAMES)", "{str}.isdigit()",
        "{str}.isalpha()", "math.isnan({float})", "bool({int})", "bool({str})",
        "({str} in VOWELS)", "({int} in range(3, 9))",
        "({int} not in range(9, 0, -2))", "(s == None)", "(a != b)", "bool(NUMBER.match({str}))",
        "(NUMBER.fullmatch({str}) is None)", "(WORD.search({str}) is not None)",
        "bool(re.search('a.?b|^b$', {str}))", "(not re.match('(a|ab)(c|bcd)?$', {str}))",
    ),
}  # fmt: skip

# The same, which kernels leave to Python.
MORE_FORMS: dict[str, tuple[str, ...]] = {
    "int": (
        "sum(len(w) for w in {str}.split(','))", "sum([ord(c) for c in {str}])",
        "len([c for c in {str} if c != 'a'])", "sum(map(len, {str}.split()))",
        "max(len(w) * v for w, v in zip({str}.split(','), range(9)))", "[{int}, 2, {int}][{int}]",
        "min([ord(c) for c in {str} if c > 'a'])", "sum(map(int, {str}))",
        "len(set({str}) & set({str}))", "len(set({str}.split(',')) ^ set({str}))",
        "sum(filter(None, [{int}, 0, {int}]))", "sum(set([{int}, {int}, 3]))",
        "sorted([{int}, {int}, 1], key=abs)[{int}]", "[*enumerate({str})][0][0]",
        "sum(i for i, _ in enumerate(filter(str.isdigit, {str})))",
    ),
    "float": (
        "sum([{float}, {float}])",
        "sorted([{float}, {int}, 0.5, {float}])[1]", "sorted([{float}, {float}], key=abs)[0]",
        "max([{float}, {float}], key=lambda v: -v)", "min(set([{int}, 0.5, True]))",
        "sum(v * 0.5 for v in (1, {int}))", "max([v for v in ({float}, 0.25) if v == v])",
    ),
    "str": (
        "''.join(sorted({str}))", "''.join(sorted(set({str}) - set({str})))",
        "''.join(dict.fromkeys({str}))", "''.join(filter(str.isalpha, {str}))",
        "max({str}.split(','), key=len)", "''.join(sorted({str}, key=str.lower, reverse=True))",
        "'-'.join([w.upper() for w in {str}.split(',')])",
        "''.join(c for c in {str} if c.isalpha())", "' '.join(w[::-1] for w in {str}.split())",
        "sorted({str}.split(','))[0]", "(lambda v: v + s)({str})", "type({int}).__name__",
        "type({str}).__name__",
    ),
    "bool": (
        "any(c == 'b' for c in {str})", "all(c.isdigit() for c in {str})",
        "(set({str}) <= set({str}))", "set({str}).isdisjoint({str})", "({str} in set({str}))",
        "any([len(w) > 1 for w in {str}.split(',')])", "({int} in [{int}, 7])",
    ),
}  # fmt: skip


# The same of lists and dicts that a function makes: m of ints, n of texts, c of ints by texts, q of
# tuples and g of lists.
HELD_FORMS: dict[str, tuple[str, ...]] = {
    "int": (
        "m[{int}]", "len(m)", "sum(m)", "max(m)", "c[{str}]", "c.get({str}, {int})", "len(c)",
        "q[{int}][0]", "sum(k for k, _ in q)", "g[{int}][{int}]", "sum(len(r) for r in g)",
        "sum(c.values())", "m.pop()", "m.pop({int})", "g[-1].pop()", "m.index({int})",
        "c.setdefault({str}, {int})", "sum([v for r in g for v in r])", "(m + [{int}])[-1]",
        "([{int}] * 3)[{int}]", "dict([({str}, {int}), ('a', 5)])['a']", "{'a': {int} }['a']",
        "f({int})", "f({int}, {int})", "f(k={int}, v={int})",
        "sorted(m)[{int}]", "sorted(m, key=lambda v: -v)[0]", "min(m + [{int}])", "sum([a, b])",
        "max([a, {int}])", "m.count({int})", "len(sorted(c.items(), key=lambda i: i[1])[0][0])",
    ),
    "float": ("sum([v * 0.5 for v in m])", "(x, y)[{int}]", "[x, 0.5][{int}]"),
    "str": (
        "n[{int}]", "','.join(n)", "','.join(c)", "q[-1][1]", "''.join(w for _, w in q)",
        "max(q, key=lambda v: v[0])[1]", "' '.join(k + str(v) for k, v in c.items())",
        "''.join(sorted(c))", "''.join(w for w, v in zip(n, m))", "n.pop()",
    ),
    "bool": (
        "({int} in m)", "({str} in c)", "bool(q)", "(not g)", "any(v > 1 for v in m)",
        "({str} in n)", "all(len(r) for r in g)", "(q[0] < (1, 'a'))",
    ),
}  # fmt: skip
HELD_STATEMENTS = (
    "m.append({int})", "m.extend([{int}, {int}])", "m += [{int}]", "m[{int}] = {int}",
    "m.insert({int}, {int})", "m.reverse()", "n.append({str})", "c[{str}] = {int}",
    "c[{str}] = c.get({str}, 0) + 1", "q.append(({int}, {str}))", "m = m[{int}:]",
    "q = [(len(w), w) for w in {str}.split(',')]", "g.append([{int}])", "g[{int}].append({int})",
    "m = [v + 1 for v in m]", "c = {w: len(w) for w in {str}.split(',')}", "m.clear()",
    "c.update({'a': {int}})", "g[0] = m", "k = q[0]\n{space}q.append(k)", "n[{int}] = {str}",
    "c[{str}] += {int}", "m = sorted(m)", "m = list(m)", "g = [m, m]", "q = q[::-1]",
)  # fmt: skip
HELD_LOOPS = (
    "for a in m:", "for s in c:", "for s, a in c.items():", "for a, s in q:", "for b in g[0]:",
    "for k in q:\n{space}    a = k[0]", "for r in g:\n{space}    a = len(r)", "for t in n:",
)  # fmt: skip
HELD = (
    "m = [{int}, {int}]", "n = {str}.split(',')", "c = {}", "q = [(1, 'b')]", "g = [[{int}], []]",
    "f = lambda v, k={int}: v - k",
)  # fmt: skip


# Statements that take something apart.
UNPACKED = (
    "s, _, t = {str}.partition(',')",
    "s, t = {str}.split(',')",
    "s, t = {str}.split(sep='b', maxsplit=1)",
    "t, s = ends({str})",
    "a, b = b, a",
    "(a, s), x = (b, {str}), y",
    "s, t = {str}",
)


# Loops that end, with as many levels of what they repeat.
STATEMENTS = ("local", "again", "parts", "loop", "if", "else", "return", "none", "try", "late")
HANDLERS = (
    "ValueError", "(ValueError, TypeError)", "Exception", "ZeroDivisionError", "LookupError",
    "AttributeError", "ArithmeticError", "NameError",
)  # fmt: skip
TOLD = ("str(error)", "type(error).__name__", "f'{type(error).__name__}: {error}'")
RAISED = (
    "ValueError({str})", "KeyError({str})", "TypeError", "LookupError(f'{b!r} {s}')",
    "ZeroDivisionError({int})", "RuntimeError('no')", "ArithmeticError({float})",
)  # fmt: skip
LOOPS = (
    "for s in {str}:",
    "for a in range({int} % 7):",
    "for b in range({int}, {int}, -3):",
    "for s in {str}.split(','):",
    "for a, t in enumerate({str}):",
    "for b, s in zip(range(4), {str}):",
    "for x in (0.5, 2.0, -1.0):",
    "for a in [3, None, b]:",
    "for s in reversed({str}):",
    "for t, b in NAMES.items():",
    "for s in LABELS.values():",
    "for (a, t), b in zip(enumerate({str}, 2), range(2)):",
    "while len(s) > 2:\n{space}    s = s[1:]",
    "while a is not None and 0 < a < 99:\n{space}    a = a // 2",
)


@st.composite
def expressions(draw: st.DrawFn, kind: str, depth: int, more: int = 0) -> str:
    """An expression of a type, of so many levels at most."""
    leaves = [form for form in FORMS[kind] if "{" not in form]
    known = FORMS[kind] + MORE_FORMS[kind] * (more > 0) + HELD_FORMS[kind] * (more > 1)
    known += WIDE_FORMS[kind] * (more > 2)
    form = draw(st.sampled_from(known if depth else leaves))
    text = form.replace("{{{", "\0{").replace("}}}", "}\1")
    text = text.replace("{{", "\0").replace("}}", "\1")
    for name in FORMS:
        while "{" + name + "}" in text:
            # Before 3.12 no f-string stands within another.
            within = 0 if "f'" in form or 'f"' in form else depth - 1
            inner = draw(expressions(name, within, more))
            text = text.replace("{" + name + "}", inner, 1)
    return text.replace("\0", "{").replace("\1", "}")


@st.composite
def filled(draw: st.DrawFn, form: str, more: int, space: str = "") -> str:
    """A statement with expressions in it."""
    text = form.replace("{space}", space)
    for name in FORMS:
        while "{" + name + "}" in text:
            text = text.replace("{" + name + "}", draw(expressions(name, 1, more)), 1)
    return text


@st.composite
def functions(draw: st.DrawFn, more: int = 0) -> tuple[str, str]:
    """The text of a function, and the type that it is declared to return.

    With ``more`` of 1 it is of what kernels leave to Python, too, with 2 also of lists and dicts
    that it makes, and with 3 of more of what people write, and more columns.
    """
    result = draw(st.sampled_from(sorted(RESULTS)))
    lines = [f"    {draw(filled(each, 1))}" for each in HELD * (more > 1)]
    lines += draw(blocks(result, 2, 1, more))
    lines.append(f"    return {draw(expressions(result, 2, more))}")
    columns = [*COLUMNS, *WIDE_COLUMNS] if more > 2 else [*COLUMNS]
    text = f"def generated({', '.join(columns)}):\n" + "\n".join(lines)
    return text, result


@st.composite
def blocks(draw: st.DrawFn, result: str, depth: int, indent: int, more: int = 0) -> list[str]:
    """Statements, indented."""
    space, lines = "    " * indent, []
    for _ in range(draw(st.integers(0, 2))):
        how = draw(st.sampled_from(STATEMENTS))
        kind = draw(st.sampled_from(sorted(FORMS)))
        name = draw(st.sampled_from({"int": "ab", "float": "xy", "str": "st", "bool": "p"}[kind]))
        if more > 1 and draw(st.booleans()):
            known = HELD_STATEMENTS + WIDE_STATEMENTS * (more > 2)
            lines.append(space + draw(filled(draw(st.sampled_from(known)), more, space)))
            continue
        if how == "parts":
            form = draw(st.sampled_from(UNPACKED))
            lines.append(space + form.format(str=draw(expressions("str", 1, more))))
            continue
        if how == "loop" and depth:
            known = LOOPS + HELD_LOOPS * (more > 1)
            lines.append(space + draw(filled(draw(st.sampled_from(known)), more, space)))
            lines += draw(blocks(result, depth - 1, indent + 1, more)) or [f"{space}    x = y"]
            last = draw(st.sampled_from(["", "break", "continue", "else"]))
            if last == "else":
                lines += [f"{space}else:", f"{space}    y = {draw(expressions('float', 1, more))}"]
            elif last:
                lines.append(f"{space}    if {draw(expressions('bool', 1, more))}:")
                lines.append(f"{space}        {last}")
                lines.append(f"{space}    {name} = {draw(expressions(kind, 1, more))}")
            continue
        if how == "try" and depth:
            lines.append(f"{space}try:")
            lines.append(f"{space}    {name} = {draw(expressions(kind, 2, more))}")
            lines += draw(blocks(result, depth - 1, indent + 1, more))
            if draw(st.booleans()):
                lines.append(f"{space}    if {draw(expressions('bool', 1, more))}:")
                lines.append(
                    f"{space}        raise {draw(filled(draw(st.sampled_from(RAISED)), more))}"
                )
            tells = draw(st.integers(0, 3)) == 0
            lines.append(f"{space}except {draw(st.sampled_from(HANDLERS))}{' as error' * tells}:")
            lines.append(f"{space}    {name} = {draw(expressions(kind, 1, more))}")
            if tells:
                lines.append(f"{space}    t = {draw(st.sampled_from(TOLD))}")
            continue
        if how == "late":
            # It has no value where the condition does not hold, unless it has one from before.
            lines.append(f"{space}if {draw(expressions('bool', 1, more))}:")
            lines.append(f"{space}    late_{kind} = {draw(expressions(kind, 1, more))}")
            lines.append(f"{space}{name} = late_{kind}")
            continue
        if how in ("local", "again") or not depth:
            value = draw(expressions(kind, 2, more))
            lines.append(f"{space}{name} = {value}")
            if how == "again" and kind in ("int", "str"):
                lines.append(f"{space}{name} += {draw(expressions(kind, 1, more))}")
            continue
        lines.append(f"{space}if {draw(expressions('bool', 2, more))}:")
        lines += draw(blocks(result, depth - 1, indent + 1, more)) or [f"{space}    pass"]
        if how == "return":
            lines.append(f"{space}    return {draw(expressions(result, 2, more))}")
        elif how == "none":
            lines.append(f"{space}    return None")
        elif how == "else":
            lines.append(f"{space}elif {draw(expressions('bool', 1, more))}:")
            lines.append(f"{space}    {name} = {draw(expressions(kind, 1, more))}")
            lines.append(f"{space}else:")
            lines += draw(blocks(result, depth - 1, indent + 1, more)) or [f"{space}    pass"]
    return lines


numbers = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-4, 12) | st.none()
reals = (
    st.floats(width=64)
    | st.sampled_from([0.0, -0.0, 0.125, 2.675, 1.005, 1e15, -3.5, 2.5, math.inf, math.nan])
    | st.floats(-100, 100)
    | st.none()
)
words = (
    st.text(max_size=5)
    | st.text("ab,1 -\t\x1c\u00dfé.", max_size=8)
    | st.sampled_from(
        ["12", "-7", "+3", "1.5", " 4", "1_0", "bc", "1e3", "", "9999999999999999999", "0012"]
    )
    | st.sampled_from(["2024-02-29", "2023-02-29", "0001-01-01", "2024-1-1", "0000-01-01"])
    | st.sampled_from(["01.12.1999 23:59", "31.12.9999 00:00", "1.1.2000 1:01"])
    | st.none()
)
days = st.dates(dt.date(1, 1, 1)) | st.none()
rows = st.lists(
    st.tuples(numbers, numbers, reals, reals, words, words, st.booleans() | st.none(), days, days),
    min_size=1,
    max_size=6,
)


def made(text: str, name: str = "generated") -> Callable[..., Any]:
    """A function of that name in such a text."""
    function: Callable[..., Any] = defined(NAMESPACE + WIDE_NAMESPACE + text, name)
    return function


def defined(text: str, name: str) -> Any:
    """What a text gives a name."""
    # Classes are of a module that is none of Python's, and that dataclasses find.
    module = sys.modules.setdefault("generated", types.ModuleType("generated"))
    names: dict[str, Any] = {"__name__": module.__name__}
    exec(text, names)
    return names[name]


def comparable(value: Any) -> Any:
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack("<d", value)
    return value


def answers(
    function: Callable[..., Any], result: DataType, columns: Sequence[pa.Array]
) -> list[Any]:
    """What kernels answer for each row; ``LEFT`` where they leave it to Python."""
    program = translate(function, result)
    assert program is not None
    found = program(columns)
    if found is None:
        return [LEFT] * len(columns[0])
    answered = found.result.to_pylist()
    if found.declined is None:
        return answered
    return [LEFT if no else value for no, value in zip(found.declined, answered, strict=True)]


def check(text: str, result: str, given: list[tuple[Any, ...]]) -> int:
    """How many rows kernels answered; fails if one was answered otherwise than by Python."""
    function = made(text)
    columns = [
        pa.array(values, kind)
        for values, kind in zip(zip(*given, strict=True), COLUMNS.values(), strict=True)
    ]
    kept = 0
    for row, value in zip(given, answers(function, RESULTS[result], columns), strict=True):
        if value is LEFT:
            continue
        kept += 1
        expected = function(*row)
        if result == "float" and type(expected) is int:
            expected = float(expected)
        assert type(value) is type(expected), (row, value, expected)
        assert comparable(value) == comparable(expected), (row, value, expected)
    return kept
