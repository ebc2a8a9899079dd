"""A function's blocks as Java.

What kinds of values a variable has where ways meet is found by writing the body again until no
kinds are added; the last writing stands.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeAlias, TypeVar

from notebook_udf.compile.flow_graph import BasicBlock, Evaluation, FlowGraph, UnreadableCode
from notebook_udf.compile.java.bodies import (
    merging,
    name_scope,
    nested_functions,
    raise_statements,
    raised_texts,
)
from notebook_udf.compile.java.bodies.comparisons import is_none
from notebook_udf.compile.java.bodies.evaluations import OPERATIONS
from notebook_udf.compile.java.collections import containers
from notebook_udf.compile.java.columns.given_records import with_part
from notebook_udf.compile.java.iterating.generated_values import (
    Each,
    given_out,
    gone_through,
    listed,
)
from notebook_udf.compile.java.iterating.iterators import iterated
from notebook_udf.compile.java.numbers.arithmetic import truth
from notebook_udf.compile.java.objects import own_classes
from notebook_udf.compile.java.writing.assembly import (
    OUTSIDE,
    Assembly,
    Edge,
    Variables,
    WrittenBlock,
    assign,
)
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import raising
from notebook_udf.compile.java.writing.terms import (
    EXCEPTION,
    LEAVE,
    Generated,
    Iteration,
    KnownValue,
    Nested,
    NotCalled,
    NotCompiled,
    NotKnownYet,
    Parts,
    Term,
    Undetermined,
    Unset,
    Value,
)
from notebook_udf.compile.loops import goes_to_the_end, loops_of
from notebook_udf.compile.symbolic import read_code
from notebook_udf.compile.unset_names import read_unset

T = TypeVar("T")
Given: TypeAlias = tuple[Value, ...]
Names: TypeAlias = tuple[str, ...]

_MOST_WRITINGS = 12
_DEEPEST = 8
# The number among a block's phis of what was raised.
_RAISED = 1_000_000


def settled(
    scope: name_scope.NameScope,
    graph: FlowGraph,
    given: Mapping[str, Value],
    code: Code,
    label: str,
    shared: frozenset[str],
    each: Callable[[Value], list[str]] | None,
) -> BodyWriter:
    """What has written the body for the last time.

    Raises
    ------
    NotCompiled
        If something of it has no Java, whatever is not known yet.
    """
    ways: dict[int, dict[int, Edge]] = {}
    before, lists = code.statements, code.lists_made
    for _ in range(_MOST_WRITINGS):
        if not label:
            code.begin()
        code.lists_made = lists
        known = code.lists.additions
        writer = BodyWriter(scope, graph, given, code, label, shared, each, ways)
        writer.write()
        code.statements = before
        if not writer.changed and code.lists.additions == known:
            if writer.failed is not None and not isinstance(writer.failed, NotKnownYet):
                raise writer.failed
            return writer
        ways = writer.ways
    raise writer.failed or NotCompiled("variables whose kinds do not settle")


@dataclass
class BodyWriter:
    scope: name_scope.NameScope
    graph: FlowGraph
    given: Mapping[str, Value]
    code: Code
    # What labels and variables begin with.
    label: str
    # Variables that belong to the function around it.
    shared: frozenset[str]
    # Of a generator: what is done with each value that it gives.
    each: Callable[[Value], list[str]] | None
    # By block, and by the one before it, as they were found the last time.
    before: dict[int, dict[int, Edge]]
    ways: dict[int, dict[int, Edge]] = field(default_factory=dict)
    changed: bool = False
    # What has no Java by what is known until now.
    failed: NotCompiled | None = None
    _values: dict[int, Value] = field(default_factory=dict)
    # What each block begins with.
    _entries: dict[int, Edge] = field(default_factory=dict)
    _blocks: dict[int, WrittenBlock] = field(default_factory=dict)
    # Of copies of variables: which variable of Java's each is a copy of.
    _origins: dict[str, str] = field(default_factory=dict)
    _nested: int = 0
    # Whether what is being written may raise what a handler of this body takes.
    _guarded: bool = False

    def write(self) -> None:
        if any(isinstance(each, Undetermined) for each in self.given.values()):
            raise NotCompiled("what is not known yet")
        for key in self.graph.blocks:
            if key == self.graph.entry:
                unset = dict.fromkeys(read_unset(self.graph, frozenset(self.given)), Unset())
                self.ways[key] = {OUTSIDE: Edge({**unset, **self.given}, {})}
            # The ways back to it are those that the last writing found.
            behind = {k: v for k, v in self.before.get(key, {}).items() if k not in self._blocks}
            arriving = merging.arriving(behind, self.ways.get(key, {}))
            if arriving:
                self._entries[key] = self._entered(key, arriving)
                self._block(key)
        for key in self._entries:
            found = merging.kinds_of(self._entered(key, self.ways[key]))
            if found != merging.kinds_of(self._entries[key]):
                self.changed = True

    def _entered(self, key: int, ways: Mapping[int, Edge]) -> Edge:
        loop = key in loops_of(self.graph)
        try:
            return merging.entered(self.code, self.label, key, list(ways.values()), loop=loop)
        except NotCompiled as why:
            why.line = why.line or self.graph.blocks[key].line
            raise

    def _block(self, key: int) -> None:
        block = self.graph.blocks[key]
        written = self._blocks[key] = WrittenBlock([])
        handler = self.graph.handlers.get(key)
        if handler is not None:
            written.handler = handler, self.code.variable("Raised")
            self._raise_to(key, handler, block, written.handler[1])
        self._guarded = handler is not None
        self.code.statements = written.statements
        entry = self._entries[key]
        variables = dict(entry.variables)
        if block.end.kind == "raise":
            self._raise(key, block, variables, guarded=handler is not None)
            return
        line = self._evaluate_all(key, block, variables)
        ended = self._attempted(partial(self._end, key, block, variables, written), line)
        if isinstance(ended, Undetermined):
            written.targets = block.end.targets
            for target in block.end.targets:
                self._go(key, target, variables)

    def _attempted(self, write: Callable[[], T], line: int | None) -> T | Undetermined:
        """What something gives; where it has no Java by what is known until now, nothing is known.

        What is put into lists further on may give it some.
        """
        try:
            return write()
        except NotCompiled as why:
            why.line = why.line or line
            self.failed = self.failed or why
            return Undetermined()

    def _raise_to(self, key: int, handler: int, block: BasicBlock, variable: str) -> None:
        """The way on which something of a block raises: without what it sets itself."""
        stored = raise_statements.stored_before_raising(block)
        stored |= name_scope.saved_names(self.graph)
        known = {n: v for n, v in self._entries[key].variables.items() if n not in stored}
        raised = Term(EXCEPTION, variable)
        self.ways.setdefault(handler, {})[key] = Edge(known, {_RAISED: raised})

    def _evaluate_all(
        self, key: int, block: BasicBlock, variables: Variables, but: Evaluation | None = None
    ) -> int | None:
        """Evaluates what a block does, ``but`` one of it; the line that it comes to."""
        line = None
        for number, each in enumerate(block.evaluations):
            line = each.line or line
            if each is but:
                continue
            if each.kind in ("phi", "exception"):
                phis = self._entries[key].phis
                found = phis[_RAISED if each.kind == "exception" else number]
            else:
                found = self._attempted(partial(self._evaluated, variables, each), line)
            self._values[id(each)] = found
        return line

    def _raise(self, key: int, block: BasicBlock, variables: Variables, *, guarded: bool) -> None:
        """The statements of a block that raises."""
        raised = raise_statements.raised_by(block, self.scope.named)
        if not guarded and not self.code.lists.handled:
            # Whatever is evaluated before can only raise as well.
            is_certain = raise_statements.raises_nothing_else(block, raised)
            self.code.say(raising(raised.exception if is_certain else None))
            return
        failed = self.failed

        def write() -> str | Undetermined:
            line = self._evaluate_all(key, block, variables, raised.call)
            return self._attempted(
                lambda: raise_statements.thrown(self.code, raised, self._known), line
            )

        statements, thrown = self.code.captured(write)
        if self.failed is failed and not isinstance(thrown, Undetermined):
            self.code.say_all([*statements, f"throw {thrown};"])
        elif not guarded and not isinstance(self.failed, NotKnownYet):
            # It may be another exception that is raised: one of no known type.
            self.failed = failed
            self.code.say(raising(None))

    def _end(
        self, key: int, block: BasicBlock, variables: Variables, written: WrittenBlock
    ) -> None:
        end = block.end
        if end.kind == "return":
            value = self._known(end.values[0])
            if self.each is not None and not self.label:
                value = gone_through(self, self.code, value)
            written.returned = merging.as_returned(self.code, value)
            return
        if end.kind == "jump":
            written.targets = end.targets
            self._go(key, end.targets[0], variables)
            return
        tested = self._known(end.values[0]) if end.kind == "branch" else None
        if tested is None:
            over = self._known(end.values[0].operands[0])
            assert isinstance(over, Iteration)
            self.code.statements += over.before
            found: str | bool = over.more
            written.steps = over.steps
        elif end.test == "true":
            found = truth(self.code, tested)
        else:
            found = is_none(self.code, tested)
        if isinstance(found, bool):
            written.targets = (end.targets[0 if found else 1],)
            self._go(key, written.targets[0], variables)
            return
        holds, fails = end.targets
        if holds == fails:
            # What is tested makes no difference.
            if tested is None:
                raise NotCompiled("a loop that does nothing")
            written.targets = (holds,)
            self._go(key, holds, variables)
            return
        written.test, written.targets = found, end.targets
        present = merging.without_none(self.code, variables, self._origins, tested)
        self._go(key, holds, present if end.test == "true" else variables)
        self._go(key, fails, present if end.test == "none" else variables)

    def _go(self, key: int, target: int, variables: Variables) -> None:
        phis = {}
        for number, each in enumerate(self.graph.blocks[target].evaluations):
            if each.kind == "phi":
                phis[number] = self._of(each.operands[each.detail.index(key)])
        self.ways.setdefault(target, {})[key] = Edge(variables, phis)

    def _known(self, evaluation: Evaluation) -> Value:
        found = self._of(evaluation)
        if isinstance(found, Undetermined):
            raise NotKnownYet("what is not known yet")
        return found

    def _of(self, evaluation: Evaluation) -> Value:
        if evaluation.kind == "constant":
            return KnownValue(evaluation.detail)
        if evaluation.kind == "part":
            whole = self._of(evaluation.operands[0])
            if isinstance(whole, Undetermined):
                return whole
            assert isinstance(whole, Parts)
            part: int = evaluation.detail
            return whole.parts[part]
        found = self._values.get(id(evaluation))
        if found is None:
            raise NotCompiled(f"{evaluation.kind} here", evaluation.line)
        return found

    def _evaluated(self, variables: Variables, each: Evaluation) -> Value:
        kind, name = each.kind, each.detail
        if kind == "local" and name not in variables and name in name_scope.cells(self.graph):
            # Of a cell that is handed on; what is in it is asked for where it is used.
            return Unset()
        if kind == "local" or (kind == "cell" and name in variables):
            return self._read(variables, name)
        operands = [self._of(operand) for operand in each.operands]
        name_scope.check_stored(kind, name, operands, self.shared)
        if kind == "save_local":
            # A copy: a comprehension may set what Java holds it in.
            saved = self._read(variables, name) if name in variables else Unset()
            variables.pop(name, None)
            return saved
        if kind in ("store_local", "store_cell", "delete_local"):
            return merging.set_local(variables, name, *operands)
        if any(isinstance(operand, Undetermined) for operand in operands):
            return Undetermined()
        if kind == "iterator":
            if isinstance(operands[0], Generated) and not goes_to_the_end(self.graph, each):
                raise NotCompiled("a generator in a loop that may end before it does")
            # Of a generator, which does nothing besides, a list.
            return iterated(self.code, listed(self, self.code, operands[0]))
        if kind in ("global", "builtin", "cell"):
            return KnownValue(self.scope.named(kind, name))
        if kind == "function":
            return self._function(variables, operands, name)
        if kind in ("yield", "yield_from"):
            return self.give(operands[0], whole=kind == "yield")
        if kind == "store_attribute" and each.operands[1].is_local(self.scope.record):
            variables[self.scope.record] = with_part(self.code, operands[1], name, operands[0])
            return KnownValue(None)
        if id(each) in self._changed_later:
            return containers.displayed(self.code, each, tuple(operands))
        evaluate = OPERATIONS.get(kind)
        if evaluate is None:
            raise NotCompiled(f"{kind.replace('_', ' ')} here")
        found = self._with_text(each, operands, partial(evaluate, self, self.code, operands, name))
        if kind == "call" and name_scope.may_change(found, self.graph, self.scope):
            return self.code.record(found)
        return found

    def _with_text(
        self, each: Evaluation, given: Sequence[Value], write: Callable[[], Value]
    ) -> Value:
        """What an operation gives; what it raises has a text where one may be asked for."""
        if not self.code.lists.tells or not (self.label or self.scope.is_called or self._guarded):
            return write()
        return raised_texts.with_text(self.code, each, given, write)

    @cached_property
    def _changed_later(self) -> frozenset[int]:
        return containers.changed_later(self.graph, in_place=self.code.lists.changed_in_place)

    def _read(self, variables: Variables, name: str) -> Value:
        return merging.read_local(self.code, variables, self._origins, name)

    def _function(
        self, variables: Variables, operands: Sequence[Value], given: int | None
    ) -> Value:
        def value_of(name: str) -> Value:
            if name not in variables:
                return KnownValue(self.scope.named("cell", name))
            return self._read(variables, name)

        around, parameters = self.scope.function, tuple(self.given)
        made = nested_functions.made_here(around, self.graph, parameters, operands[-1], value_of)
        return nested_functions.with_defaults(self.code, made, operands, given)

    def function(self, function: types.FunctionType, given: Given, names: Names) -> Value:
        """See ``evaluations.FunctionCalls``."""
        self.code.lists.note_called()
        try:
            made = self.scope.call(function, given, names)
            if isinstance(made, Undetermined):
                return made
            return self.code.set(made.kinds, made.java)
        except NotCalled:
            return self._called_here(function, *self.scope.opened(function, given, names))

    def _called_here(
        self,
        function: types.FunctionType,
        graph: FlowGraph,
        variables: Mapping[str, Value],
        record: str = "",
    ) -> Value:
        scope = replace(self.scope, function=function, record=record)
        shared = frozenset(function.__code__.co_freevars)
        return self._written_here(scope, graph, variables, shared, None)

    def begun(
        self, function: types.FunctionType, whole: Parts, given: Given, names: Names
    ) -> Value:
        """See ``evaluations.FunctionCalls``."""
        own = function.__code__.co_varnames[0]
        graph, variables = self.scope.opened(function, (whole, *given), names)
        return self._called_here(function, own_classes.giving(graph, own), variables, own)

    def give(self, value: Value, *, whole: bool = True) -> Value:
        """See ``evaluations.FunctionCalls``."""
        if self.each is None:
            raise NotCompiled("yield here")
        return given_out(self, self.code, value, self.each, whole=whole)

    def nested(self, nested: Nested, given: Given, each: Each | None = None) -> Value:
        """See ``evaluations.FunctionCalls``."""
        inner = nested.code
        graph = read_code(inner, handlers=True)
        if isinstance(graph, UnreadableCode):
            raise NotCompiled(graph.reason, graph.line)
        code = self.code
        code.lists.note_handlers(graph, None if each is None else inner)
        variables = {**nested.shared, **dict(zip(inner.co_varnames, given, strict=False))}
        shared = frozenset(inner.co_freevars)
        own: Any = self.scope.function if nested.function is None else nested.function
        scope = replace(self.scope, function=own, record="")
        return self._written_here(scope, graph, variables, shared, each)

    def _written_here(
        self,
        scope: name_scope.NameScope,
        graph: FlowGraph,
        variables: Mapping[str, Value],
        shared: frozenset[str],
        each: Each | None,
    ) -> Value:
        code = self.code
        self._nested += 1
        label = f"{self.label}N{self._nested}"
        if label.count("N") > _DEEPEST:
            raise NotCompiled("functions within so many others")
        last = settled(scope, graph, variables, code, label, shared, each)
        if last.failed is not None:
            raise last.failed
        end = f"{label}R"
        if each is not None:
            lines = last.assembled(lambda value: [f"break {end};"])
            lines = [line.replace(LEAVE, f"break {end};") for line in lines]
            result: Value = KnownValue(None)
        else:
            result = last.returned_value()

            def returns(value: Value) -> list[str]:
                statements: list[str] = []
                assign(code, statements, result, value)
                return [*statements, f"break {end};"]

            lines = last.assembled(returns)
        code.statements += [f"{end}: {{", *lines, "}"]
        return result

    def returned_value(self) -> Value:
        """One that holds whatever is returned, in variables of its own."""
        values = [each.returned for each in self._blocks.values() if each.returned is not None]
        return merging.together(self.code, f"r{self.label}", values)

    def assembled(self, returns: Callable[[Value], list[str]]) -> list[str]:
        """The statements of all blocks."""
        blocks, entries, ways = self._blocks, self._entries, self.ways
        return Assembly(self.graph, self.code, self.label, blocks, entries, ways, returns).lines()
