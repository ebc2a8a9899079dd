"""What a function does, as a graph: blocks of evaluations, joined by branches.

A graph has no stack and no version of Python: ``compile.symbolic`` makes the same one of what each
version compiles a function to. Evaluations stand in the order in which Python makes them, errors
and effects included; nothing is simplified away.

==================  ==================================  ==========================================
kind                operands, in order of evaluation    detail
==================  ==================================  ==========================================
constant                                                the value; not among a block's evaluations
local, global, cell                                     the variable's name
builtin                                                 name of a builtin, whatever it is bound to
attribute           owner                               name
item                container, index
slice               start, stop, or start, stop, step
binary              left, right                         ``+``, or ``+=`` where it may be in place
unary               operand                             ``-``, ``+``, ``~``, ``not``
compare             left, right                         ``<``, ``is not``, ``in`` and so on
call                function, arguments                 names of the last arguments
call_unpacked       function, arguments, keywords
tuple, list, set    items
map                 key, value, key, value
string              parts
format, convert     value, or value and format          ``str``, ``repr`` or ``ascii``
store_local, ...    value                               the variable's name
store_attribute     value, owner                        name
store_item          value, container, index
delete_...          as above, without the value         name
iterator            what is iterated over
next                an iterator                         its next, for the way on which it has one
unpack              a sequence                          how many parts it is to have; how many
                                                        before and behind a list of the rest
part                an ``unpack``                       which part of it; not among evaluations
phi                 a value for each block before       those blocks' keys
exception                                               of a handler: what was raised
exception_match     an exception, a class of them
==================  ==================================  ==========================================

Other kinds are named in ``compile.opcodes``; their operands are what their opcode pops. Where a
function makes another, 3.13 and later hand it a variable's cell as a ``local`` of that name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple


# Not frozen, which would make each cost four times as much; nobody changes one.
@dataclass(eq=False, slots=True)
class Evaluation:
    """One evaluation, which is also its value to those that have it as an operand."""

    kind: str
    operands: tuple[Evaluation, ...] = ()
    detail: Any = None
    line: int | None = None

    def is_local(self, name: str) -> bool:
        """Whether it reads a local variable of this name."""
        return self.kind == "local" and self.detail == name

    def is_attribute(self, name: str, owner: str) -> bool:
        """Whether it reads this attribute of a local variable of that name."""
        named = self.kind == "attribute" and self.detail == name
        return named and self.operands[0].is_local(owner)

    def is_constant(self, value: Any) -> bool:
        """Whether it is this constant, and of its type."""
        own = self.detail
        return self.kind == "constant" and type(own) is type(value) and bool(own == value)


class Terminator(NamedTuple):
    """How a block ends.

    Attributes
    ----------
    kind
        ``return`` of a value; ``raise`` of up to two; ``jump``; ``branch`` on a value; ``next``:
        on whether an iterator has one more.
    values
        What it is about.
    targets
        Keys of blocks to go on with: of a branch, where its test holds and where it does not; of
        ``next``, with one more and at the end.
    test
        Of a branch: whether its value is true, or is None.
    """

    kind: Literal["return", "raise", "jump", "branch", "next"]
    values: tuple[Evaluation, ...] = ()
    targets: tuple[int, ...] = ()
    test: Literal["", "true", "none"] = ""


class BasicBlock(NamedTuple):
    """Evaluations that are made one after the other, and how it goes on."""

    evaluations: tuple[Evaluation, ...]
    end: Terminator

    @property
    def line(self) -> int | None:
        """The first line that is known of it."""
        return next((each.line for each in self.evaluations if each.line), None)


@dataclass(frozen=True, eq=False)
class FlowGraph:
    """A function as blocks.

    Attributes
    ----------
    blocks
        By key: each after all from which it is reached, those that close a loop aside. The first
        is where the function begins.
    guarded
        Whether some of it stands inside ``try`` or ``with``; what these do after an error is not
        in the graph, unless it was asked for.
    handlers
        By the key of a block: that of the one where it goes on when something of it raises. That
        one begins with an ``exception``, and tests it by ``exception_match``.
    """

    blocks: dict[int, BasicBlock]
    guarded: bool
    handlers: Mapping[int, int] = field(default_factory=dict)

    @property
    def entry(self) -> int:
        """The key of the first block."""
        return next(iter(self.blocks))


@dataclass(frozen=True)
class UnreadableCode:
    """Why there is no graph of a function.

    Attributes
    ----------
    reason
        In words.
    opcode
        Where reading stopped.
    line
        That opcode's line in the source.
    """

    reason: str
    opcode: str
    line: int | None
