"""A scalar function as a class of Java's, which Spark calls by one of the library's.

A row without None is tried in code whose ints have 64 bits. Where that gives up, at an overflow or
at what raises, the row is computed once more by code for any values: a function that has Java does
nothing besides answering. What raises there raises in Python.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any

from pyspark.sql.types import DataType, StructType

from notebook_udf.compile.bindings import bound, is_plain_code
from notebook_udf.compile.flow_graph import FlowGraph, UnreadableCode
from notebook_udf.compile.java.bodies import method_bodies
from notebook_udf.compile.java.bodies.name_scope import NameScope
from notebook_udf.compile.java.bodies.recursions import DEPTH, NOT_TOO_DEEP, Recursion, Unsettled
from notebook_udf.compile.java.columns import row_counts
from notebook_udf.compile.java.columns.given_records import Context, Output, RecordForm
from notebook_udf.compile.java.columns.given_rows import GivenRows
from notebook_udf.compile.java.columns.held_values import Contents, ReturnedKinds, together
from notebook_udf.compile.java.columns.spark_types import JavaParameter, JavaResult, parameters
from notebook_udf.compile.java.writing.code import Code, Constants, ListKinds
from notebook_udf.compile.java.writing.terms import (
    TEXTS,
    Integers,
    Kinds,
    KnownValue,
    NotCalled,
    NotCompiled,
    Parts,
    Term,
    Undetermined,
    Value,
    array_of,
    is_literal,
)
from notebook_udf.compile.record_retention import keeps_no_record
from notebook_udf.compile.symbolic import read_code

PACKAGE = "notebookudf"
MOST_ARGUMENTS = 22
_DEEPEST = 8
_MOST_CHARACTERS = 200_000
# How often the kinds are looked for of what a function gives that calls itself.
_MOST_TURNS = 5


@dataclass(frozen=True)
class JavaClass:
    """The source of a class.

    Attributes
    ----------
    name
        The class's, without its package: the same source has the same name.
    source
        Without the line that names the package.
    files
        Where the code stands that was read, and the modules that were looked into.
    libm
        The functions of the machine's C library that it calls, see ``libm``.
    has_zone
        Whether it answers by the time zone of this process.
    """

    name: str
    source: str
    files: frozenset[str] = frozenset()
    libm: frozenset[str] = frozenset()
    has_zone: bool = False


@dataclass
class _Class:
    """A class while it is written: its constants, and a method for each function and its kinds."""

    constants: Constants = field(default_factory=Constants)
    lists: ListKinds = field(default_factory=ListKinds)
    methods: list[str] = field(default_factory=list)
    # What a process function calls a record whose fields it may set.
    records: dict[types.FunctionType, str] = field(default_factory=dict)
    # Methods as they are called from without: up to their first argument, and what they return.
    _known: dict[Any, tuple[tuple[str, ...], Kinds]] = field(default_factory=dict)
    _recursions: dict[Any, Recursion] = field(default_factory=dict)
    # Objects whose identity is a key above.
    _kept: list[Any] = field(default_factory=list)
    _open: list[types.FunctionType] = field(default_factory=list)
    _begun: int = 0

    def begun_again(self) -> _Class:
        """A new one, for which it is known what handlers there are."""
        lists = ListKinds(handled=self.lists.handled, tells=self.lists.tells)
        return _Class(lists=lists, records=self.records)

    def call(
        self,
        function: types.FunctionType,
        arguments: tuple[Value, ...],
        names: tuple[str, ...],
        integers: Integers,
    ) -> Term | Undetermined:
        """The call of a method for arguments of these kinds, with the names of the last ones."""
        _graph(function)
        given = _bound(function, arguments, names)
        if function in self._open:
            given = {name: _varying(each, integers) for name, each in given.items()}
        key = (function, integers, *[_key(each) for each in given.values()])
        java = [each.java for each in given.values() if isinstance(each, Term)]
        if key in self._recursions:
            if self._open[-1] is not function:
                raise NotCompiled(f"{function.__name__}, which calls itself through another one")
            return self._recursions[key].call(java)
        if key not in self._known:
            self._kept.append(list(given.values()))
            self._known[key] = self._repeated(key, function, given, integers)
        (name, *first), returned = self._known[key]
        return Term(returned, f"{name}({', '.join((*first, *java))})")

    def _repeated(
        self,
        key: Any,
        function: types.FunctionType,
        given: dict[str, Value],
        integers: Integers,
    ) -> tuple[tuple[str, ...], Kinds]:
        """A new method, written until what it gives is what it was assumed to give."""
        found = self._recursions[key] = Recursion(f"r{len(self._kept)}")
        known, count = dict(self._known), len(self.methods)
        try:
            for _ in range(_MOST_TURNS):
                try:
                    name, returned = self.method(function, given, integers, within=found)
                    return ((name, "0") if found.calls_itself else (name,)), returned
                except Unsettled as turn:
                    found.returned = turn.kinds | (found.returned or frozenset())
                    self._known, self.methods = dict(known), self.methods[:count]
            raise NotCompiled(f"{function.__name__}, whose calls of itself give ever more")
        finally:
            del self._recursions[key]

    def method(
        self,
        function: types.FunctionType,
        given: dict[str, Value],
        integers: Integers,
        result: JavaResult | GivenRows | ReturnedKinds | None = None,
        within: Recursion | None = None,
    ) -> tuple[str, Kinds]:
        """The name of a new method, and the kinds of what it returns; ``result`` is what Spark gets
        of the one that it calls, and ``within`` is what it calls itself by."""
        if self._open.count(function) > 3:
            raise NotCompiled(f"{function.__name__}, which calls itself with other arguments")
        if len(self._open) == _DEEPEST:
            raise NotCompiled(f"{function.__name__} within so many others")
        self._open.append(function)
        try:
            return self._written(function, given, integers, result, within)
        finally:
            self._open.pop()

    def _written(
        self,
        function: types.FunctionType,
        given: dict[str, Value],
        integers: Integers,
        result: JavaResult | GivenRows | ReturnedKinds | None,
        within: Recursion | None,
    ) -> tuple[str, Kinds]:
        rows = result if isinstance(result, GivenRows) else None
        entered, graph = _entered(given), self._read(function, rows)
        self.lists.note_handlers(graph)
        self._begun += 1
        code = Code(integers, self.constants, self.lists, f"m{self._begun}")
        record = self.records.get(function, "")
        called = len(self._open) > 1
        scope = NameScope(function, partial(self._called, integers), self._opened, record, called)
        returned = None if result is None else result.returned
        gives = None if rows is None else rows.given
        settled = None if within is None else within.settled
        made = method_bodies.write(scope, graph, entered, code, returned, gives, settled)
        name, taken, statements = f"m{len(self.methods)}", [], made.statements
        if within is not None and within.calls_itself:
            name, taken, statements = within.name, [f"int {DEPTH}"], [*NOT_TOO_DEEP, *statements]
        taken += [f"{integers.held(each.kinds)} {each.java}" for each in _terms(entered.values())]
        held = integers.held(made.returned)
        lines = "\n".join(f"        {line}" for line in statements)
        head = f"private static {held} {name}({', '.join(taken)})"
        self.methods.append(f"    {head} {{\n{lines}\n    }}")
        return name, made.returned

    def _opened(
        self, function: types.FunctionType, given: Sequence[Value], names: Sequence[str]
    ) -> tuple[FlowGraph, dict[str, Value]]:
        return self._read(function), _bound(function, given, names)

    def _read(self, function: types.FunctionType, rows: GivenRows | None = None) -> FlowGraph:
        self.constants.files.add(function.__code__.co_filename)
        return _graph(function, gives_rows=rows is not None)

    def _called(
        self,
        integers: Integers,
        function: types.FunctionType,
        arguments: tuple[Value, ...],
        names: tuple[str, ...],
    ) -> Term | Undetermined:
        return self.call(function, arguments, names, integers)


def _key(value: Value) -> Any:
    if isinstance(value, Term) and not any("@" in kind for kind in value.kinds - TEXTS):
        return value.kinds, value.among
    if isinstance(value, KnownValue):
        return id(value.value)
    raise NotCalled("an argument that no method takes")


def _varying(value: Value, integers: Integers) -> Value:
    """A constant number or text as a value that varies: where a function calls itself."""
    if isinstance(value, KnownValue) and is_literal(value.value) and value.value is not None:
        return integers.literal(value.value)
    return value


def _entered(given: dict[str, Value]) -> dict[str, Value]:
    """The values by the names of a method's parameters; those of a record's parts are such too."""
    numbers = itertools.count()

    def entered(value: Value) -> Value:
        if isinstance(value, Parts):
            return replace(value, parts=tuple(map(entered, value.parts)))
        return replace(value, java=f"a{next(numbers)}") if isinstance(value, Term) else value

    return {name: entered(value) for name, value in given.items()}


def _terms(values: Iterable[Value]) -> Iterator[Term]:
    for each in values:
        if isinstance(each, Parts):
            yield from _terms(each.parts)
        elif isinstance(each, Term):
            yield each


def _graph(function: types.FunctionType, *, gives_rows: bool = False) -> FlowGraph:
    if not is_plain_code(function.__code__, generator=gives_rows):
        raise NotCompiled(f"{function.__name__}, which is no plain function")
    graph = read_code(function.__code__, handlers=True)
    if isinstance(graph, UnreadableCode):
        raise NotCompiled(graph.reason, graph.line)
    return graph


def _bound(
    function: types.FunctionType, given: Sequence[Value], names: Sequence[str]
) -> dict[str, Value]:
    """The parameters' values; the last of what is given are those of the names."""
    found = bound(function, given, names, KnownValue)
    if found is None:
        raise NotCompiled(f"a call of {function.__name__} that does not fit it")
    return found


