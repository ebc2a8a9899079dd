"""More of what people write, for generated functions: documents, digests, numbers by the digit,
records, other columns.

``tests.fuzz.functions`` tells how forms are filled.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from pyspark.sql.types import (
    ArrayType,
    DataType,
    DecimalType,
    LongType,
    StringType,
    TimestampNTZType,
)

# h of numbers, w of texts, z of money, u of moments.
WIDE_COLUMNS: dict[str, DataType] = {
    "h": ArrayType(LongType()),
    "w": ArrayType(StringType()),
    "z": DecimalType(12, 2),
    "u": TimestampNTZType(),
}
WIDE_NAMESPACE = """
import collections
import decimal
import difflib
import enum
import functools
import hashlib
import html
import itertools
import json
import operator
import string
import textwrap
import unicodedata
import urllib.parse
import uuid
import bisect
import calendar
import heapq
import statistics
from collections import Counter, defaultdict, deque, namedtuple
from dataclasses import dataclass
from decimal import Decimal, ROUND_HALF_UP
from typing import NamedTuple

TABLE = str.maketrans({'a': '1', 'b': None, ',': ';'})
CENT = Decimal('0.01')
GRADES = [(90, 'A'), (50, 'B'), (3, 'C')]
WORDS = {'a': ['x', 'y'], 'b': []}
STATES = {'a': ['alpha', 1, 2.5], 'b': ['beta', 3, None], '': ['', -1, 0.0]}
TIERS = {'a': {'rate': 0.5, 'least': 3, 'tags': ['x']}, 'b': {'rate': 2, 'tags': []}}
RANGES = [(0, 3), (3, 50), (-100, 0)]
MAYBE = {'a': (1, 'x'), 'b': None}

class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5

class Colour(enum.Enum):
    RED = 'a'
    BLUE = 'b'

class Span(NamedTuple):
    low: int
    high: int = 3

SPANS = {'a': Span(1), 'b': Span(-2, 7), '': Span(0, 0)}

@dataclass
class Point:
    left: float
    right: float = 1.0

    def norm(self):
        return self.left * self.left + self.right * self.right

class Tally:
    STEP = 2

    def __init__(self, total=0):
        self.total = total
        self.count = 0
        self.seen = []

    def add(self, value):
        self.total += value
        self.count += self.STEP
        self.seen.append(value)
        return self

    @property
    def mean(self):
        return self.total / self.count

@dataclass
class Run:
    length: int = 0
    last: int = 0

    def take(self, value):
        self.length = self.length + 1 if value > self.last else 1
        self.last = value

ADDED = functools.partial(operator.add, 3)

def steps(n):
    count = 0
    while n > 1 and count < 20:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count

def greatest(p, q):
    return p if q == 0 else greatest(q, p % q)

def grade(points):
    for least, name in GRADES:
        if points >= least:
            return name
    return 'D'

def number(text):
    try:
        return float(text)
    except ValueError:
        return None

def pairs(text):
    for part in text.split(','):
        if part:
            yield part, len(part)
