"""Containers of each kind, come by in each way, in each operation: in the JVM as in Python.

What an operation does with a container depends on its kind alone, never on how it was made: a dict
is gone through by its keys in a loop over dicts as well.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

NAMESPACE = """
from collections import Counter, defaultdict, deque, namedtuple
from dataclasses import dataclass

Pair = namedtuple("Pair", "a b")

@dataclass
class Point:
    a: int
    b: int

class Plain:
    def __init__(self, a, b):
        self.a = a
        self.b = b
"""
KINDS = (
    "Point({n}, 1)", "Pair({n}, 1)", "Plain({n}, 1)", "({n}, 1)", "(str({n}), 'b')", "[{n}, 1]",
    "[str({n}), 'b']", "Point(str({n}), 'b')", "Pair(str({n}), 'b')", "{{'a': {n}, 'b': 1}}",
    "{{'x': str({n}), 'y': 'b'}}", "{{{n}: 1, 7: 2}}", "{{{n}, 1}}", "deque([{n}, 1])",
    "Counter([{n}, 1])", "defaultdict(int, a={n})", "[[{n}], [1]]", "[]", "{{}}", "()",
)  # fmt: skip
# How a variable comes by one of two.
WAYS = (
    "o = {one}\nreturn str({done})",
    "said = []\nfor o in [{one}, {other}]:\n    said.append(str({done}))\nreturn ''.join(said)",
    "return ';'.join(str({done}) for o in ({one}, {other}))",
    "o = {one} if n > 1 else {other}\nreturn str({done})",
    "o = {one} if n > 1 else None\nreturn str({done})",
    "def make(n):\n    return {one}\no = make(n)\nreturn str({done})",
    "def make(n):\n    if n > 1:\n        return {one}\n    return {other}\no = make(n)\n"
    "return str({done})",
    "o = [{one}, {other}][n % 2]\nreturn str({done})",
    "o = {{1: {one}, 0: {other}}}[n % 2]\nreturn str({done})",
    "kept = []\nkept.append({one})\nkept.append({other})\no = kept[-1]\nreturn str({done})",
    "o = Plain({one}, 0).a\nreturn str({done})",
    "def use(o):\n    return {done}\nreturn str(use({one})) + str(use({other}))",
    "o = sorted([{one}, {other}], key=lambda each: n)[0]\nreturn str({done})",
    "for at, o in enumerate(({one}, {other})):\n    if at == n % 2:\n        return str({done})\n"
    "return ''",
    "o = [{one} for _ in range(2)][1]\nreturn str({done})",
    "o, count = {one}, n\nwhile count > 3:\n    o = {other}\n    count -= 1\nreturn str({done})",
    "try:\n    o = {one} if n % 2 else {other}\n    return str({done})\n"
    "except (TypeError, KeyError):\n    return 'refused'",
)
OPERATIONS = (
    *("len(o)", "list(o)", "tuple(o)", "sorted(o)", "max(o)", "min(o)", "sum(o)", "any(o)"),
    *("all(o)", "bool(o)", "str(o)", "repr(o)", "f'{o}'", "'%s' % o", "'%s-%s' % o"),
    *("'%s' % (o,)", "'%(a)s' % o", "'{}'.format(o)", "'{0.a}'.format(o)", "'{0[0]}'.format(o)"),
    *("'{a}'.format(**o)", "'{}-{}'.format(*o)", "o[0]", "o['a']", "o[-1]", "o[0:1]", "o.a"),
    *("o.get('a')", "1 in o", "'a' in o", "o == (n, 1)", "o == [n, 1]", "o == {'a': n, 'b': 1}"),
    *("o != (n, 1)", "o == o", "o is None", "o is o", "not o", "o and 3", "o or 3", "o + (1,)"),
    *("o + [1]", "o * 2", "o < (5, 5)", "o <= o", "o < [5]", "''.join(o)", "'-'.join(map(str, o))"),
    *("[each for each in o]", "[each * 2 for each in o]", "{each: 1 for each in o}"),
    *("(lambda a, b: str(a) + str(b))(*o)", "list(zip(o, 'ab'))", "list(enumerate(o))"),
    *(
        "list(reversed(o))",
        "isinstance(o, tuple)",
        "isinstance(o, (list, dict))",
        "isinstance(o, Point)",
        "type(o) is dict",
        "o.count(1)",
    ),
    *("o.index(1)", "list(o.items())", "list(o.keys())", "list(o.values())", "list(map(str, o))"),
    *("list(filter(None, o))", "next(iter(o))", "o.copy()", "[o][0] == o", "(o, 1)[0] == o"),
    *("o if o else 5", "'x'.startswith(o)", "max(o, default=3)", "sum(o, 1)", "[*o, 3]", "(*o, 1)"),
    *("{**o}", "int(o)", "abs(o)", "o + 1", "1 + o", "'a' + o", "range(o)", "o.pop()", "dict(o)"),
    *("len(o) + sum(1 for _ in o)", "':'.join(str(each) for each in o)", "dict(zip('ab', o))"),
    *(
        "str(sorted(o, key=str))",
        "o.append(1)",
        "len(o[0])",
        "o[0][0]",
        "[len(each) for each in o]",
    ),
)


def drawn(chance: random.Random) -> str:
    """A function of one whole number, as text."""
    return placed(chance, KINDS, OPERATIONS)


def placed(chance: random.Random, kinds: Sequence[str], operations: Sequence[str]) -> str:
    """A function with an operation of a value of a kind, come by in some way."""
    kind = chance.choice(kinds)
    one, other = kind.format(n="n"), kind.format(n="(n + 2)")
    if chance.random() < 0.1:
        other = chance.choice(kinds).format(n="n")
    body = chance.choice(WAYS).format(one=one, other=other, done=chance.choice(operations))
    return "def generated(n):\n" + re.sub("^", "    ", body, flags=re.MULTILINE)
