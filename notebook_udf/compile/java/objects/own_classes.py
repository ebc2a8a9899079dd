"""Plain classes of the user's, whose objects are no more than what ``__init__`` sets of them."""

from __future__ import annotations

import sys
import types
from dataclasses import replace
from functools import lru_cache

from notebook_udf.compile.bindings import is_plain_code
from notebook_udf.compile.flow_graph import BasicBlock, Evaluation, FlowGraph, UnreadableCode
from notebook_udf.compile.symbolic import read_code

# What a class has whose objects are made, or whose attributes are set, in a way of its own.
_OTHERWISE = ("__new__", "__getattribute__", "__getattr__", "__setattr__", "__delattr__", "__del__")


@lru_cache(maxsize=256)
def fields_of(called: type) -> tuple[str, ...]:
    """The attributes that ``__init__`` sets of a new object, which nobody else has until it ends;
    none if a class is not as plain as that."""
    classes, function = called.__mro__[:-1], init_of(called)
    plain = all(type(each) is type and not set(_OTHERWISE) & set(vars(each)) for each in classes)
    theirs = not any(each.__module__ in sys.stdlib_module_names for each in classes)
    if function is None or not plain or not theirs:
        return ()
    fields = set_by(function)
    return fields if all(_holds(called, name) for name in fields) else ()


def _holds(called: type, name: str) -> bool:
    """Whether an object of a class just has what is set of it under a name."""
    found = next((vars(each)[name] for each in called.__mro__ if name in vars(each)), None)
    if isinstance(found, types.MemberDescriptorType):
        # A slot.
        return True
    return bool(called.__dictoffset__) and not hasattr(type(found), "__set__")


@lru_cache(maxsize=256)
def set_by(function: types.FunctionType, known: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The attributes that a method sets of its object, if it does no more with it than setting and
    reading these, and reading those that are ``known``; none otherwise."""
    graph = read_code(function.__code__, handlers=True)
    own = next(iter(function.__code__.co_varnames), "")
    plain = is_plain_code(function.__code__) and own not in function.__code__.co_cellvars
    if isinstance(graph, UnreadableCode) or not plain:
        return ()
    every = [each for block in graph.blocks.values() for each in block.evaluations]
    fields = dict.fromkeys(
        each.detail
        for each in every
        if each.kind == "store_attribute" and each.operands[1].is_local(own)
    )
    stays = all(_keeps(each, own, (*fields, *known)) for each in every)
    ends = [value for block in graph.blocks.values() for value in block.end.values]
    hidden = any(value.is_local(own) for value in ends)
    return tuple(fields) if stays and not hidden else ()


def init_of(called: type) -> types.FunctionType | None:
    """The function that begins an object of a class; None if Python's own does."""
    found = next((vars(c)["__init__"] for c in called.__mro__ if "__init__" in vars(c)), None)
    return found if isinstance(found, types.FunctionType) else None


def _keeps(each: Evaluation, own: str, fields: tuple[str, ...]) -> bool:
    """Whether an evaluation only sets or reads an attribute of the object that is begun."""
    if each.kind in ("store_local", "delete_local") and each.detail == own:
        return False
    for place, operand in enumerate(each.operands):
        if operand.is_local(own):
            sets = each.kind == "store_attribute" and place == 1
            if not sets and not (each.kind == "attribute" and each.detail in fields):
                return False
    return True


def giving(graph: FlowGraph, own: str) -> FlowGraph:
    """The graph of ``__init__`` as that of a function that returns the object."""
    blocks = {}
    for key, block in graph.blocks.items():
        blocks[key] = block
        if block.end.kind == "return":
            made = Evaluation("local", (), own, block.line)
            end = block.end._replace(values=(made,))
            blocks[key] = BasicBlock((*block.evaluations, made), end)
    return replace(graph, blocks=blocks)
