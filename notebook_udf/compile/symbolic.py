"""One reader of bytecode: the instructions of a function, followed with symbols for values.

It makes a ``FlowGraph`` of what Python 3.11 to 3.14 compile a function to, with the same meaning
for each: what an opcode does stands in ``compile.opcodes``. Nothing is run, and nothing is decided
about what a function is good for: that is for those who read the graph. Only the ways that code
takes without an exception are followed.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from notebook_udf.compile.displays import displayed_constants
from notebook_udf.compile.exception_guards import (
    ExceptionGuard,
    UndecidedHandler,
    acting_guards,
    guards_of,
    takes_exceptions,
)
from notebook_udf.compile.flow_graph import (
    BasicBlock,
    Evaluation,
    FlowGraph,
    Terminator,
    UnreadableCode,
)
from notebook_udf.compile.guarded_stores import apart
from notebook_udf.compile.instruction_forms import in_one_form
from notebook_udf.compile.opcodes import (
    ARGUMENT,
    CONVERSIONS,
    COUNTS,
    UNARY_POSITIVE,
    Instruction,
    Opcode,
    opcodes,
)


@lru_cache(maxsize=256)
def read_code(code: CodeType, handlers: bool = False) -> FlowGraph | UnreadableCode:
    """The graph of a code object of this Python; equal ones, as tasks unpickle them, share it.

    ``handlers`` asks for what is done with exceptions as well.
    """
    # From Python 3.12 on a comprehension has a handler that only restores its variable.
    guarded = bool(code.co_exceptiontable) and takes_exceptions(code)
    guards = list(guards_of(code)) if handlers else []
    graph = read(list(instructions_of(code)), sys.version_info.minor, guarded, guards)
    return apart(graph) if isinstance(graph, FlowGraph) else graph


def instructions_of(code: CodeType) -> Iterator[Instruction]:
    """The instructions of a code object of this Python."""
    for each in dis.get_instructions(code):
        value, line = each.argval, each.positions and each.positions.lineno
        if each.opname == "KW_NAMES":
            # 3.11 does not tell of them.
            value = code.co_consts[each.arg or 0]
        yield Instruction(each.opname, each.arg, value, each.offset, line)


def read(
    instructions: Sequence[Instruction],
    minor: int,
    guarded: bool = False,
    guards: Sequence[ExceptionGuard] = (),
) -> FlowGraph | UnreadableCode:
    """The graph of instructions of Python 3.``minor``.

    Parameters
    ----------
    instructions
        All of a code object, those that do nothing included: jumps may lead to them.
    minor
        Which Python they are for.
    guarded
        Whether the code object has a handler, or a ``finally``.
    guards
        The lines of that table, if handlers are to be read as well.
    """
    try:
        reader = _Reader(instructions, opcodes(minor), guards)
        return FlowGraph(reader.blocks(), guarded, reader.handlers())
    except _Unread as error:
        at = error.instruction
        return UnreadableCode(error.reason, at.opname if at else "", at.line if at else None)


class _Unread(Exception):
    def __init__(self, reason: str, instruction: Instruction | None = None) -> None:
        self.reason = reason
        self.instruction = instruction


# Stands on the stack beside what is called.
_NULL = Evaluation("null")
_UNKNOWN = Opcode("", "UNREAD")
_ENDS = ("RETURN", "RAISE", "RERAISE", "UNREAD")
_Stack = list[Evaluation]


class _Reader:
    """Splits instructions into blocks, and follows each with the stack that leads to it."""

    def __init__(
        self,
        instructions: Sequence[Instruction],
        known: dict[str, Opcode],
        guards: Sequence[ExceptionGuard],
    ) -> None:
        self._code: list[tuple[Instruction, Opcode]] = []
        self._places: dict[int, int] = {}
        for instruction in in_one_form(instructions, known):
            self._places.setdefault(instruction.offset, len(self._code))
            opcode = known.get(instruction.opname, _UNKNOWN)
            if opcode.kind != "SILENT":
                self._code.append((instruction, opcode))
        self._leaders = {
            place
            for number, each in enumerate(self._code)
            if each[1].kind in ("JUMP", "BRANCH", "NEXT")
            for place in (self._target(each[0]), number + 1)
        }
        # By place: the guard in force there, if its handler does anything.
        try:
            self._guards = acting_guards(self._code, guards)
        except UndecidedHandler as error:
            raise _Unread(error.reason, error.instruction) from None
        self._handlers = {self._places[guard.target]: guard for guard in self._guards.values()}
        self._leaders |= self._handlers.keys() | {
            place
            for place in range(len(self._code))
            if self._guards.get(place) is not self._guards.get(place - 1)
        }
        self._ends: dict[int, int] = {}
        # Of blocks that were followed: what is evaluated, how each ends, and under which key.
        self._evaluations: dict[int, list[Evaluation]] = {}
        self._terminators: dict[int, Terminator] = {}
        self._keys: dict[int, int] = {}
        # The stack at each block's start, and on its ways out.
        self._entered: dict[int, _Stack] = {}
        self._left: dict[int, dict[int, _Stack]] = {}

    def blocks(self) -> dict[int, BasicBlock]:
        """All blocks that are reached, by key."""
        order, before = self._reached()
        for start in order:
            self._begin(start, before[start])
            self._follow(start)
        places = {start: place for place, start in enumerate(order)}
        for start, left in self._left.items():
            for target, stack in left.items():
                if places[target] <= places[start] and stack != self._entered[target]:
                    raise _Unread("a loop changes the stack", self._code[target][0])
        return {
            key: BasicBlock(tuple(found), self._terminators[key])
            for key, found in self._evaluations.items()
        }

    def handlers(self) -> dict[int, int]:
        """By the key of a block that was followed: the key of its handler."""
        return {
            key: self._keys[self._places[self._guards[start].target]]
            for start, key in self._keys.items()
            if start in self._guards
        }

    def _target(self, instruction: Instruction) -> int:
        place = self._places.get(instruction.argval)
        if place is None:
            raise _Unread("a jump leads nowhere", instruction)
        return place

    def _reached(self) -> tuple[list[int], dict[int, list[int]]]:
        """Starts of blocks, each after what leads to it, and which lead to each."""
        before: dict[int, list[int]] = {0: []}
        order: list[int] = []
        waiting: list[tuple[int, Iterator[int]]] = [(0, iter(self._ways(0)))]
        while waiting:
            start, ways = waiting[-1]
            following = next(ways, None)
            if following is None:
                order.append(start)
                waiting.pop()
            elif following in before:
                before[following].append(start)
            else:
                before[following] = [start]
                waiting.append((following, iter(self._ways(following))))
        order.reverse()
        return order, before

    def _ways(self, start: int) -> tuple[int, ...]:
        """Where a block may go on, in no particular order; sets where it ends."""
        guard = self._guards.get(start)
        raising = () if guard is None else (self._places[guard.target],)
        return (*raising, *self._ways_on(start))

    def _ways_on(self, start: int) -> tuple[int, ...]:
        for place in range(start, len(self._code)):
            instruction, opcode = self._code[place]
            self._ends[start] = place + 1
            if opcode.kind == "JUMP":
                return (self._target(instruction),)
            if opcode.kind in ("BRANCH", "NEXT"):
                # The way that is met last comes first in the order.
                return self._target(instruction), place + 1
            if opcode.kind in _ENDS:
                return ()
            if place + 1 in self._leaders:
                return (place + 1,)
        raise _Unread("the code has no end")

    def _begin(self, start: int, before: list[int]) -> None:
        """Finds a block's key and the stack at its start."""
        guarding = self._handlers.get(start)
        if guarding is not None:
            self._begin_handler(start, before, guarding)
            return
        known = [each for each in before if each in self._left]
        if (
            known
            and len(before) == 1
            and self._guards.get(before[0]) is self._guards.get(start)
            and self._terminators[self._keys[before[0]]].kind == "jump"
        ):
            # It only goes on with another block.
            self._keys[start] = self._keys[before[0]]
            self._entered[start] = list(self._left[before[0]][start])
            return
        self._keys[start] = start
        found = self._evaluations[start] = []
        if not known:
            self._entered[start] = []
            return
        stacks = [self._left[each][start] for each in known]
        if len(set(map(len, stacks))) != 1:
            raise _Unread("the stack is of several heights", self._code[start][0])
        keys = tuple(self._keys[each] for each in known)
        entered = self._entered[start] = []
        for values in zip(*stacks, strict=True):
            if all(each is values[0] for each in values):
                entered.append(values[0])
            elif len(known) == len(before) and _NULL not in values:
                found.append(Evaluation("phi", values, keys))
                entered.append(found[-1])
            else:
                raise _Unread("a loop changes the stack", self._code[start][0])

    def _begin_handler(self, start: int, before: list[int], guard: ExceptionGuard) -> None:
        """Begins with what is left of the stack, and with the exception."""
        self._keys[start] = start
        raised = Evaluation("exception", (), None, self._code[start][0].line)
        self._evaluations[start] = [raised]
        entered = [self._entered[each][: guard.depth] for each in before if each in self._entered]
        if not entered or any(each != entered[0] for each in entered):
            raise _Unread("a handler of several stacks", self._code[start][0])
        self._entered[start] = [*entered[0], *[_NULL] * guard.last, raised]

    def _follow(self, start: int) -> None:
        key, behind = self._keys[start], self._ends[start]
        stack = list(self._entered[start])
        block = _Block(stack, self._evaluations[key])
        try:
            for instruction, opcode in self._code[start:behind]:
                end = block.follow(instruction, opcode)
            left: dict[int, _Stack] = {}
            if opcode.kind in ("BRANCH", "NEXT"):
                value, target = stack.pop(), self._target(instruction)
                how = _branch if opcode.kind == "BRANCH" else _next
                left, end = how(stack, value, opcode, behind, target)
            elif end is None:
                target = self._target(instruction) if opcode.kind == "JUMP" else behind
                left, end = {target: stack}, Terminator("jump", targets=(target,))
        except IndexError:
            raise _Unread("the stack holds less than is taken", instruction) from None
        self._left[start], self._terminators[key] = left, end


