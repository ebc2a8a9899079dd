"""Values of each type, come by in each way, in each operation: in the JVM as in Python."""

from __future__ import annotations

import random

from tests.fuzz import containers

NAMESPACE = (
    containers.NAMESPACE
    + """
import datetime as dt
import json
import math
import re
from decimal import Decimal
from enum import Enum, IntEnum

class Colour(Enum):
    RED = 1
    BLUE = 'b'

class Level(IntEnum):
    LOW = 1
    HIGH = 5
"""
)
KINDS = (
    "{n}", "{n} * 2", "{n} / 2", "float({n})", "{n} > 1", "str({n})", "'ab' * ({n} % 3)", "'aB c'",
    "'12'", "' 7 '", "''", "0", "-1", "2.5", "True", "None", "Decimal({n})", "Decimal('1.50')",
    "dt.date(2024, 2, 27 + {n} % 3)", "dt.datetime(2024, 2, 28, {n} % 24, 30)",
    "dt.timedelta(hours={n})", "json.loads('[1, \"a\", null, 2.5, [1], {{\"a\": 1}}]')[{n} % 7]",
    "json.loads('{{\"a\": [1, 2], \"b\": \"x\"}}').get('ab'[{n} % 2])", "Colour.RED", "Level.HIGH",
    "(Level.LOW if {n} > 1 else Level.HIGH)", "str({n}).encode()", "float('nan')", "1 << 62",
    "{n} ** 2", "re.match('(a)|(b)', 'cab'[{n} % 3])", "chr(97 + {n} % 5)", "max({n}, 0)",
)  # fmt: skip
OPERATIONS = (
    *("str(o)", "repr(o)", "f'{o}'", "f'{o:>8}'", "f'{o:.2f}'", "f'{o:03d}'", "f'{o!r:<6}|'"),
    *("'%s' % o", "'%d' % o", "'%5.1f' % o", "'{:,}'.format(o)", "int(o)", "float(o)", "bool(o)"),
    *("abs(o)", "round(o)", "round(o, 1)", "-o", "~o", "not o", "o + 1", "1 + o", "o - 1", "o * 2"),
    *(
        "o / 2",
        "2 / o",
        "o // 2",
        "7 // o",
        "o % 3",
        "7 % o",
        "o ** 2",
        "2 ** o",
        "o << 1",
        "o & 3",
    ),
    *(
        "o | 4",
        "o + 'x'",
        "'x' + o",
        "o * 'x'",
        "o + 0.5",
        "o + o",
        "o - o",
        "o / o",
        "divmod(o, 3)[0]",
    ),
    *("o < 2", "o > 2", "o == 1", "o != 1", "o == 'ab'", "o == o", "o is None", "o is not None"),
    *(
        "o == None",
        "o < 'b'",
        "o < o",
        "0 < o < 3",
        "o in (1, 'ab', None)",
        "o in {1, 2}",
        "o in 'abc'",
    ),
    *(
        "'a' in o",
        "o in {1: 2, 'ab': 3}",
        "{1: 2, 'ab': 3}.get(o)",
        "{1: 2}[o]",
        "o and 5",
        "o or 5",
    ),
    *(
        "o if o else 7",
        "len(o)",
        "o[0]",
        "o[-1]",
        "o[1:]",
        "o[::-1]",
        "o['a']",
        "list(o)",
        "sorted(o)",
    ),
    *("max(o, 1)", "min(o, 1)", "max(o)", "sum([o, 1])", "sorted([o, 1])", "sorted([o, 'a'])[0]"),
    *("o.upper()", "o.strip()", "o.split()", "o.replace('a', 'z')", "o.isdigit()", "o.zfill(4)"),
    *("o.startswith('a')", "o.find('b')", "o.center(6, '-')", "','.join(o)", "','.join([o, 'z'])"),
    *(
        "o.year",
        "o.month",
        "o.day",
        "o.hour",
        "o.isoformat()",
        "o.strftime('%d/%m')",
        "o.weekday()",
    ),
    *("o + dt.timedelta(days=1)", "o - dt.date(2024, 1, 1)", "o.total_seconds()", "o.days"),
    *("o < dt.date(2024, 2, 28)", "o.date()", "o.replace(day=1)", "o.quantize(Decimal('0.1'))"),
    *(
        "o + Decimal('0.5')",
        "o * Decimal(2)",
        "o.name",
        "o.value",
        "o is Colour.RED",
        "o == Level.HIGH",
    ),
    *("o.decode()", "o.hex()", "o.group()", "o.groups()", "o.group(1) or 'none'", "o.get('a', 0)"),
    *(
        "isinstance(o, str)",
        "isinstance(o, (int, float))",
        "isinstance(o, bool)",
        "type(o).__name__",
    ),
    *("type(o) is int", "math.floor(o)", "math.sqrt(o)", "math.isnan(o)", "ord(o)", "chr(o)"),
    *(
        "range(o)[-1]",
        "[each for each in range(o)]",
        "'abc'[o]",
        "[1, 2, 3][o]",
        "'ab' * o",
        "hash(o) == hash(o)",
    ),
    *(
        "json.dumps(o)",
        "json.dumps({'k': o})",
        "str([o, 1])",
        "str({'k': o}['k'])",
        "bin(o)",
        "hex(o)",
    ),
    *(
        "re.sub('a', 'z', o)",
        "re.findall('[a-z]', o)",
        "dict(a=o)['a']",
        "(o, 1)[0]",
        "[o, o].count(o)",
    ),
    *(
        "(lambda p: p)(o)",
        "next(iter([o]))",
        "all([o, 1])",
        "any([0, o])",
        "o.bit_length()",
        "o.real",
    ),
    *("o.is_integer()", "int(o or 0)", "str(o or '')", "(o or 0) + 1", "float(o) if o else 0.0"),
)


def drawn(chance: random.Random) -> str:
    """A function of one whole number, as text."""
    return containers.placed(chance, KINDS, OPERATIONS)
