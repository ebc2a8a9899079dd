"""What a function of a cell takes along to the workers: helpers of every make, and classes."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cells import in_a_cell

import notebook_udf as nu
from notebook_udf import udf, udtf


def answers(session: nu.Session, function: Any, **options: Any) -> list[Any]:
    """What a function gives for the numbers from 0 to 5, from two partitions."""
    session.register_function("along", function, **options)
    rows = session.sql("SELECT id, along(id) AS a FROM range(0, 6, 1, 2) ORDER BY id").collect()
    return [row.a for row in rows]


# What a helper is made of, by what it shows: ``f`` is to give each number's square.
HELPERS = {
    "lru_cache": "@functools.lru_cache\ndef helper(x):\n    return x * x\n",
    "lru_cache with a size": (
        "@functools.lru_cache(maxsize=2, typed=True)\ndef helper(x):\n    return x * x\n"
    ),
    "cache": "@functools.cache\ndef helper(x):\n    return x * x\n",
    "a cache of another name": (
        "def _helper(x):\n    return x * x\nhelper = functools.lru_cache(_helper)\n"
    ),
    "a cache of a lambda": "helper = functools.cache(lambda x: x * x)\n",
    "a cache that calls itself": (
        "@functools.cache\ndef helper(x):\n    return 0 if x == 0 else helper(x - 1) + 2 * x - 1\n"
    ),
    "caches that call each other": (
        "@functools.cache\ndef odd(x):\n    return helper(x - 1) + 2 * x - 1\n"
        "@functools.cache\ndef helper(x):\n    return odd(x) if x else 0\n"
    ),
    "a cache over a closure": (
        "def made(power):\n"
        "    @functools.cache\n    def helper(x):\n        return x**power\n    return helper\n"
        "helper = made(2)\n"
    ),
    "a cached method": (
        "class Squares:\n    @functools.lru_cache\n    def of(self, x):\n        return x * x\n"
        "helper = Squares().of\n"
    ),
    "a cached static method": (
        "class Squares:\n    @staticmethod\n    @functools.cache\n    def of(x):\n"
        "        return x * x\n"
        "helper = Squares.of\n"
    ),
    "cached_property": (
        "class Square:\n    def __init__(self, x):\n        self.x = x\n"
        "    @functools.cached_property\n    def value(self):\n        return self.x * self.x\n"
        "def helper(x):\n    square = Square(x)\n    return square.value + square.value - x * x\n"
    ),
    "singledispatch": (
        "@functools.singledispatch\ndef helper(x):\n    raise TypeError(x)\n"
        "@helper.register\ndef _(x: int):\n    return helper([x])\n"
        "@helper.register(list)\ndef _(x):\n    return x[0] * x[0]\n"
    ),
    "singledispatch over a class": (
        "class Side:\n    def __init__(self, x):\n        self.x = x\n"
        "@functools.singledispatch\ndef area(x):\n    raise TypeError(x)\n"
        "@area.register\ndef _(side: Side):\n    return side.x**2\n"
        "def helper(x):\n    return area(Side(x))\n"
    ),
    "singledispatchmethod": (
        "class Squares:\n"
        "    @functools.singledispatchmethod\n    def of(self, x):\n        raise TypeError(x)\n"
        "    @of.register\n    def _(self, x: int):\n        return x * x\n"
        "helper = Squares().of\n"
    ),
    "partialmethod": (
        "class Powers:\n    def power(self, n, x):\n        return x**n\n"
        "    square = functools.partialmethod(power, 2)\n"
        "helper = Powers().square\n"
    ),
    "partial of a cache": (
        "@functools.cache\ndef power(n, x):\n    return x**n\n"
        "helper = functools.partial(power, 2)\n"
    ),
    "wraps around a cache": (
        "def plain(f):\n    @functools.wraps(f)\n    def called(*args):\n        return f(*args)\n"
        "    return called\n"
        "@plain\n@functools.cache\ndef helper(x):\n    return x * x\n"
    ),
}

CLASSES = {
    "__slots__": (
        "class Side:\n    __slots__ = ('x', '__weakref__')\n"
        "    def __init__(self, x):\n        self.x = x\n"
        "def helper(x):\n    return getattr(Side(x), 'x') ** 2\n"
    ),
    "private slots": (
        "class Side:\n    __slots__ = ('__x',)\n"
        "    def __init__(self, x):\n        self.__x = x\n"
        "    def area(self):\n        return self.__x ** 2\n"
        "UNIT = Side(1)\n"
        "def helper(x):\n    return Side(x).area() * UNIT.area()\n"
    ),
    "a dataclass with slots": (
        "@dataclasses.dataclass(slots=True, frozen=True, order=True)\nclass Side:\n    x: int\n"
        "    seen: list = dataclasses.field(default_factory=list, compare=False)\n"
        "def helper(x):\n    return max(Side(0), Side(x)).x ** 2\n"
    ),
    "a dataclass asked for its fields": (
        "@dataclasses.dataclass\nclass Side:\n    x: int\n    power: int = 2\n"
        "def helper(x):\n"
        "    needed = [f for f in dataclasses.fields(Side) if f.default is dataclasses.MISSING]\n"
        "    return Side(**{f.name: x for f in needed}).x ** Side.power\n"
    ),
    "Enum": (
        "class Power(enum.Enum):\n    SQUARE = 2\n    CUBE = 3\n"
        "    def of(self, x):\n        return x**self.value\n"
        "CHOSEN = Power.SQUARE\nNAMES = {Power.SQUARE: 'square'}\n"
        "def helper(x):\n"
        "    assert CHOSEN is Power.SQUARE is Power(2) and NAMES[CHOSEN] == 'square'\n"
        "    return CHOSEN.of(x)\n"
    ),
    "IntEnum that is returned": (
        "class Square(enum.IntEnum):\n    A = 0\n    B = 1\n    C = 4\n    D = 9\n    E = 16\n"
        "    F = 25\n"
        "def helper(x):\n    return list(Square)[x]\n"
    ),
    "Flag": (
        "class Bits(enum.IntFlag):\n    ONE = 1\n    TWO = 2\n"
        "def helper(x):\n    return x ** int((Bits.ONE | Bits.TWO) & Bits.TWO)\n"
    ),
    "NamedTuple": (
        "class Side(typing.NamedTuple):\n    x: int\n    power: int = 2\n"
        "    def area(self):\n        return self.x**self.power\n"
        "def helper(x):\n    return Side(x)._replace(power=2).area()\n"
    ),
    "namedtuple": (
        "Side = collections.namedtuple('Side', 'x power', defaults=[2])\n"
        "def helper(x):\n    side = Side(x)\n    return side.x**side.power\n"
    ),
    "attrs": (
        "@attrs.define\nclass Side:\n"
        "    x: int = attrs.field(validator=attrs.validators.instance_of(int))\n"
        "    power: int = attrs.field(default=2, converter=int)\n"
        "    def area(self):\n        return self.x**self.power\n"
        "def helper(x):\n    return attrs.evolve(Side(x)).area()\n"
    ),
    "frozen attrs": (
        "@attrs.frozen(order=True)\nclass Side:\n    x: int\n"
        "def helper(x):\n    return max({Side(x), Side(0)}).x ** 2\n"
    ),
    "a model made by a decorator": (
        "def model(cls):\n    types = typing.get_type_hints(cls)\n"
        "    def init(self, **given):\n        for name, kind in types.items():\n"
        "            if not isinstance(given[name], kind):\n                raise TypeError(name)\n"
        "            setattr(self, name, given[name])\n"
        "    return type(cls.__name__, (cls,), {'__init__': init, 'types': types})\n"
        "@model\nclass Side:\n    x: int\n"
        "def helper(x):\n    return Side(x=x).x ** len(Side.types) * x\n"
    ),
    "a model made by a metaclass": (
        "class Model(type):\n    def __new__(meta, name, bases, space):\n"
        "        space['fields'] = list(space.get('__annotations__', {}))\n"
        "        return super().__new__(meta, name, bases, space)\n"
        "class Side(metaclass=Model):\n    x: int = 0\n"
        "def helper(x):\n    return x * x * len(Side.fields)\n"
    ),
    "total_ordering": (
        "@functools.total_ordering\nclass Side:\n    def __init__(self, x):\n        self.x = x\n"
        "    def __eq__(self, other):\n        return self.x == other.x\n"
        "    def __lt__(self, other):\n        return self.x < other.x\n"
        "def helper(x):\n    return (x if Side(x) >= Side(0) else 0) ** 2\n"
    ),
    "generic": (
        "T = typing.TypeVar('T')\n"
        "class Side(typing.Generic[T]):\n    def __init__(self, x: T):\n        self.x = x\n"
        "def helper(x):\n    return Side[int](x).x ** 2\n"
    ),
}

IMPORTS = "import collections, dataclasses, enum, functools, typing\nimport attrs\n"
CALLS = "def f(x: int) -> int:\n    return helper(x)\n"


@pytest.mark.parametrize("source", (HELPERS | CLASSES).values(), ids=[*HELPERS, *CLASSES])
def test_a_helper_of_the_cell_travels(session: nu.Session, source: str) -> None:
    cell = in_a_cell(IMPORTS + source + CALLS)
    assert answers(session, cell["f"]) == [0, 1, 4, 9, 16, 25]
    # What the notebook holds is untouched.
    assert cell["f"](5) == 25


@pytest.mark.parametrize("source", HELPERS.values(), ids=HELPERS)
def test_a_wrapped_function_is_registered_itself(session: nu.Session, source: str) -> None:
    helper = in_a_cell(IMPORTS + source)["helper"]
    assert answers(session, udf(helper, "bigint", "bigint", name="wrapped")) == [0, 1, 4, 9, 16, 25]


def test_a_cached_function_under_the_decorator(session: nu.Session) -> None:
    cell = in_a_cell(
        "import functools\nfrom notebook_udf import udf\n"
        "@udf\n@functools.cache\n"
        "def fib(n: int) -> int:\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
    )
    # Without its cache the last one alone takes ten thousand million years.
    session.register_function("fib", cell["fib"])
    assert session.sql("SELECT fib(id * 10) FROM range(9)").collect()[8][0] == 23416728348467685
    record = session.functions["fib"]
    assert record.signature == "fib(n bigint) -> bigint"
    assert "@functools.cache" in record.source
    assert record.eval(80) == 23416728348467685


def test_each_worker_has_a_cache_of_its_own(session: nu.Session, tmp_path: Path) -> None:
    cell = in_a_cell(
        "import functools, os\n"
        "@functools.lru_cache\n"
        "def helper(x):\n"
        "    with open(f'{FOLDER}/{os.getpid()}', 'a') as calls:\n"
        "        calls.write(f'{x}\\n')\n"
        "    return x\n"
        "def f(x: int) -> int:\n    return helper(x % 3)\n",
        FOLDER=str(tmp_path),
    )
    assert cell["helper"](0) == 0
    here = cell["helper"].cache_info()
    session.register_function("along", cell["f"])
    rows = session.sql("SELECT sum(along(id)) FROM range(0, 3000, 1, 1)").collect()
    assert rows[0][0] == 3000
    # What the notebook had cached stayed there, and what the worker cached too.
    assert cell["helper"].cache_info() == here
    calls = [path.read_text().split() for path in tmp_path.iterdir() if path.stem != str(_pid())]
    assert [sorted(each) for each in calls] == [["0", "1", "2"]]


def _pid() -> int:
    import os

    return os.getpid()


METHODS = {
    "lru_cache": (
        "class Square(ScalarFunction):\n"
        "    @functools.lru_cache\n    def eval(self, x: int) -> int:\n        return x * x\n"
    ),
    "partialmethod": (
        "class Square(ScalarFunction):\n"
        "    def power(self, n, x: int) -> int:\n        return x**n\n"
        "    eval = functools.partialmethod(power, 2)\n"
    ),
    "cached_property": (
        "class Square(ScalarFunction):\n"
        "    @functools.cached_property\n    def power(self):\n        return 2\n"
        "    def eval(self, x: int) -> int:\n        return x**self.power\n"
    ),
    "singledispatchmethod": (
        "class Square(ScalarFunction):\n"
        "    @functools.singledispatchmethod\n    def of(self, x):\n        raise TypeError(x)\n"
        "    @of.register\n    def _(self, x: int):\n        return x * x\n"
        "    def eval(self, x: int) -> int:\n        return self.of(x)\n"
    ),
    "__slots__": (
        "class Square(ScalarFunction):\n    __slots__ = ('power',)\n"
        "    def __init__(self):\n        self.power = 2\n"
        "    def eval(self, x: int) -> int:\n        return x**self.power\n"
    ),
}


@pytest.mark.parametrize("source", METHODS.values(), ids=METHODS)
def test_methods_of_a_function_travel(session: nu.Session, source: str) -> None:
    cell = in_a_cell("import functools\nfrom notebook_udf import ScalarFunction\n" + source)
    assert answers(session, cell["Square"]) == [0, 1, 4, 9, 16, 25]
    assert session.functions["along"].source.startswith("class Square")


@functools.lru_cache
def in_a_module(x: int) -> int:
    return x * x


def test_of_a_module_only_the_name_travels(session: nu.Session) -> None:
    # Its cache is then the module's, and other functions of the module share it.
    from notebook_udf.functions.by_value import dumps

    assert len(dumps(in_a_module)) < 100
    cell = in_a_cell("def f(x: int) -> int:\n    return helper(x)\n", helper=in_a_module)
    assert answers(session, cell["f"]) == [0, 1, 4, 9, 16, 25]


STUCK = {
    "a cache": "@functools.cache\ndef helper(x):\n    return x if thing else 0\n",
    "a dispatch table": (
        "@functools.singledispatch\ndef helper(x):\n    return 0\n"
        "@helper.register\ndef _(x: int):\n    return x if thing else 0\n"
    ),
    "a property": (
        "class Helper:\n    @property\n    def value(self):\n        return 1 if thing else 0\n"
        "def helper(x):\n    return Helper().value\n"
    ),
    "a partial method": (
        "class Helper:\n    def of(self, x):\n        return 1 if thing else 0\n"
        "    one = functools.partialmethod(of, 1)\n    del of\n"
        "def helper(x):\n    return Helper().one()\n"
    ),
    "a base class": (
        "class Base:\n    def of(self, x):\n        return 1 if thing else 0\n"
        "class Helper(Base):\n    pass\n"
        "def helper(x):\n    return Helper().of(x)\n"
    ),
}


@pytest.mark.parametrize("source", STUCK.values(), ids=STUCK)
def test_what_cannot_travel_is_named_behind_a_wrapper(session: nu.Session, source: str) -> None:
    cell = in_a_cell(IMPORTS + source + CALLS, thing=session.spark)
    with pytest.raises(nu.CaptureError, match="'thing' is a SparkSession") as caught:
        session.register_function("along", cell["f"])
    line = source[: source.index("if thing")].count("\n") + IMPORTS.count("\n") + 1
    assert f"line {line}" in str(caught.value)


def test_a_cache_of_what_can_be_used_once_is_refused() -> None:
    @functools.cache
    async def fetched(x: int) -> int:
        return x

    @functools.cache
    def listed(x: int) -> Iterator[int]:
        yield x

    class Listed(nu.TableFunction):
        @functools.cache  # noqa: B019
        def eval(self, x: int) -> Iterator[int]:
            yield x

    with pytest.raises(nu.DeclarationError, match=r"fetched is async and cached.*share_calls"):
        udf(fetched)
    for function in (listed, Listed):
        with pytest.raises(nu.DeclarationError, match=r"yields and is cached.*return a list"):
            udtf(function)