def translate(
    function: Callable[..., Any],
    input_types: Sequence[DataType],
    result_type: DataType,
    label: str = "",
    *,
    gives_rows: bool = False,
) -> JavaClass:
    """The class of a function for columns of these types.

    Two that only differ by their label are two classes. That of a function that ``gives_rows``
    gives a list of them; the result type is that of a row.

    Raises
    ------
    NotCompiled
        If it may answer otherwise than Python, or not at all.
    """
    plain, result = _checked(function, result_type, len(input_types), gives_rows)
    _, before, named = _taken_apart(function)

    def given(terms: Sequence[Term]) -> list[Value]:
        return [*map(KnownValue, before), *terms, *map(KnownValue, named.values())]

    misfit = f"results that are not {result_type.simpleString()}"
    taken = parameters(input_types)
    return _class(_Class(), plain, given, taken, result, misfit, label, names=tuple(named))


def translate_process(
    instance: Any,
    form: RecordForm,
    input_types: Sequence[DataType],
    columns: StructType,
    label: str = "",
    *,
    bare: bool,
) -> JavaClass:
    """The class of a process function for records made of columns of these types.

    ``bare`` says that what it collects is the value of the one column, and no row of it.

    Raises
    ------
    NotCompiled
        If it may collect something else than Python, or keep something beyond a record.
    """
    function = _checked_code(type(instance).process_record, len(input_types))
    result = GivenRows(columns, yields=True, rows_as="value" if bare else "row")
    _check_graph(function, gives_rows=True)
    made = _Class()
    if keeps_no_record(instance):
        made.records[function] = function.__code__.co_varnames[1]

    def given(terms: Sequence[Term]) -> list[Value]:
        own, others = KnownValue(instance), (KnownValue(Output()), KnownValue(Context()))
        return [own, form.record(terms), *others]

    misfit = f"records that are no {columns.simpleString()}"
    return _class(made, function, given, parameters(input_types), result, misfit, label)


