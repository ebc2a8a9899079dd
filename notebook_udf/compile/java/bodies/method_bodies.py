"""The body of a method: statements, and what kinds of values it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from notebook_udf.compile.flow_graph import FlowGraph
from notebook_udf.compile.java.bodies.body import settled
from notebook_udf.compile.java.bodies.name_scope import NameScope
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import Kinds, NotCalled, Term, Value
from notebook_udf.compile.java.writing.text_steps import together


@dataclass
class Body:
    """A function's body, for arguments of some kinds.

    Attributes
    ----------
    statements
        Of the whole body.
    returned
        The kinds of what it returns.
    """

    statements: list[str]
    returned: Kinds


def write(
    scope: NameScope,
    graph: FlowGraph,
    given: Mapping[str, Value],
    code: Code,
    returned: Callable[[Code, Value], list[str]] | None = None,
    gives: Callable[[Code, Value], list[str]] | None = None,
    told: Callable[[Kinds], None] | None = None,
) -> Body:
    """Writes the body of a function.

    Parameters
    ----------
    returned
        The statements that return a value from the function that Spark calls.
    gives
        Of a table function: what is done with a row that it yields.
    told
        Of one that may call itself: is told of what kinds a result is before it is written.

    Raises
    ------
    NotCalled
        If it has to be written where it is called.
    NotCompiled
        If something of it has no Java.
    """
    shared = frozenset(scope.function.__code__.co_freevars)
    each = None if gives is None else partial(gives, code)
    last = settled(scope, graph, given, code, "", shared, each)
    whole = None if returned is not None else last.returned_value()
    if told is not None and isinstance(whole, Term):
        told(whole.kinds)
    if last.failed is not None:
        raise last.failed
    if returned is not None:
        lines = together(code.steps, last.assembled(lambda value: returned(code, value)))
        return Body([*code.declared(), *lines], frozenset("?"))
    if not isinstance(whole, Term):
        raise NotCalled("a tuple as a result")

    def returns(value: Value) -> list[str]:
        return [f"return {code.integers.converted(code.term(value), whole.kinds)};"]

    lines = together(code.steps, last.assembled(returns))
    return Body([*code.declared(), *lines], whole.kinds)
