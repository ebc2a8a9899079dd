"""Tells by an exception's traceback for which row Spark called a function that raised.

Spark's loops over rows hold the arguments of the call that runs. They are looked at where the
exception left them, so that rows that do not raise cost nothing.
"""

from __future__ import annotations

import dis
import inspect
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from notebook_udf.code_origin import is_machinery, is_users

# What Spark's loops call the row: of Arrow rows, and of pickled ones.
_ROWS = ("a", "row")
_MOST_WITHIN = 6


@dataclass(frozen=True)
class FailingRow:
    """The call that raised.

    Attributes
    ----------
    arguments
        What the function was called with; None if that is not known.
    row
        The place of the row in its batch; -1 if that is not known.
    code
        The code of the function; None if that is not known.
    """

    arguments: Sequence[Any] | None
    row: int
    code: CodeType | None


def row_of(error: BaseException, codes: Sequence[CodeType | None]) -> FailingRow | None:
    """The call of one of some functions that raised; None if Spark called none for a row."""
    frames = list(_frames(error))
    first = next((at for at, f in enumerate(frames) if not _is_sparks(f)), len(frames))
    called = frames[first].f_code if first < len(frames) else None
    called = called if called in codes else None
    for at in reversed(range(first)):
        own = frames[at].f_locals
        for name in _ROWS:
            if isinstance(own.get(name), tuple):
                # A comprehension has a frame of its own, or, in later Pythons, none.
                around = own if "rows" in own or not at else frames[at - 1].f_locals
                return FailingRow(own[name], _place(own, around), called)
    if called is None:
        return None
    # Later Pythons have no trace of the variables of a comprehension that is over.
    return FailingRow(_given(frames[first - 1 : first], frames[first]), -1, called)


def _given(before: Sequence[FrameType], frame: FrameType) -> Sequence[Any] | None:
    """What a function was called with; None where that is not known any more, or was an iterator,
    of which nobody knows how far it was read."""
    wrapped = before and before[0].f_code.co_name == "wrapper" and _is_sparks(before[0])
    given = before[0].f_locals.get("args") if wrapped else _parameters(frame)
    if given is None or any(isinstance(each, Iterator) for each in given):
        return None
    return list(given)


def _parameters(frame: FrameType) -> list[Any] | None:
    """What a function was called with, if its code gives its parameters no other values."""
    code, known = frame.f_code, frame.f_locals
    names, starred = parameters_of(code)
    taken = {*names, starred} - {""}
    changed = {
        each.argval
        for each in dis.get_instructions(code)
        if each.opname.startswith(("STORE_", "DELETE_"))
    }
    if code.co_kwonlyargcount or not taken <= known.keys() - changed:
        return None
    return [*(known[name] for name in names), *known.get(starred, ())]


def parameters_of(code: CodeType) -> tuple[tuple[str, ...], str]:
    """The parameters that are given by their places, without an instance, and the name of that for
    further ones, "" without one."""
    names = code.co_varnames[: code.co_argcount]
    further = code.co_argcount + code.co_kwonlyargcount
    starred = code.co_varnames[further] if code.co_flags & inspect.CO_VARARGS else ""
    return names[1:] if names[:1] == ("self",) else names, starred


def arguments_within(error: BaseException, called: CodeType | None) -> list[tuple[str, Any]]:
    """What the user's function that raised was called with, where another one of the user's called
    it: of a batch, often the very value."""
    own = [frame for frame in _frames(error) if is_users(frame.f_code.co_filename)]
    if not own or own[-1].f_code is called:
        return []
    code, known = own[-1].f_code, own[-1].f_locals
    names = [name for name in code.co_varnames[: code.co_argcount] if name in known]
    return [(f"{name} in {code.co_name}", known[name]) for name in names[:_MOST_WITHIN]]


def _frames(error: BaseException) -> Iterator[FrameType]:
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def _is_sparks(frame: FrameType) -> bool:
    return is_machinery(frame.f_code.co_filename)


def _place(loop: Mapping[str, Any], around: Mapping[str, Any]) -> int:
    """Where a loop over a list is, by how much of it is left; -1 if its variables do not tell."""
    rows, iterator = around.get("rows"), loop.get(".0")
    if not isinstance(rows, list):
        return -1
    if iterator is not None:
        return len(rows) - operator.length_hint(iterator) - 1
    # The very row, of which an equal one may stand before it.
    return next((at for at, row in enumerate(rows) if row is loop["row"]), -1)