"""

WIDE_FORMS: dict[str, tuple[str, ...]] = {
    "int": (
        "['a', 'b', ''].index({str})", "RANGES[1].index({int})", "STATES[{str}][1]",
        "STATES.get({str}, ['', 9])[1]", "len(WORDS[{str}])", "len(WORDS.get({str}, []))",
        "TIERS[{str}]['least']", "TIERS.get({str}, {{}}).get('least', 7)", "RANGES[{int}][0]",
        "(RANGES[{int} % 3][1] - {int})", "MAYBE[{str}][0]", "(MAYBE.get({str}) or (5, 'z'))[0]",
        "sum(len(w) for w in WORDS[{str}])", "sum(RANGES[{int} % 3])", "max(RANGES[{int} % 4])",
        "SPANS[{str}].high", "(SPANS[{str}].low + {int})", "(~{int})", "({int} & {int})",
        "({int} | {int})", "({int} ^ {int})", "({int} << 3)", "({int} >> 2)",
        "({int} << ({int} % 70))", "({int} >> ({int} % 70))", "divmod({int}, {int})[0]",
        "divmod({int}, {int})[1]", "pow({int}, 2)", "pow(3, {int}, 7)", "math.gcd({int}, {int})",
        "math.isqrt(abs({int}))", "math.comb(9, {int} % 12)", "math.factorial({int} % 25)",
        "math.trunc({float})", "int({str}, 16)", "int({str}, 2)", "int({str}, 0)",
        "int('0x1f', 16)", "({int}).bit_length()", "({int}).bit_count()", "round({int}, -1)",
        "round({int}, -2)", "{str}.rfind('a')", "{str}.rindex(',')", "{str}.find('a', {int})",
        "{str}.count('a', {int})", "ord({str}[0])", "ord({str})", "len({str}.splitlines())",
        "len({str}.encode())", "sum({str}.encode())", "len(json.dumps({str}))",
        "json.loads('[1, 2, 3]')[{int}]", "len(json.loads({str}))",
        "json.loads('{\"k\": ' + str({int}) + '}')['k']",
        "json.loads('{\"k\": {\"v\": [' + str({int}) + ']}}').get('k')['v'][0]",
        "int(hashlib.md5({str}.encode()).hexdigest()[:4], 16)", "u.hour", "u.minute", "u.second",
        "u.microsecond", "u.weekday()", "u.isoweekday()", "u.day", "(u - EPOCH).days",
        "(u - EPOCH).seconds", "u.date().day", "d.toordinal()", "d.isocalendar()[1]",
        "d.replace(day=1).weekday()", "d.isoweekday()",
        "(d.replace(month={int} % 12 + 1, day=28) - e).days", "(u.date() - d).days",
        "(d.year * 12 + d.month)", "datetime.date({int}, {int}, {int}).day",
        "datetime.date.fromisoformat({str}).day", "datetime.datetime.fromisoformat({str}).hour",
        "datetime.date(2024, 2, {int} % 29 + 1).month",
        "(u + datetime.timedelta(minutes={int} % 999)).minute",
        "calendar.monthrange(2024, {int} % 12 + 1)[1]", "int(calendar.isleap({int}))", "h[{int}]",
        "len(h)", "sum(h)", "max(h)", "min(h)", "sum(v for v in h if v)",
        "sum(v * i for i, v in enumerate(h))", "len([v for v in h if v is not None and v > 2])",
        "h.index({int})", "h.count({int})", "sorted(h)[0]", "sorted(h, reverse=True)[{int}]",
        "len(w)", "len(w[{int}])", "sum(len(v) for v in w)", "max(map(len, w))", "len(set(h))",
        "len(set(w))", "max(h, default=0)", "functools.reduce(lambda v, k: v * 31 + k, h, 7)",
        "sum(itertools.chain(h, [{int}]))", "sum(itertools.islice(h, 2))",
        "max(itertools.accumulate(h))", "bisect.bisect([1, 3, 9], {int})",
        "bisect.bisect_left([1, 3, 9], {int})", "heapq.nlargest(2, h)[-1]", "math.prod(h)",
        "Counter({str})['a']", "Counter({str}).most_common(1)[0][1]", "len(Counter(w))",
        "Span({int}).high", "Span({int}, {int}).low", "Span(low={int})[0]",
        "max(Span({int}, {int}))", "Level({int}).value", "(Level.LOW + {int})",
        "steps({int} % 50)", "greatest(abs({int}) % 99, abs({int}) % 77)", "int(z)", "round(z)",
        "int(z * 100)", "-{int} ** 2", "({int} % -7)", "({int} // -3)", "int({float} // 1)",
        "int({bool}) + True", "sum([{bool}, {bool}, True])",
        "({int} - {int} if {int} > {int} else {int})", "(v := {int}) * v", "int(str({int})[::-1])",
        "sum(int(c) for c in str(abs({int})))", "sum(int(c) for c in {str} if c.isdigit())",
        "len(f'{{{int}}}')", "operator.add({int}, {int})", "string.ascii_lowercase.find({str}[0])",
        "next((i for i, c in enumerate({str}) if c.isdigit()), -1)", "next(iter(h))",
        "sum(x == y for x, y in zip({str}, {str}))", "len({str}.translate(TABLE))",
        "min({str}.find('a'), {str}.find('b'))", "int({str} or 0)", "int({float} + 0.5)",
        "abs({int} - {int})", "sum(1 for c in {str} if c in 'aeiou')", "len(str({int}))",
        "statistics.mode(h)", "Tally({int}).add({int}).total", "Tally().add({int}).add(a).count",
        "ADDED({int})", "(datetime.timedelta(hours={int}) * {int}).days",
        "((u - EPOCH) // {int}).seconds", "abs(d - e).days", "(u - EPOCH).microseconds",
    ),
    "float": (
        "STATES[{str}][2]", "TIERS[{str}]['rate']", "TIERS.get({str}, TIERS['a'])['rate']",
        "({float} * TIERS[{str}].get('rate', 1.0))", "math.pow({float}, 2)",
        "math.hypot({float}, {float})", "math.degrees({float})", "math.log10({float})",
        "math.log2({float})", "math.log1p({float})", "math.cbrt({float})",
        "math.fmod({float}, {float})", "math.tanh({float})", "math.atan2({float}, {float})",
        "math.fsum([{float}, {float}])", "math.expm1({float})", "math.log({float}, 2)",
        "math.log({int})", "math.sqrt({int})", "math.dist((x, y), (0.5, 1.0))",
        "round({float}, {int} % 5)", "round({float}, -1)", "round({float}, 3)",
        "(0.0 + {float}) ** 0.5", "(0.0 + {float}) ** {int}", "(0.0 + {float}) ** (0.0 + {float})",
        "2 ** (0.0 + {float})", "divmod({float}, {float})[1]", "divmod({float}, {float})[0]",
        "({float} // 0.1)", "({float} % 0.3)", "float({str} or 0)", "number({str})",
        "Point({float}).norm()", "Point({float}, {float}).right",
        "Point(right={float}, left=x).left", "float(z)", "float(z / 3)",
        "float(z * Decimal('1.19'))", "float(z.quantize(CENT))", "float(Decimal('-2.5') * {int})",
        "float(Decimal({str}))", "float(Decimal({float}))", "float(z % 7)", "float(z ** 2)",
        "sum(h) / len(h)", "statistics.mean(h)", "statistics.median(h)",
        "statistics.mean([x, y, 0.5])", "math.fsum(v * 0.1 for v in h)", "sum(v / 3 for v in h)",
        "max(v / 7 for v in h)", "(u - EPOCH).total_seconds()", "u.timestamp()",
        "(u - EPOCH) / datetime.timedelta(hours=1)", "sum(map(float, {str}.split(',')))",
        "min({float}, {int})", "max({int}, {float}, 0.5)", "abs({float} - {float})",
        "({float} - {float}) / ({float} or 1.0)", "math.pi * {float} ** 2", "float('inf')",
        "float(f'{{{float}:.3f}}')", "({int} / 100)", "({int} * 1.5)", "float(int({float}))",
        "json.loads('[0.1, 1e3, -2.5E-2]')[{int}]", "math.inf", "(x if x == x else 0.0)",
        "float(round({float}))", "sum([0.1] * 3)", "Tally({int}).add({int}).mean",
        "datetime.timedelta(minutes={float}).total_seconds()",
        "datetime.timedelta(days={float}, seconds={int}).total_seconds()",
        "((u - EPOCH) / {int}).total_seconds()", "((u - EPOCH) * {float}).total_seconds()",
        "((d - e) / {float}).total_seconds()",
        "difflib.SequenceMatcher(None, {str}, {str}).ratio()",
    ),
    "str": (
        "STATES[{str}][0]", "','.join(WORDS[{str}])", "(MAYBE[{str}] or (0, t))[1]",
        "(STATES.get({str}) or STATES['b'])[0]", "f'{{STATES[s][0]}}-{{STATES[s][1]}}'",
        "next((k for k, v in WORDS.items() if {str} in v), t)", "sorted(WORDS[{str}])[-1]",
        "str(h)", "repr(w)", 'f"{{h}} {{w}}"', "'%s' % (h,)", "{str}.casefold()",
        "{str}.center(7, '*')", "{str}.ljust(5)", "{str}.rjust(6, '.')", "{str}.removeprefix('a')",
        "{str}.removesuffix('b')", "{str}.expandtabs(3)", "{str}.translate(TABLE)",
        "{str}.replace('a', 'bb', 1)", "{str}.replace({str}, '-')", "{str}.rpartition(',')[0]",
        "{str}.split(None, 1)[0]", "{str}.splitlines()[0]", "{str}.rsplit('a', 1)[-1]",
        "chr({int} % 1200 + 32)", "hex({int})", "oct({int})", "bin({int})", "repr({str})",
        "repr({float})", "repr({int})", "str({float})", 'f"{{{int}:,}}"', 'f"{{{int}:>8}}"',
        'f"{{{int}:+d}}"', 'f"{{{int}:x}}"', 'f"{{{int}:#b}}"', 'f"{{{float}:.1%}}"',
        'f"{{{float}:e}}"', 'f"{{{float}:g}}"', 'f"{{{float}:,.2f}}"', 'f"{{{float}:10.3f}}"',
        'f"{{{float}!r}}"', 'f"{{{str}!r:>9}}"', 'f"{{{str}:<6}}|"', 'f"{{{str}:^7}}"',
        'f"{{{str}:.2}}"', 'f"{{{int}:_}}"', 'f"{{{int}:08.2f}}"',
        "'{{}}-{{}}'.format({str}, {int})", "'{{0:>4}}{{1}}{{0}}'.format({int}, {str})",
        "'{{:.2f}}'.format({float})", "'{{name}}'.format(name={str})", "'%d-%s' % ({int}, {str})",
        "'%05.1f' % ({float},)", "'%x' % ({int},)", "'%-5s|' % ({str},)", "'%r' % ({str},)",
        "'%+d' % ({int},)", "'%e' % ({float},)", "format({float}, '.3e')", "format({int}, ',')",
        "hashlib.sha256({str}.encode()).hexdigest()",
        "hashlib.sha1({str}.encode('utf-8')).hexdigest()[:8]", "json.dumps({str})",
        "json.dumps([{int}, {str}])", "json.dumps({str}, ensure_ascii=False)",
        "json.dumps(dict(a={int}, b={float}))",
        "json.dumps(dict(b={str}, a=None), sort_keys=True)", 'json.loads(\'["x", "y"]\')[{int}]',
        "json.dumps(json.loads({str}))", "u.isoformat()", "str(u)",
        "u.strftime('%Y-%m-%d %H:%M:%S')", "u.strftime('%d/%m/%y %I:%M %p')",
        "d.strftime('%A %d %B %Y')", "d.strftime('%j')", "d.strftime('%Y%m%d')",
        "u.date().isoformat()", "str(u - EPOCH)", "str(d - e)",
        "str(d + datetime.timedelta(days={int} % 999))", "d.replace(year=2001).isoformat()",
        "datetime.datetime.strptime({str}, '%Y-%m-%d').strftime('%d.%m.%Y')", "w[{int}]",
        "','.join(w)", "w[-1]", "'|'.join(sorted(w))", "max(w)", "min(w, key=len)",
        "''.join(w[::-1])", "' '.join(v.title() for v in w if v)", "','.join(map(str, h))",
        "str(sorted(h))", "'-'.join(str(v) for v in h[1:])", "str(z)", "str(z * 2)", "str(z / 3)",
        "str(z.quantize(CENT, rounding=ROUND_HALF_UP))", "str(-z)", "str(round(z, 1))",
        "str(Decimal({str}))", "str(z ** -2)", "str(z // 3)", "str(z % Decimal('0.7'))",
        'f"{{z:,.2f}}"', 'f"{{z:12}}"', 'f"{{Decimal({str}):.1%}}"', "str(z.normalize())",
        "str(z + {int})", "str(Decimal('1.10') * z)", 'f"{{z:.1f}}"', "str(abs(z))",
        "grade({int})", "Colour({str}).name", "Colour[{str}].value", "Colour.RED.value",
        "str(Level.LOW)", "str([{int}, {str}, None, {float}])", "html.escape({str})",
        "html.unescape({str})", "urllib.parse.quote({str})", "urllib.parse.unquote({str})",
        "urllib.parse.urlparse({str}).path", "unicodedata.normalize('NFKD', {str})",
        "string.capwords({str})", "Counter({str}).most_common(1)[0][0]",
        "''.join(reversed({str}))", "''.join(itertools.chain(w, {str}))",
        "''.join(k for k, _ in itertools.groupby({str}))",
        "''.join(itertools.takewhile(str.isalpha, {str}))", "''.join(map(str.upper, w))",
        "''.join(c if c.isalnum() else '_' for c in {str})",
        "''.join(f'{{ord(c):02x}}' for c in {str})",
        "''.join(chr((ord(c) - 97 + 3) % 26 + 97) for c in {str} if c.islower())",
        "re.sub(r'(\\w)(\\w)', r'\\2\\1', {str})",
        "re.sub('a', lambda m: m.group().upper() + '!', {str})",
        "'|'.join(re.findall('[a-z]+', {str}))", "'|'.join(re.split('[,b]', {str}))",
        "next((c for c in {str} if c.isupper()), 'none')", "str(bool({int}))", "str(None)",
        "({str} if {str} else None)", "{str}.encode().hex()",
        "{str}.encode('latin-1', 'replace').decode('latin-1')", "str({int} / 4)",
        "str({int} ** 2)", "str(1e16)", "str({float} * 1e10)", "{str}.join(['x', 'y'])",
        "{str}.strip().lower() or 'n/a'", "('even' if {int} % 2 == 0 else 'odd')",
        "str(uuid.uuid5(uuid.NAMESPACE_DNS, {str}))", "str(-(d - e))", "str(abs(u - EPOCH) / 3)",
        "','.join(difflib.get_close_matches({str}, ['ab', 'a', 'b,c', 'abc']))",
        "str(math.floor({float}))", "', '.join(f'{{k}}={{v}}' for k, v in sorted(NAMES.items()))",
    ),
    "bool": (
        "({str} in WORDS['a'])", "({str} in WORDS.get({str}, []))", "({str} in STATES)",
        "(MAYBE.get({str}) is None)", "(not WORDS.get({str}))", "({int} in RANGES[{int} % 3])",
        "any(w == {str} for w in WORDS[{str}])",
        "(TIERS.get({str}) is not None and TIERS[s]['tags'] != [])", "(({int}, {str}) < (3, 'b'))",
        "(({int}, {int}) >= ({int}, a))", "(({str}, {bool}) == (t, p))",
        "((d.year, d.month) > ({int}, 2))", "(({int}, {str}) != (a, s))",
        "((d, {int}) <= (e, {int}))", "(({float}, {str}) < (0.5, {str}))",
        "(Span({int}) == (1, {int}))", "{str}.isupper()", "{str}.islower()", "{str}.istitle()",
        "{str}.isspace()", "{str}.isalnum()", "{str}.isdecimal()", "{str}.isnumeric()",
        "{str}.isascii()", "{str}.startswith('a', {int})", "{str}.endswith('b', 0, {int})",
        "isinstance(a, int)", "isinstance({int}, (str, float))", "isinstance({bool}, int)",
        "({int} < {int} <= {int} != {int})", "({float} < {int})", "math.isclose({float}, {float})",
        "math.isinf({float})", "math.isfinite({float})", "{float}.is_integer()", "({int} in h)",
        "({str} in w)", "(h == [1, 2])", "(sorted(h) == h)", "(w == w[::-1])", "bool(h)",
        "(not w)", "any(h)", "all(h)", "any(v is None for v in h)", "all(v.islower() for v in w)",
        "(z > {int})", "(z == 0)", "(z < Decimal('1.5'))",
        "Decimal({str}).is_finite()", "(Decimal({str}) == z)", "(u.date() == d)", "(u < EPOCH)",
        "(d.year % 4 == 0 and d.month == 2)", "(d <= datetime.date(2020, 1, 1))",
        "({str}.lower() == {str}.lower()[::-1])", "(Colour({str}) is Colour.RED)",
        "(Level.HIGH > {int})", "({int} == Level.LOW)", "bool(json.loads({str}))",
        "('a' < {str} < 'c')", "([{int}] == [{int}])",
        "bool(re.match(r'^\\d{{4}}-\\d\\d-\\d\\d$', {str}))",
        "({str}.count('a') == {str}.count('b'))", "(set(w) <= set('ab'))",
        "({int} and {str} and True)", "bool({int} or {str})",
        "(len({str}) > 2 and {str}[2] == 'a')", "bool({float})",
        "({float} > {float} or {int} > 3)", "(max({int}, 2) is None)", "({bool} ^ {bool})",
        "({bool} & {bool})", "({bool} < {bool})", "({bool} == {int})",
        "({int} is not None and {int} % 2 == 1)", "calendar.isleap({int})",
        "all(x <= y for x, y in zip(h, h[1:]))", "any(p in {str} for p in ('a', 'bc'))",
        "(len(set({str})) == len({str}))", "bool({str}.strip())",
        "(hashlib.md5({str}.encode()).hexdigest() > '8')", "bool(d - e)",
    ),
}  # fmt: skip
_BLOCKS = """
a = [v for v in h if v]
a = len(a)

