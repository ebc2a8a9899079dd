"""Which handler an exception in an instruction leads to."""

from __future__ import annotations

import dis
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import NamedTuple, TypeAlias

from notebook_udf.compile.flow_graph import Evaluation, FlowGraph
from notebook_udf.compile.opcodes import Instruction, Opcode

Code: TypeAlias = Sequence[tuple[Instruction, Opcode]]

# What ends a handler: its exception is forgotten, and the variable of that.
_CLEANING = frozenset(
    ["COPY", "POP_EXCEPT", "LOAD_CONST", "STORE_FAST", "DELETE_FAST", "PUSH_EXC_INFO"]
)
# What a comprehension ends with: its variable is as it was before.
_RESTORING = frozenset(["SWAP", "POP_TOP", "STORE_FAST"])
# What the first of decides how a handler goes on.
_DECIDING = ("JUMP", "BRANCH", "NEXT", "RETURN", "RAISE", "EXCEPTION_MATCH", "UNREAD", "RERAISE")


class ExceptionGuard(NamedTuple):
    """Instructions from one offset up to another, and the offset where an exception in them leads;
    ``depth`` is how many values of the stack are kept then, ``last`` whether one more is put on it.
    """

    start: int
    end: int
    target: int
    depth: int
    last: bool


class UndecidedHandler(Exception):
    """A handler that does something before it raises again what another one takes."""

    def __init__(self, instruction: Instruction) -> None:
        self.reason = "finally within try"
        self.instruction = instruction


def guards_of(code: CodeType) -> Iterator[ExceptionGuard]:
    """The guards of a code object of this Python."""
    for each in dis._parse_exception_table(code):  # type: ignore[attr-defined]
        yield ExceptionGuard(each.start, each.end, each.target, each.depth, each.lasti)


def takes_exceptions(code: CodeType) -> bool:
    """Whether a code object of this Python has a handler of the user's, or a ``finally``."""
    begun = {each.target for each in guards_of(code)}
    # What Python adds of its own begins otherwise.
    return any(
        each.opname == "PUSH_EXC_INFO"
        for each in dis.get_instructions(code)
        if each.offset in begun
    )


def asks_for_texts(graph: FlowGraph) -> bool:
    """Whether a function does more with an exception that it takes than to raise it again, or to
    ask for its type."""
    every = [each for block in graph.blocks.values() for each in block.evaluations]
    names = {
        each.detail
        for each in every
        if each.kind in ("store_local", "store_cell") and each.operands[0].kind == "exception"
    }
    used = (operand for each in every if not _is_type(each) for operand in each.operands)
    return any(each.kind in ("local", "cell") and each.detail in names for each in used)


def _is_type(call: Evaluation) -> bool:
    """Whether it is ``type(value)``."""
    if call.kind != "call" or len(call.operands) != 2:
        return False
    function = call.operands[0]
    return function.kind in ("global", "builtin") and function.detail == "type"


def acting_guards(code: Code, guards: Sequence[ExceptionGuard]) -> dict[int, ExceptionGuard]:
    """By place in the code: the guard in force there, if its handler may do more than raise again.

    Raises
    ------
    UndecidedHandler
        If a ``finally`` stands within a ``try``.
    """
    found: dict[int, ExceptionGuard] = {}
    for guard in guards:
        acting = _acting(code, guard, guards)
        if acting is not None:
            for place, (each, _) in enumerate(code):
                if guard.start <= each.offset < guard.end:
                    found[place] = acting
    return found


def _acting(
    code: Code, guard: ExceptionGuard, guards: Sequence[ExceptionGuard]
) -> ExceptionGuard | None:
    """The guard whose handler decides: that of one which only raises again is the next one."""
    effect: Instruction | None = None
    while True:
        handler = [each for each in code if each[0].offset >= guard.target]
        opcodes = (opcode for _, opcode in handler)
        end = next((n for n, opcode in enumerate(opcodes) if opcode.kind in _DECIDING), None)
        if end is None or handler[end][1].kind != "RERAISE":
            if effect is not None:
                raise UndecidedHandler(effect)
            return guard
        last = handler[end][0]
        names = {each.opname for each, _ in handler[:end]}
        if not (names <= _CLEANING or names <= _RESTORING):
            effect = last
        around = [each for each in guards if each.start <= last.offset < each.end]
        if not around:
            return None
        guard = around[0]
