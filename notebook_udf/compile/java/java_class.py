"""A scalar function as a class of Java's that Spark calls.

A row without None is tried in code whose ints have 64 bits. Where that gives up, at an overflow or
at what raises, the row is computed once more by code for any values: a function that has Java does
nothing besides answering. What raises there raises in Python.
"""

from __future__ import annotations

import hashlib
import inspect
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
)

from notebook_udf.compile.flow_graph import FlowGraph, UnreadableCode
from notebook_udf.compile.java import body
from notebook_udf.compile.java.code import Constants
from notebook_udf.compile.java.values import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    STR,
    Constant,
    Integers,
    Kinds,
    NotCompiled,
    Term,
    Value,
)
from notebook_udf.compile.symbolic import read_code

PACKAGE = "notebookudf"
_KINDS: dict[type[DataType], Kinds] = {
    LongType: INT,
    IntegerType: INT,
    ShortType: INT,
    ByteType: INT,
    DoubleType: FLOAT,
    FloatType: FLOAT,
    BooleanType: BOOL,
    StringType: STR,
}
_BITS: dict[type[DataType], int] = {LongType: 64, IntegerType: 32, ShortType: 16, ByteType: 8}
_ENTERS = {FLOAT: "real", BOOL: "truth", STR: "text"}
_BOXES = {
    INT: "(Object) Long.valueOf({})",
    FLOAT: "(Object) Double.valueOf({})",
    BOOL: "(Object) Boolean.valueOf({})",
}
_RESULTS: dict[type[DataType], tuple[str, Kinds]] = {
    LongType: ("whole({0}, 64)", INT | BOOL),
    IntegerType: ("whole({0}, 32)", INT | BOOL),
    ShortType: ("whole({0}, 16)", INT | BOOL),
    ByteType: ("whole({0}, 8)", INT | BOOL),
    DoubleType: ("real({0})", INT | FLOAT | BOOL),
    StringType: ("text({0})", STR),
    BooleanType: ("truth({0})", BOOL),
}
_MOST_ARGUMENTS = 22
_DEEPEST = 8
_MOST_CHARACTERS = 200_000
_UNUSUAL = (
    inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)


@dataclass(frozen=True)
class JavaClass:
    """The source of a class.

    Attributes
    ----------
    name
        The class's, without its package: the same source has the same name.
    source
        Without the line that names the package.
    """

    name: str
    source: str


@dataclass
class _Class:
    """A class while it is written: its constants, and a method for each function and its kinds."""

    constants: Constants = field(default_factory=Constants)
    methods: list[str] = field(default_factory=list)
    _known: dict[Any, tuple[str, Kinds]] = field(default_factory=dict)
    # Objects whose identity is a key above.
    _kept: list[Any] = field(default_factory=list)
    _open: list[types.FunctionType] = field(default_factory=list)

    def method(
        self, function: types.FunctionType, given: dict[str, Value], integers: Integers
    ) -> tuple[str, Kinds]:
        """The name of the method for arguments of these kinds, and what it returns."""
        key = (function, integers, *[_key(each) for each in given.values()])
        if key not in self._known:
            self._kept.append(list(given.values()))
            if function in self._open:
                raise NotCompiled(f"{function.__name__}, which calls itself")
            if len(self._open) == _DEEPEST:
                raise NotCompiled(f"{function.__name__} within so many others")
            self._open.append(function)
            try:
                self._known[key] = self._written(function, given, integers)
            finally:
                self._open.pop()
        return self._known[key]

    def _written(
        self, function: types.FunctionType, given: dict[str, Value], integers: Integers
    ) -> tuple[str, Kinds]:
        def run(
            called: types.FunctionType, arguments: tuple[Value, ...], names: tuple[str, ...]
        ) -> Term:
            bound = _bound(called, arguments, names)
            name, returned = self.method(called, bound, integers)
            java = ", ".join(each.java for each in bound.values() if isinstance(each, Term))
            return Term(returned, f"{name}({java})")

        entered, graph = _entered(given), _graph(function)
        made = body.write(function, graph, entered, integers, self.constants, run)
        name = f"m{len(self.methods)}"
        parameters = ", ".join(
            f"{integers.held(each.kinds)} {each.java}"
            for each in entered.values()
            if isinstance(each, Term)
        )
        held = integers.held(made.returned)
        lines = "\n".join(f"        {line}" for line in made.statements)
        self.methods.append(f"    private static {held} {name}({parameters}) {{\n{lines}\n    }}")
        return name, made.returned


def _key(value: Value) -> Any:
    if isinstance(value, Term):
        return value.kinds
    if isinstance(value, Constant):
        return id(value.value)
    raise NotCompiled("an argument of a function of yours that is neither a value nor a constant")


def _entered(given: dict[str, Value]) -> dict[str, Value]:
    return {
        name: Term(value.kinds, f"a{at}") if isinstance(value, Term) else value
        for at, (name, value) in enumerate(given.items())
    }


def _graph(function: types.FunctionType) -> FlowGraph:
    if function.__code__.co_flags & _UNUSUAL:
        raise NotCompiled(f"{function.__name__}, which is no plain function")
    graph = read_code(function.__code__)
    if isinstance(graph, UnreadableCode):
        raise NotCompiled(graph.reason, graph.line)
    if graph.guarded:
        raise NotCompiled("try or with", function.__code__.co_firstlineno)
    return graph