k = Span({int}, {int})
a, b = k

match {int}:
    case 1 | 2:
        s = 'few'
    case 0:
        s = 'none'
    case _:
        s = t

k = defaultdict(int)
for v in {str}:
    k[v] += 1
a = len(k)

k = defaultdict(list)
for v in w:
    k[len(v)].append(v)
a = max(map(len, k.values()))

k = set()
for v in h:
    if v in k:
        a = v
    k.add(v)

k = Counter({str})
s = ''.join(v for v, n in k.items() if n == 1)

k = 0
for v in reversed(str({int})):
    k = k * 10 + ord(v)
a = k % 97

try:
    a = int({str})
except ValueError:
    a = 0
else:
    a += 1
finally:
    b = 2

k = json.loads({str})
s = str(k)

k = {v: n for n, v in enumerate({str})}
a = k.get('a', -1)

k = sorted(w, key=lambda v: (len(v), v))
s = k[0]

k = [[v, len(v)] for v in w]
k.sort(key=lambda r: r[1])
s = k[-1][0]

k = 1
for v in range(2, abs({int}) % 30):
    if all(v % n for n in range(2, v)):
        k += v
a = k

k = {str}.split(',')
k[0], k[-1] = k[-1], k[0]
s = ','.join(k)

if (k := {int}) is not None and k > 2:
    a = k