def returned(function: types.FunctionType, input_types: Sequence[DataType]) -> Contents:
    """What a function returns for columns of these types, and what that holds.

    Raises
    ------
    NotCompiled
        If it has no Java, or returns what may be of several forms.
    """
    made, taken, seen = _Class(), parameters(input_types), ReturnedKinds()
    for fast in (True, False):
        terms = [Term(each.kinds(made.lists, fast=fast), "") for each in taken]
        made.method(function, _bound(function, terms, ()), Integers(bounded=fast), seen)
    return reduce(together, seen.seen)


def check(
    function: Callable[..., Any], result_type: DataType, count: int, *, gives_rows: bool = False
) -> None:
    """Raises a ``NotCompiled`` where no types of its ``count`` arguments give a function Java."""
    _checked(function, result_type, count, gives_rows)


def _checked(
    function: Callable[..., Any], result_type: DataType, count: int, gives_rows: bool
) -> tuple[types.FunctionType, JavaResult | GivenRows]:
    plain = _checked_code(_taken_apart(function)[0], count)
    result: JavaResult | GivenRows
    if gives_rows and isinstance(result_type, StructType):
        result = GivenRows(result_type, yields=inspect.isgeneratorfunction(plain))
    else:
        result = JavaResult(result_type)
    _check_graph(plain, gives_rows=gives_rows)
    return plain, result