def _branch(
    stack: _Stack, value: Evaluation, opcode: Opcode, behind: int, target: int
) -> tuple[dict[int, _Stack], Terminator]:
    test, holds, keeps = opcode.detail
    targets = (target, behind) if holds else (behind, target)
    left = {behind: stack, target: [*stack, value] if keeps else stack}
    return left, Terminator("branch", (value,), targets, test)


def _next(
    stack: _Stack, value: Evaluation, opcode: Opcode, behind: int, target: int
) -> tuple[dict[int, _Stack], Terminator]:
    # From 3.12 on the iterator is dropped behind the loop.
    left = {target: [*stack, _NULL] if opcode.detail else stack[:-1], behind: [*stack, value]}
    return left, Terminator("next", (value,), (behind, target))


class _Block:
    """What is evaluated, and the stack behind it."""

    def __init__(self, stack: _Stack, evaluations: list[Evaluation]) -> None:
        self.stack = stack
        self._evaluations = evaluations
        self._keywords: tuple[str, ...] = ()

    def follow(self, instruction: Instruction, opcode: Opcode) -> Terminator | None:
        """Does one instruction; answers how the block ends if it leaves the function there."""
        stack, arg, value = self.stack, instruction.arg or 0, instruction.argval
        line = instruction.line
        if not opcode.kind.isupper():
            self._plain(instruction, opcode)
            return None
        match opcode.kind:
            case "DROP":
                self._popped(int(opcode.pops))
            case "NULL":
                stack.append(_NULL)
            case "COPY":
                stack.append(stack[-arg])
            case "SWAP":
                stack[-1], stack[-arg] = stack[-arg], stack[-1]
            case "CONSTANT":
                stack.append(self._constant(value, line))
            case "LOCALS":
                for kind, name in zip(opcode.detail, value, strict=True):
                    stored = () if kind == "local" else self._popped(1)
                    self._evaluated(kind, stored, name, line, pushes=not stored)
            case "CALLABLE_GLOBAL" | "CALLABLE_ATTRIBUTE" | "CALLABLE_SUPER_ATTRIBUTE" | "METHOD":
                called = opcode.kind == "METHOD" or arg & 1
                kind = opcode.kind.lower().removeprefix("callable_").replace("method", "attribute")
                # Below a global: what is called may be an attribute of it, a module's function.
                below = [_NULL] * bool(called)
                stack += below if kind == "global" else ()
                self._evaluated(kind, self._popped(int(opcode.pops)), value, line)
                stack += below if kind != "global" else ()
            case "KEYWORDS":
                self._keywords = value
            case "CALL":
                given = self._popped(arg)
                self._called("call", given, self._keywords, line)
                self._keywords = ()
            case "CALL_KEYWORDS":
                names = self._popped(1)[0].detail
                self._called("call", self._popped(arg), names, line)
            case "CALL_UNPACKED":
                more = bool(opcode.detail or arg & 1)
                given = tuple(each for each in self._popped(1 + more) if each is not _NULL)
                self._called("call_unpacked", given, None, line)
            case "ITEM_SLICE" | "STORE_SLICE":
                *before, start, stop = self._popped(3 if opcode.kind == "ITEM_SLICE" else 4)
                cut = self._evaluated("slice", (start, stop), None, line, pushes=False)
                kind = "item" if opcode.kind == "ITEM_SLICE" else "store_item"
                self._evaluated(kind, (*before, cut), None, line, pushes=kind == "item")
            case "FUNCTION":
                # Without flags it is made of its code alone, as from 3.13 on.
                self._evaluated("function", self._popped(COUNTS["flags"](arg)), arg or None, line)
            case "KEYED_MAP":
                keys = self._popped(1)[0].detail
                pairs = zip(keys, self._popped(arg), strict=True)
                items = [x for key, v in pairs for x in (self._constant(key, line), v)]
                self._evaluated("map", tuple(items), None, line)
            case "GROW":
                given = self._popped(int(opcode.pops))
                how = instruction.opname.lower()
                whole = stack[-arg]
                constants = displayed_constants(how, whole, given, self._evaluations)
                if constants:
                    # As a list or a dict of fewer constants is made.
                    stack[-arg] = self._evaluated(whole.kind, constants, None, line, pushes=False)
                else:
                    self._evaluated("grow", (whole, *given), how, line, pushes=False)
            case "FORMAT_VALUE":
                given = self._popped(2 if arg & 4 else 1)
                if arg & 3:
                    how = CONVERSIONS[arg & 3]
                    given = (self._evaluated("convert", given[:1], how, line, False), *given[1:])
                self._evaluated("format", given, None, line)
            case "UNPACK":
                around = (arg & 255, arg >> 8) if opcode.detail else None
                count = sum(around) + 1 if around else arg
                detail = around or arg
                whole = self._evaluated("unpack", self._popped(1), detail, line, pushes=False)
                parts = (Evaluation("part", (whole,), part, line) for part in range(count))
                stack += reversed(list(parts))
            case "JUMP" | "BRANCH":
                pass
            case "NEXT":
                self._evaluated("next", (stack[-1],), None, line)
            case "RETURN":
                constant = opcode.detail is ARGUMENT
                left = (self._constant(value, line),) if constant else self._popped(1)
                return Terminator("return", left)
            case "PUSH_EXCEPTION":
                stack.insert(-1, _NULL)
            case "EXCEPTION_MATCH":
                given = (stack[-2], self._popped(1)[0])
                self._evaluated("exception_match", given, None, line)
            case "RERAISE":
                return Terminator("raise", self._popped(1))
            case "RAISE":
                return Terminator("raise", self._popped(arg))
            case "UNREAD":
                raise _Unread("this opcode is not read", instruction)
        return None

    def _plain(self, instruction: Instruction, opcode: Opcode) -> None:
        """One evaluation of what the opcode pops, or looks at."""
        arg, pops, detail, kind = instruction.arg or 0, opcode.pops, opcode.detail, opcode.kind
        count = pops if isinstance(pops, int) else COUNTS[pops](arg)
        operands = self._popped(abs(count))
        self.stack += operands if count < 0 else ()
        if detail is ARGUMENT:
            detail = instruction.argval
        elif isinstance(detail, tuple):
            detail = detail[arg]
        if detail == "[]":
            kind, detail = "item", None
        elif kind == "intrinsic" and detail == UNARY_POSITIVE:
            kind, detail = "unary", "+"
        self._evaluated(kind, operands, detail, instruction.line, bool(opcode.pushes))

    def _popped(self, count: int) -> tuple[Evaluation, ...]:
        if not count:
            return ()
        if count > len(self.stack):
            raise IndexError
        at = len(self.stack) - count
        taken = tuple(self.stack[at:])
        del self.stack[at:]
        return taken

    def _evaluated(
        self,
        kind: str,
        operands: tuple[Evaluation, ...],
        detail: Any,
        line: int | None,
        pushes: bool = True,
    ) -> Evaluation:
        made = Evaluation(kind, operands, detail, line)
        self._evaluations.append(made)
        if pushes:
            self.stack.append(made)
        return made

    def _constant(self, value: Any, line: int | None) -> Evaluation:
        if isinstance(value, slice):
            # From 3.14 on a slice of constants is one.
            limits = (value.start, value.stop, *([] if value.step is None else [value.step]))
            parts = tuple(self._constant(each, line) for each in limits)
            return self._evaluated("slice", parts, None, line, pushes=False)
        return Evaluation("constant", (), value, line)

    def _called(self, kind: str, given: tuple[Evaluation, ...], names: Any, line: Any) -> None:
        """A call of what is below its arguments: it, and nothing or the first of them."""
        first, second = self._popped(2)
        if first is _NULL:
            first = second
        elif second is not _NULL:
            given = (second, *given)
        self._evaluated(kind, (first, *given), names, line)