k = (x or 0.0, y or 0.0)
x = k[0] - k[1]

k = Tally({int})
for v in h:
    k.add(v)
a = k.total + len(k.seen)

k = Run()
for v in {str}:
    k.take(ord(v))
b = k.length

k = Tally(1)
v = k
v.add({int}).add(a)
b = k.count

k = json.loads('{"a": 1, "b": [1, 2]}')
k['n'] = {int}
k['s'] = {str}
k.pop('a', None)
k['b'].append({float})
s = json.dumps(k)

k = json.loads({str})
k['seen'] = {bool}
s = json.dumps(k)

k = {'n': {int}, 's': {str}}
k = {**k, 'b': {bool}}
s = json.dumps(k)
"""
WIDE_STATEMENTS = (
    "a, b = divmod({int}, {int})", "s, *_ = {str}.split(',')", "(a, b), s = ({int}, {int}), {str}",
    "a = b = {int}", "assert {bool}", "assert a is not None, 'none'",
    "if {bool}: raise ValueError({str})", "a -= {int}", "a *= 2", "a //= {int}", "x /= {float}",
    "x **= 2", "a |= {int}", "a &= 255", "a <<= 2", "a %= {int}", "x -= {int}",
    "t += 'z' if {bool} else {str}", "pass", "s = s or t or ''", "a = a or 0",
    "x = x if x is not None else 0.0",
    *(block.strip().replace("\n", "\n{space}") for block in _BLOCKS.split("\n\n")),
)  # fmt: skip

_MONEY = [Decimal("0.00"), Decimal("1.05"), Decimal("-3.50"), Decimal("9999999999.99")]
_MOMENTS = [
    dt.datetime(1970, 1, 1), dt.datetime(2024, 2, 29, 23, 59, 59, 999999), dt.datetime(1, 1, 1),
    dt.datetime(9999, 12, 31, 12, 30, 0, 120000), dt.datetime(2021, 7, 4, 0, 5),
    dt.datetime(1999, 12, 31, 13, 0, 7),
]  # fmt: skip
_LISTS = [[], [1, 2], [3, 1, 2, 3], [None, 4], [-5, 0, 7], [1 << 62, 1 << 62, 9]]
_TEXTS = [[], ["a"], ["ab", "", "b,c"], ["b", None], ["Hello", "ab", "abc", "x"], ["\u00df", "1"]]
WIDE_POOLS: tuple[list[Any], ...] = (
    [*_LISTS, None], [*_TEXTS, None], [*_MONEY, None], [*_MOMENTS, None],
)  # fmt: skip
DAYS: list[Any] = [
    dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(2024, 2, 29), dt.date(1970, 1, 1),
    dt.date(2023, 3, 1), dt.date(2000, 12, 25), dt.date(1999, 12, 31), dt.date(1582, 10, 10), None,
]  # fmt: skip
