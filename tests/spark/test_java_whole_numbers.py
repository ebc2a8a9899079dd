"""Functions and methods of numbers in the JVM, next to Python's: of any size, to the last bit."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from typing import Any

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import ArrayType, BooleanType, DataType, DoubleType, LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

LONG, DOUBLE, FLAG, TEXT = LongType(), DoubleType(), BooleanType(), StringType()
LONGS, DOUBLES, FLAGS = ArrayType(LONG), ArrayType(DOUBLE), ArrayType(FLAG)

INTS = (
    *(None, 0, 1, -1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 15, 16, 20, 21, 30, 63, 64, 97, 255, 256),
    *(-2, -7, -12, 1000, 4095, 2**31 - 1, 2**31, 2**32, 10**9 + 7, 2**52, 2**53 + 1, 2**62),
    *(3037000499, 3037000500, 3037000499**2 - 1, 2**63 - 1, -(2**63), 1 - 2**63),
)
SMALL = (None, *range(-3, 12), 20, 21, 25, 33, 66)
FLOATS = (
    *(None, 0.0, -0.0, 1.0, -1.0, 1.5, 0.1, -0.1, 0.2, 0.3, 1e16, -1e16, 1e-9, 1 + 1e-9, 1 + 1e-10),
    *(5e-324, -5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308),
    *(-1.7976931348623157e308, 1e300, math.inf, -math.inf, math.nan, 2.0**53, 2.0**63, -(2.0**63)),
    *(9007199254740993.0, 123456.789, 1e22, 0.5, 2.0, 1024.0, 1e-310, 3.0, math.pi),
)
TEXTS = (
    None,
    "",
    "ff",
    "-ff",
    "0xff",
    "0XfF",
    " 1_0 ",
    "zz",
    "777",
    "0b11",
    "0o17",
    "12",
    "g",
    "٣",
)


def caught(n: Any, m: Any) -> Any:
    """Which exception it is, where it is one."""
    try:
        return str(pow(n, -1, m - 1))
    except TypeError:
        return "missing"
    except ValueError:
        return "no inverse"


def which(n: Any) -> Any:
    try:
        return math.factorial(n) % 1000003
    except OverflowError:
        return -2
    except ValueError:
        return -1
    except TypeError:
        return -3


def ratio(x: Any) -> Any:
    try:
        above, below = x.as_integer_ratio()
        return f"{above}/{below}"
    except OverflowError:
        return "endless"
    except ValueError:
        return "no number"
    except AttributeError:
        return "nothing"


def summed(values: Any) -> Any:
    try:
        return str(math.fsum(values))
    except OverflowError:
        return "too large"
    except ValueError:
        return "both ends"
    except TypeError:
        return "not numbers"


def close(a: Any, b: Any, r: Any, t: Any) -> Any:
    try:
        return str(math.isclose(a, b, rel_tol=r, abs_tol=t))
    except ValueError:
        return "below nothing"
    except TypeError:
        return "missing"


def distance(a: Any, b: Any) -> Any:
    try:
        return str(math.dist(a, b))
    except ValueError:
        return "others"
    except TypeError:
        return "missing"


# The types of the columns, that of the result, and the values that are taken for each column.
CASES: list[tuple[Callable[..., Any], list[DataType], DataType, list[Any]]] = [
    (lambda i: pow(i, 2, 7), [LONG], LONG, [INTS]),
    (lambda i, e, m: pow(i, e, m + 0), [LONG] * 3, LONG, [INTS, INTS, INTS]),
    (lambda i, e, m: pow(i, exp=e, mod=m * 2 - 1), [LONG] * 3, LONG, [SMALL, SMALL, SMALL]),
    (lambda i: pow(i, 3, None), [LONG], LONG, [SMALL]),
    (lambda i, m: pow(i % 2 == 0, 5, mod=-m), [LONG] * 2, LONG, [SMALL, SMALL]),
    (lambda i, m: pow(i * i * i, i * i, m * m + 1), [LONG] * 2, LONG, [SMALL, INTS]),
    (caught, [LONG] * 2, TEXT, [INTS, INTS]),
    (lambda s: int(s, base=16), [TEXT], LONG, [TEXTS]),
    (lambda s: int(s, 36), [TEXT], LONG, [TEXTS]),
    (lambda s: int(s, base=0), [TEXT], LONG, [TEXTS]),
    (lambda i: math.comb(i, 2), [LONG], LONG, [INTS]),
    (lambda n, k: math.comb(n, k), [LONG] * 2, LONG, [SMALL, SMALL]),
    (lambda n, k: math.comb(n, k) % 1000003, [LONG] * 2, LONG, [(None, 500, 3000), SMALL]),
    (lambda n, k: math.perm(n, k), [LONG] * 2, LONG, [SMALL, SMALL]),
    (lambda n: math.perm(n), [LONG], LONG, [SMALL]),
    (lambda n: math.perm(n, None), [LONG], LONG, [SMALL]),
    (lambda n, k: math.comb(n % 3 == 0, k), [LONG] * 2, LONG, [SMALL, SMALL]),
    (lambda n: math.factorial(n), [LONG], LONG, [SMALL]),
    (lambda n: str(math.factorial(n)), [LONG], TEXT, [SMALL]),
    (which, [LONG], LONG, [SMALL]),
    (lambda n: math.isqrt(n), [LONG], LONG, [INTS]),
    (lambda n, k: round(n, k), [LONG] * 2, LONG, [INTS, (*range(-21, 2), None, 2**62)]),
    (lambda n, k: str(round(n * n, -k)), [LONG] * 2, TEXT, [INTS, (*range(45),)]),
    (lambda a: a == [1, 2], [LONGS], FLAG, [(1, 2)]),
    (lambda n: ~n, [LONG], LONG, [INTS]),
    (lambda n, k: n & ~(k * k), [LONG] * 2, LONG, [INTS, INTS]),
    (lambda i, k: ~(i < k) & 7, [LONG] * 2, LONG, [SMALL, SMALL]),
    (lambda a: f"{a} of {a!r}", [LONGS], TEXT, [(None, 1, -2)]),
    (lambda n, s: (n, s) < (2, "ff"), [LONG, TEXT], FLAG, [SMALL, TEXTS]),
    (lambda n, k, s: (n, k, s) >= (k, 2, "12"), [LONG, LONG, TEXT], FLAG, [SMALL, SMALL, TEXTS]),
    (lambda n, k, s: (n, s) != (k, "ff"), [LONG, LONG, TEXT], FLAG, [SMALL, SMALL, TEXTS]),
    (lambda n, k: (n, 1) == (k, 1, 2), [LONG] * 2, FLAG, [SMALL, SMALL]),
    (lambda x, n: (x, n) <= (1.5, 3), [DOUBLE, LONG], FLAG, [FLOATS, SMALL]),
    (lambda a, b: a != b, [LONGS] * 2, FLAG, [(None, 1), (None, 1)]),
    (lambda n: math.isqrt(n * n + 1), [LONG], LONG, [INTS]),
    (lambda a, b: math.lcm(a, b), [LONG] * 2, LONG, [INTS, INTS]),
    (lambda a, b: math.lcm(a, b, 6) + math.gcd(a, b, 6), [LONG] * 2, LONG, [SMALL, INTS]),
    (lambda a: math.lcm(a) + math.gcd(a) + math.gcd() + math.lcm(), [LONG], LONG, [INTS]),
    (lambda a, b: math.gcd(a, b), [LONG] * 2, LONG, [INTS, INTS]),
    (lambda a: a.bit_length(), [LONG], LONG, [INTS]),
    (lambda a: (a * a * a).bit_length() + a.bit_count(), [LONG], LONG, [INTS]),
    (lambda a: (a > 3).bit_length() + (a * a).bit_count(), [LONG], LONG, [INTS]),
    (lambda x: x.is_integer(), [DOUBLE], FLAG, [FLOATS]),
    (lambda x: x.hex(), [DOUBLE], TEXT, [FLOATS]),
    (lambda x: x.as_integer_ratio()[0], [DOUBLE], LONG, [FLOATS]),
    (lambda x: x.as_integer_ratio()[1], [DOUBLE], LONG, [FLOATS]),
    (ratio, [DOUBLE], TEXT, [FLOATS]),
    (lambda a, b: math.isclose(a, b), [DOUBLE] * 2, FLAG, [FLOATS, FLOATS]),
    (lambda a, b: math.isclose(a, b=b, abs_tol=0.5), [DOUBLE] * 2, FLAG, [FLOATS, FLOATS]),
    (lambda a, b: math.isclose(a, b, rel_tol=1e-3), [DOUBLE, LONG], FLAG, [FLOATS, INTS]),
    (close, [DOUBLE] * 4, TEXT, [FLOATS, FLOATS, FLOATS, FLOATS]),
    (lambda a: math.prod(a), [LONGS], LONG, [INTS]),
    (lambda a: str(math.prod(a, start=3)), [LONGS], TEXT, [INTS]),
    (lambda a: math.prod(x for x in a if x is not None), [LONGS], LONG, [SMALL]),
    (lambda a: math.prod(set(a)), [LONGS], LONG, [SMALL]),
    (lambda a: math.prod(a), [FLAGS], LONG, [(True, False, None)]),
    (lambda a: math.prod(a), [DOUBLES], DOUBLE, [FLOATS]),
    (lambda a: str(math.prod(a)), [DOUBLES], TEXT, [FLOATS]),
    (lambda a: math.prod(a, start=0.5), [DOUBLES], DOUBLE, [FLOATS]),
    (lambda a: math.prod([x * 2 for x in a], start=2), [DOUBLES], DOUBLE, [FLOATS]),
    (lambda a, b: math.prod((a, b, 2)), [LONG, DOUBLE], DOUBLE, [INTS, FLOATS]),
    (lambda a, b: math.prod([a, b, a]), [LONG, LONG], LONG, [INTS, SMALL]),
    (lambda a: math.fsum(a), [DOUBLES], DOUBLE, [FLOATS]),
    (lambda a: math.fsum(a), [LONGS], DOUBLE, [INTS]),
    (lambda a: math.fsum(x * 0.1 for x in a), [DOUBLES], DOUBLE, [FLOATS]),
    (lambda a, b: math.fsum((a, b, 0.1, -b)), [DOUBLE] * 2, DOUBLE, [FLOATS, FLOATS]),
    (summed, [DOUBLES], TEXT, [FLOATS]),
    (lambda a, b: math.hypot(a, b), [DOUBLE] * 2, DOUBLE, [FLOATS, FLOATS]),
    (lambda a, b: math.hypot(a, b, 1, a), [DOUBLE, LONG], DOUBLE, [FLOATS, INTS]),
    (lambda a: math.hypot(a) + math.hypot(), [DOUBLE], DOUBLE, [FLOATS]),
    (lambda a, b: math.dist((a, 1.0), (b, 0)), [DOUBLE] * 2, DOUBLE, [FLOATS, FLOATS]),
    (lambda a, b: math.dist(a, b), [DOUBLES] * 2, DOUBLE, [FLOATS, FLOATS]),
    (lambda a, b: math.dist(a, [b, 2]), [LONGS, DOUBLE], DOUBLE, [INTS, FLOATS]),
    (distance, [DOUBLES] * 2, TEXT, [FLOATS, FLOATS]),
]


def rows(types: list[DataType], values: list[Any], chance: random.Random) -> list[tuple[Any, ...]]:
    """Rows in which every value is, lists of some of them, and some of several."""

    def one(kind: DataType, among: Any) -> Any:
        if not isinstance(kind, ArrayType):
            return chance.choice(among)
        some = [each for each in among if each is not None]
        # Few of the lists may have what raises.
        among = among if chance.random() < 0.1 else some
        plain = [each for each in some if abs(each) < 1e20]
        among = plain if chance.random() < 0.5 else among
        return [chance.choice(among) for _ in range(chance.choice((0, 1, 2, 3, 8, 40)))]

    count = 80 * len(types) ** 2
    found = [
        tuple(one(kind, among) for kind, among in zip(types, values, strict=True))
        for _ in range(count)
    ]
    if len(types) == 1 and not isinstance(types[0], ArrayType):
        found += [(each,) for each in values[0]]
    if isinstance(types[0], ArrayType):
        found += [(None, *row[1:]) for row in found[:1]]
    return found


def large_or_none(n: Any) -> Any:
    found = 1 << 62 if n > 1 else None
    return str(found * 2) if found else "none"


def test_an_int_beside_none_grows_beyond_64_bits(java: Java) -> None:
    rows = [(0,), (1,), (2,), (5,), (None,)]
    assert answered_alike(java, large_or_none, [LONG], TEXT, rows) == 4


# Python 3.12 and newer warn of ~ of a bool.
@pytest.mark.filterwarnings("ignore:Bitwise inversion:DeprecationWarning")
@pytest.mark.parametrize("at", range(len(CASES)))
def test_it_answers_as_python(java: Java, at: int) -> None:
    function, types, result, values = CASES[at]
    asked = rows(types, values, random.Random(at))
    assert answered_alike(java, function, types, result, asked) > 5


def test_sums_that_only_more_digits_tell(java: Java) -> None:
    chance = random.Random(7)

    def near(x: float) -> list[float]:
        made = [x * 2.0 ** chance.randrange(-60, 60) for _ in range(chance.randrange(1, 30))]
        made += [-each for each in made[: chance.randrange(len(made) + 1)]]
        made += [chance.uniform(-1, 1) * 2.0 ** -chance.randrange(80), 2.0**-53, 1.0]
        chance.shuffle(made)
        return made

    asked = [(near(chance.uniform(-3, 3)),) for _ in range(600)]
    asked += [([1e308, 1e308, -1e308],), ([1e16, 1.0, 1e-16],), ([0.1] * 10,), ([-0.0],), ([],)]
    assert answered_alike(java, lambda a: math.fsum(a), [DOUBLES], DOUBLE, asked) >= 604


def test_distances(java: Java) -> None:
    chance = random.Random(11)

    def some(n: int) -> list[float]:
        how, most = chance.randrange(4), chance.randrange(-1080, 1024)
        if how == 0:
            return [float(chance.randrange(-99, 99)) for _ in range(n)]
        if how == 1:
            return [math.ldexp(chance.uniform(-1, 1), chance.randrange(-1074, 1024))] * n
        return [math.ldexp(chance.uniform(-2, 2), most - how // 3 * i) for i in range(n)]

    asked = [tuple(some(3)) for _ in range(20_000)]
    types: list[DataType] = [DOUBLE] * 3
    assert answered_alike(java, lambda a, b, c: math.hypot(a, b, c), types, DOUBLE, asked) == 20_000
    pairs = [(x, y) for x, y, _ in asked]
    assert answered_alike(java, lambda a, b: math.hypot(a, b), types[:2], DOUBLE, pairs) == 20_000


def test_whether_an_int_is_one(java: Java) -> None:
    def asked(i: Any) -> Any:
        return i.is_integer()

    if sys.version_info >= (3, 12):
        assert answered_alike(java, asked, [LONG], FLAG, [(1,), (None,), (-5,)]) == 2
    else:
        with pytest.raises(NotCompiled):
            translate(asked, [LONG], FLAG)


@pytest.mark.parametrize(
    "function",
    [
        lambda i: pow(i, 2.0, 7),
        lambda i: pow(i, 2, 7, 1),
        lambda i: pow(7, 2, i),
        lambda i: math.comb(i),
        lambda i: math.comb(n=i, k=2),
        lambda i: math.isclose(i),
        lambda i: math.isclose(i, 1, 2, 3),
        lambda i: math.factorial(i / 2),
        lambda i: math.prod([i], 2),
        lambda i: math.gcd(i, None),
        lambda i: int(base=16),
        lambda i: int(str(i), base=i),
        lambda i: i.bit_length(1),
        lambda i: i.hex(),
    ],
)
def test_what_has_no_java(function: Callable[..., Any]) -> None:
    with pytest.raises(NotCompiled):
        translate(function, [LONG], LONG)