def _bound(
    function: types.FunctionType, given: Sequence[Value], names: Sequence[str]
) -> dict[str, Value]:
    """The parameters' values; the last of what is given are those of the names."""
    _graph(function)
    by_place = len(given) - len(names)
    by_name = dict(zip(names, given[by_place:], strict=True))
    try:
        found = inspect.signature(function).bind(*given[:by_place], **by_name)
    except TypeError:
        raise NotCompiled(f"a call of {function.__name__} that does not fit it") from None
    absent = {
        name: Constant(parameter.default)
        for name, parameter in found.signature.parameters.items()
        if name not in found.arguments
    }
    return {**found.arguments, **absent}


def translate(
    function: Callable[..., Any],
    input_types: Sequence[DataType],
    result_type: DataType,
    label: str = "",
) -> JavaClass:
    """The class of a function for columns of these types.

    Two that only differ by their label are two classes.

    Raises
    ------
    NotCompiled
        If it may answer otherwise than Python, or not at all.
    """
    if not isinstance(function, types.FunctionType):
        raise NotCompiled("anything but a plain function")
    result = _RESULTS.get(type(result_type))
    if result is None:
        raise NotCompiled(f"a result of type {result_type.simpleString()}")
    if not 1 <= len(input_types) <= _MOST_ARGUMENTS:
        raise NotCompiled(f"{len(input_types)} arguments")
    # One of another type may be passed on, and tested for None.
    parameters = [
        _Parameter(
            place,
            _KINDS.get(type(each), frozenset({each.simpleString()})),
            _BITS.get(type(each), 0),
        )
        for place, each in enumerate(input_types)
    ]
    made = _Class()
    fast = _call(made, function, parameters, Integers(bounded=True), result)
    exact = _call(made, function, parameters, Integers(bounded=False), result)
    return _class(made, len(parameters), fast, exact, label)


@dataclass(frozen=True)
class _Parameter:
    """An argument's place, kinds, and of how many bits it is."""

    place: int
    kinds: Kinds
    bits: int

    def entered(self) -> str:
        """The argument, which is not null, as Java holds it in code for 64 bits."""
        name = f"x{self.place}"
        if self.kinds == INT:
            return f"PyArgument.whole({name}, NAME, {self.place}, {self.bits})"
        how = _ENTERS.get(self.kinds)
        return f"PyArgument.{how}({name}, NAME, {self.place})" if how else name

    def entered_or_null(self) -> str:
        """The argument as Java holds it in code for any values."""
        box = _BOXES.get(self.kinds, "(Object) ({})").format(self.entered())
        return f"(x{self.place} == null ? null : {box})"


def _call(
    made: _Class,
    function: types.FunctionType,
    parameters: Sequence[_Parameter],
    integers: Integers,
    result: tuple[str, Kinds],
) -> str:
    fast = integers.bounded
    terms = [Term(each.kinds if fast else each.kinds | NONE, "") for each in parameters]
    name, returned = made.method(function, _bound(function, terms, ()), integers)
    how, accepted = result
    if not returned & (accepted | NONE):
        raise NotCompiled(f"results of {' or '.join(sorted(returned))} for this type")
    entered = ", ".join(each.entered() if fast else each.entered_or_null() for each in parameters)
    answer = Term(returned, f"{name}({entered})")
    java = answer.java
    if returned != INT or not fast or not how.startswith("whole"):
        java = integers.converted(answer, frozenset("?"))
    return f"PyResult.{how.format(java)}"


def _class(made: _Class, count: int, fast: str, exact: str, label: str) -> JavaClass:
    names = [f"x{at}" for at in range(count)]
    parameters = ", ".join(f"Object {name}" for name in names)
    present = " && ".join(f"{name} != null" for name in names)
    fields = "\n".join(
        f"    private static final {held} {name} = {java};"
        for java, (held, name) in made.constants.made.items()
    )
    text = f"""{fields}

    private static final long serialVersionUID = 1L;
    private PyMeter meter;

    public void measuredBy(PyMeter meter) {{
        this.meter = meter;
    }}

    public Object call({parameters}) {{
        if (meter == null || !meter.counts()) {{
            return answer({", ".join(names)});
        }}
        long begun = System.nanoTime();
        Object answer = answer({", ".join(names)});
        meter.took(System.nanoTime() - begun);
        return answer;
    }}

    private static Object answer({parameters}) {{
        if ({present}) {{
            try {{
                return {fast};
            }} catch (ArithmeticException again) {{
            }} catch (Raised again) {{
            }}
        }}
        try {{
            return {exact};
        }} catch (Raised raised) {{
            throw RowFailed.of(NAME, new Object[] {{{", ".join(names)}}});
        }}
    }}

""" + "\n\n".join(made.methods)
    if len(text) > _MOST_CHARACTERS:
        raise NotCompiled("so much code")
    name = f"F{hashlib.sha256((label + text).encode()).hexdigest()[:16]}"
    interface = f"org.apache.spark.sql.api.java.UDF{count}"
    head = f"public final class {name} implements {interface} {{"
    own = f'    private static final String NAME = "{name}";'
    return JavaClass(name, f"{head}\n{own}\n{text}\n}}\n")
