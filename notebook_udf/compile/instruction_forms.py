"""Instructions in the form that the reader knows, where versions of Python write other ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from notebook_udf.compile.opcodes import Instruction, Opcode

# What hands on the values of an iterator, one by one.
_HANDING_ON = ["LOAD_CONST", "SEND", "YIELD_VALUE", "RESUME", "JUMP_BACKWARD_NO_INTERRUPT"]


def in_one_form(
    instructions: Sequence[Instruction], known: Mapping[str, Opcode]
) -> list[Instruction]:
    """The instructions, with ``yield from`` as one, and ``bool`` of a value as ``not not``."""
    return _with_truths(_delegating(instructions), known)


def _delegating(instructions: Sequence[Instruction]) -> list[Instruction]:
    """``yield from`` as one, in the place of the loop that it is made of."""
    made = list(instructions)
    for place, each in enumerate(made):
        first = place + 1
        last = first + len(_HANDING_ON)
        named = [one.opname for one in made[first:last]]
        if each.opname != "GET_YIELD_FROM_ITER" or named != _HANDING_ON:
            continue
        last += [one.opname for one in made[last : last + 1]] == ["END_SEND"]
        made[first:last] = [one._replace(opname="NOP") for one in made[first:last]]
    return made


def _with_truths(
    instructions: Sequence[Instruction], known: Mapping[str, Opcode]
) -> list[Instruction]:
    """``TO_BOOL`` before anything but what asks for the truth anyhow, as what it was made of.

    From Python 3.13 on ``not not x`` is that alone: left out, it would be ``x``.
    """
    made: list[Instruction] = []
    asked = False
    for each in reversed(instructions):
        opcode = known.get(each.opname)
        if each.opname == "TO_BOOL" and not asked:
            made += [each._replace(opname="UNARY_NOT")] * 2
        else:
            made.append(each)
        if opcode is None or opcode.kind != "SILENT":
            asked = opcode is not None and (opcode.kind == "BRANCH" or opcode.detail == "not")
    return made[::-1]
