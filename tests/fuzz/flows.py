"""Functions whose statements are taken in many orders: in the JVM as in Python.

Loops that are left and gone on with, handlers and what is done in any case, functions within the
function that change its variables, generators that are asked for a part of what they give.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

NAMESPACE = """
class OwnError(ValueError):
    pass

def twice(x, times=2):
    return x * times

def counted(limit):
    at = 0
    while at < limit:
        yield at
        at += 1

def first_even(values):
    for each in values:
        if each % 2 == 0:
            return each
    raise OwnError("none")
"""
_NUMBERS = (
    *("n", "a", "b", "1", "2", "0", "{i} + {i}", "{i} - {i}", "{i} * 2", "{i} // {i}", "{i} % 3"),
    *("twice({i})", "twice({i}, times={i})", "len(s)", "int(s)", "out.index({i})", "out[{i}]"),
    *("sum(out)", "max(out)", "abs({i})", "({i} if {c} else {i})", "first_even(out)", "out[-1]"),
    *("next(source)", "next(source, {i})", "sum(counted(3))", "(a := {i})", "{t}.get({i}, {i})"),
    *(
        "{t}[{i}]",
        "len(out)",
        "min({i}, {i})",
        "next((v for v in out if v > {i}), {i})",
        "ord(s[0])",
    ),
)
_CONDITIONS = (
    *("{i} > {i}", "{i} == {i}", "{i} < 3", "not {c}", "{c} and {c}", "{c} or {c}", "{i} in out"),
    *("s", "out", "n is None", "s == 'a'", "'a' in s", "any(v > {i} for v in out)", "0 < {i} < 4"),
    *("all(out)", "s.isdigit()", "{i} != {i}"),
)
_SIMPLE = (
    *("a = {i}", "b = {i}", "a += {i}", "b -= 1", "a, b = b, a", "out.append({i})", "s += 'a'"),
    *("s = s[1:]", "s = str({i})", "a = b = {i}", "out.append(a)", "out.append(b)", "a = {i}"),
    *(
        "pass",
        "out = out[:2]",
        "out += [{i}]",
        "change()",
        "b = seen({i})",
        "a, *_ = out",
        "s = s * 2",
    ),
    *("for v in source: out.append(v)", "out.extend(counted(2))", "assert {c}", "out.pop()"),
    *("if {c}: raise OwnError(s)", "if {c}: raise ValueError", "del out[0]"),
)
_IN_LOOPS = ("if {c}: break", "if {c}: continue", "break", "continue")
_BLOCKS = (
    *("if {c}:\n{x}", "if {c}:\n{x}\nelse:\n{x}", "if {c}:\n{x}\nelif {c}:\n{x}\nelse:\n{x}"),
    *("for v in range({i} % 4):\n{l}", "for v in out[:3]:\n{l}\nelse:\n{x}", "for v in s:\n{l}"),
    *("for k, v in enumerate(out[:3]):\n{l}", "for v in counted({i} % 3):\n{l}"),
    "w = 0\nwhile {c}:\n    w += 1\n    if w > 3:\n        break\n{l}",
    "w = 0\nwhile w < 3:\n    w += 1\n{l}\nelse:\n{x}",
    *("try:\n{x}\nexcept ValueError:\n{x}", "try:\n{x}\nexcept (ValueError, IndexError):\n{x}"),
    "try:\n{x}\nexcept ZeroDivisionError:\n{x}\nexcept Exception as e:\n    s = type(e).__name__",
    *("try:\n{x}\nexcept OwnError as e:\n    s = str(e)",),
    "try:\n{x}\nexcept ValueError:\n{x}\nelse:\n{x}",
    "match {i}:\n    case 0:\n        out.append(7)\n    case 1 | 2:\n        a = 5\n"
    "    case k if k > 3:\n        b = k\n    case _:\n        s = 'm'",
)
_STARTS = (
    "    def change():\n        nonlocal a\n        a += 1\n        out.append(b)\n",
    "    def change():\n        nonlocal b\n        b = a\n        return b\n",
    "    def change():\n        out.append(len(s))\n",
)
_SEEN = (
    "    def seen(x, more=a):\n        return x + more\n",
    "    def seen(x):\n        return x + a\n",
    "    def seen(x):\n        if x > a:\n            return x\n        return b\n",
    "    seen = lambda x: x * b + a\n",
)
_SOURCES = ("iter(out[:])", "iter([3, n])", "iter(range(3))")
_ENDS = ("return f'{a}|{b}|{s}|{out}'", "return str(a) + str(out)", "return f'{b}{s}'")


def drawn(chance: random.Random) -> str:
    """A function of one whole number, as text."""
    lines = "    a, b, s = 1, n, 'ab1'\n    out = [n, 2]\n"
    left_out = [word for word in ("change()", "seen(", "source") if chance.random() < 0.85]
    if "change()" not in left_out:
        lines += chance.choice(_STARTS)
    if "seen(" not in left_out:
        lines += chance.choice(_SEEN)
    if "source" not in left_out:
        lines += f"    source = {chance.choice(_SOURCES)}\n"
    lines += "".join(_block(chance, 1, left_out) for _ in range(chance.randint(1, 4)))
    return f"def generated(n):\n{lines}    {chance.choice(_ENDS)}"


def _block(
    chance: random.Random, depth: int, left_out: Sequence[str], *, loop: bool = False
) -> str:
    """A statement, indented, with others within it."""
    if depth > 3 or chance.random() < 0.45:
        forms = _IN_LOOPS if loop and chance.random() < 0.3 else _SIMPLE
        if depth > 1 and chance.random() < 0.08:
            forms = ("return str({i})",)
        return "    " * depth + _filled(chance, _chosen(chance, forms, left_out), left_out) + "\n"
    lines = []
    for line in _chosen(chance, _BLOCKS, left_out).split("\n"):
        if line in ("{x}", "{l}"):
            inner = loop or line == "{l}"
            lines += [
                _block(chance, depth + 1, left_out, loop=inner) for _ in range(chance.randint(1, 2))
            ]
        else:
            lines.append("    " * depth + _filled(chance, line, left_out) + "\n")
    return "".join(lines)


def _chosen(chance: random.Random, forms: Sequence[str], left_out: Sequence[str]) -> str:
    return chance.choice([each for each in forms if not any(word in each for word in left_out)])


def _filled(chance: random.Random, form: str, left_out: Sequence[str], depth: int = 0) -> str:
    kinds = {"{i}": _NUMBERS, "{c}": _CONDITIONS, "{t}": ("{0: 4, 1: n}", "{n: 1}")}
    while place := next((each for each in kinds if each in form), ""):
        forms = kinds[place] if depth < 2 else kinds[place][:6]
        value = _chosen(chance, forms, left_out)
        if place != "{t}":
            value = _filled(chance, value, left_out, depth + 1)
        form = form.replace(place, value.replace("{", "\0"), 1)
    return form.replace("\0", "{")
