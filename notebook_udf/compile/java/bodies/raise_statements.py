"""``raise``, and what is known where something of a block raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from notebook_udf.compile.flow_graph import BasicBlock, Evaluation
from notebook_udf.compile.java.texts.text_methods import formatted, represented
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import is_raisable
from notebook_udf.compile.java.writing.terms import EXCEPTION, NotCompiled, Value, quoted

# Evaluations that raise nothing.
_NEVER_RAISING = frozenset(
    {"global", "builtin", "local", "string", "format", "convert", "store_local", "delete_local"}
)


class RaiseStatement(NamedTuple):
    """What a block raises at its end.

    Attributes
    ----------
    again
        What a handler has taken, if it raises that again.
    exception
        The class of exceptions; None if it is none that is known.
    call
        What makes it, if it has arguments.
    """

    again: Evaluation | None
    exception: type[Exception] | None
    call: Evaluation | None

    @property
    def operands(self) -> tuple[Evaluation, ...]:
        """What is raised again, or what the exception is made of."""
        if self.again is not None:
            return (self.again,)
        return () if self.call is None else self.call.operands[1:]


def raised_by(block: BasicBlock, named: Callable[[str, str], Any]) -> RaiseStatement:
    """What a block raises; ``named`` gives what a global or a builtin is."""
    exception = block.end.values[0] if block.end.values else None
    if exception is None or exception.kind in ("exception", "local"):
        return RaiseStatement(exception, None, None)
    call = exception if exception.kind == "call" else None
    if call is not None:
        exception = call.operands[0]
    found = None
    if exception.kind in ("global", "builtin", "cell"):
        found = named(exception.kind, exception.detail)
    return RaiseStatement(None, found if is_raisable(found) else None, call)


def raises_nothing_else(block: BasicBlock, raised: RaiseStatement) -> bool:
    """Whether what is evaluated for a raise cannot raise something before that."""
    kinds = {each.kind for each in block.evaluations if each is not raised.call}
    return kinds <= _NEVER_RAISING


def stored_before_raising(block: BasicBlock) -> set[str]:
    """The variables that a block may have set, or not, where something of it raises."""
    # What is set after all that may raise is not set where something did.
    last = max(
        (n for n, each in enumerate(block.evaluations) if each.kind not in _NEVER_RAISING),
        default=-1,
    )
    return {e.detail for e in block.evaluations[:last] if e.kind.startswith("store_")}


def thrown(code: Code, raised: RaiseStatement, value_of: Callable[[Evaluation], Value]) -> str:
    """What is thrown where something is raised, as an expression."""
    values = [value_of(each) for each in raised.operands]
    if raised.again is not None:
        again = code.term(values[0])
        if again.kinds != EXCEPTION:
            raise NotCompiled("raise of what is no exception")
        return again.java
    if raised.exception is None:
        raise NotCompiled("raise within try")
    made = code.raised(raised.exception)
    if not code.lists.tells:
        return made
    if len(values) > 1:
        raise NotCompiled("the text of an exception of several values")
    if not values:
        return f'{made}.saying("")'
    is_key = issubclass(raised.exception, KeyError)
    text = represented(code, values[0]) if is_key else formatted(code, values[0], "")
    return f"{made}.saying({code.term(text).java})"


def without_value(code: Code, name: str) -> str:
    """What is thrown where a local variable without a value is read, as an expression."""
    made = code.raised(UnboundLocalError)
    if not code.lists.tells:
        return made
    # Word for word the same in each version that is read.
    said = f"cannot access local variable '{name}' where it is not associated with a value"
    return f"{made}.saying({quoted(said)})"