def _taken_apart(function: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A callable as what it calls, and what it gives that before its arguments and by name."""
    if isinstance(function, partial):
        return function.func, function.args, function.keywords
    if isinstance(function, types.MethodType):
        return function.__func__, (function.__self__,), {}
    called = inspect.getattr_static(type(function), "__call__", None)
    if isinstance(called, types.FunctionType):
        return called, (function,), {}
    return function, (), {}


def _checked_code(function: Any, count: int) -> types.FunctionType:
    if not isinstance(function, types.FunctionType):
        raise NotCompiled("anything but a plain function")
    if not 1 <= count <= MOST_ARGUMENTS:
        raise NotCompiled(f"{count} arguments")
    return function


def _check_graph(function: types.FunctionType, *, gives_rows: bool) -> None:
    graph = _graph(function, gives_rows=gives_rows)
    if gives_rows:
        row_counts.check(graph)


def _class(
    made: _Class,
    function: types.FunctionType,
    given: Callable[[Sequence[Term]], Sequence[Value]],
    taken: Sequence[JavaParameter],
    result: JavaResult | GivenRows,
    misfit: str,
    label: str,
    *,
    names: tuple[str, ...] = (),
) -> JavaClass:
    """The class of a function; ``given`` makes its arguments of those that Spark gives, the last of
    which have names."""

    def called(fast: bool) -> str:
        """The call of the method that computes a row."""
        terms = [Term(each.kinds(made.lists, fast=fast), "") for each in taken]
        values = _bound(function, given(terms), names)
        name, _ = made.method(function, values, Integers(bounded=fast), result)
        return f"{name}({', '.join(each.entered(made.constants, fast=fast) for each in taken)})"

    fast, exact = called(True), called(False)
    if made.lists.handled_late:
        # What was written before raises what the handler may not tell apart.
        made = made.begun_again()
        fast, exact = called(True), called(False)
    if not result.fits:
        raise NotCompiled(misfit)
    return _assembled(made, len(taken), fast, exact, label)


def _assembled(made: _Class, count: int, fast: str, exact: str, label: str) -> JavaClass:
    names = [f"x{at}" for at in range(count)]
    row = array_of(names)
    parameters = ", ".join(f"Object {name}" for name in names)
    present = " && ".join(f"{name} != null" for name in names)
    fields = "\n".join(
        f"    private static final {held} {name} = {java};"
        for java, (held, name) in made.constants.made.items()
    )
    text = f"""{fields}

    public Object call({parameters}) {{
        if ({present}) {{
            try {{
                return {fast};
            }} catch (ArithmeticException again) {{
            }} catch (Raised again) {{
            }} catch (GaveUp again) {{
            }}
        }}
        try {{
            return {exact};
        }} catch (Raised raised) {{
            throw RowFailed.of(NAME, {row});
        }} catch (GaveUp unknown) {{
            throw RowFailed.of(NAME, {row});
        }}
    }}

""" + "\n\n".join(made.methods)
    if len(text) > _MOST_CHARACTERS:
        raise NotCompiled("so much code")
    name = f"F{hashlib.sha256((label + text).encode()).hexdigest()[:16]}"
    head = f"public final class {name} implements PyCall{count} {{"
    own = f'    private static final String NAME = "{name}";'
    constants = made.constants
    source = f"{head}\n{own}\n{text}\n}}\n"
    return JavaClass(
        name,
        source,
        frozenset(constants.files),
        frozenset(constants.libm),
        constants.has_zone,
    )
