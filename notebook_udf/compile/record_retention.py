"""Whether a process function keeps records beyond a call, as far as its bytecode tells.

Only what is certain counts: a record is read and set by field, and collected as the last that is
done with it. Anything else may keep it, and is left to ``@not_cache_record`` to say.
"""

from __future__ import annotations

import dis
from typing import Any

_READS = ("LOAD_ATTR", "STORE_ATTR")
# What makes a new value, which nobody else has.
_FRESH = ("BUILD_TUPLE", "BINARY_OP", "LOAD_CONST", "FORMAT_VALUE", "BUILD_STRING")
_SILENT = ("PRECALL", "CACHE", "NOP", "EXTENDED_ARG")


def keeps_no_record(function: Any) -> bool:
    """Whether it is certain that an instance keeps no record, given or collected, and does
    nothing with one after collecting it."""
    method = type(function).process_record
    code = getattr(method, "__code__", None)
    if code is None or code.co_argcount != 4 or code.co_kwonlyargcount:
        return False
    if "process_record" in vars(function) or code.co_cellvars or code.co_exceptiontable:
        return False
    _, record, output, _ = code.co_varnames[:4]
    found = [each for each in dis.get_instructions(code) if each.opname not in _SILENT]
    collected = False
    for place, each in enumerate(found):
        following = found[place + 1] if place + 1 < len(found) else each
        if "JUMP_BACKWARD" in each.opname:
            return False
        if each.opname.startswith("STORE_FAST") and _names(each) & {record, output}:
            return False
        if each.opname == "LOAD_FAST" and each.argval == output:
            if following.argval != "collect":
                return False
        elif each.opname.startswith("LOAD_FAST") and each.argval != record:
            # One that loads two at once, or ``self`` and the context, which are no records.
            if isinstance(each.argval, tuple):
                return False
        elif each.opname.startswith("LOAD_FAST"):
            passed = following.opname == "CALL" and found[place - 1].argval == "collect"
            if collected or not (passed or following.opname in _READS) or _is_method(following):
                return False
        elif each.argval == "collect" and each.opname in ("LOAD_METHOD", "LOAD_ATTR"):
            end = next(p for p in range(place, len(found)) if found[p].opname == "CALL")
            last = found[end - 1]
            whole = last.opname == "LOAD_FAST" and last.argval == record
            if not whole and last.opname not in _FRESH:
                return False
        collected = collected or (each.opname == "CALL" and _collects(found, place))
    return True


def fields_set(function: Any) -> frozenset[str]:
    """Fields that an instance, of which it is certain that it keeps no record, may set in one."""
    code = type(function).process_record.__code__
    return frozenset(
        each.argval for each in dis.get_instructions(code) if each.opname == "STORE_ATTR"
    )


def _names(each: dis.Instruction) -> set[str]:
    """The variables an instruction is about: newer Pythons have some with two."""
    return set(each.argval) if isinstance(each.argval, tuple) else {each.argval}


def _collects(found: list[dis.Instruction], place: int) -> bool:
    """Whether a call is that of ``output.collect``: the nearest method before it."""
    before = (each for each in reversed(found[:place]) if each.argval == "collect")
    return next(before, None) is not None


def _is_method(each: dis.Instruction) -> bool:
    """Whether an attribute is loaded to be called, which may do anything with its owner."""
    return each.opname == "LOAD_ATTR" and "NULL|self" in each.argrepr


__all__ = ["fields_set", "keeps_no_record"]
