"""Opcodes of Python 3.11 to 3.14: what each takes off the stack, leaves on it, and stands for.

Pure data; ``compile.symbolic`` is what follows it. Most opcodes are one evaluation of what they
pop, of a kind of ``compile.flow_graph``; the rest have a kind in capitals, which the reader knows
by name. ``UNREAD`` are those that stand in handlers of exceptions, coroutines and class bodies
only, and what begins ``with``: reading ends at them.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple


class Instruction(NamedTuple):
    """One instruction, as ``dis`` tells of it."""

    opname: str
    arg: int | None
    argval: Any
    offset: int
    line: int | None = None


class Opcode(NamedTuple):
    """What an opcode does.

    Attributes
    ----------
    kind
        What it stands for.
    pops
        How many values it takes: a number, a key of ``COUNTS``, or, below zero, how many it only
        looks at.
    pushes
        How many it leaves.
    detail
        The evaluation's detail; ``ARGUMENT`` for the instruction's own.
    since, until
        The versions of Python 3 that have it.
    """

    name: str
    kind: str
    pops: int | str = 0
    pushes: int = 0
    detail: Any = None
    since: int = 11
    until: int = 14


ARGUMENT: Final = object()

# How many values are popped, by what the argument says.
COUNTS: Final = {
    "arg": lambda arg: arg,
    "2*arg": lambda arg: 2 * arg,
    "flags": lambda arg: 1 + (arg & 15).bit_count(),
    "interpolation": lambda arg: 2 + (arg & 1),
}

_INFIX = ("+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^")
# What the argument of BINARY_OP stands for.
BINARY: Final = (*_INFIX, *(f"{operator}=" for operator in _INFIX), "[]")
BUILTINS: Final = ("AssertionError", "NotImplementedError", "tuple", "all", "any", "list", "set")
CONVERSIONS: Final = ("", "str", "repr", "ascii")
# Intrinsics that used to be opcodes of their own.
UNARY_POSITIVE: Final = 5
LIST_TO_TUPLE: Final = 6


def _each(names: str, *effect: Any, **rest: Any) -> list[Opcode]:
    return [Opcode(name, *effect, **rest) for name in names.split()]


OPCODES: Final[tuple[Opcode, ...]] = (
    *_each("NOP CACHE RESUME EXTENDED_ARG COPY_FREE_VARS MAKE_CELL", "SILENT"),
    Opcode("PRECALL", "SILENT", until=11),
    Opcode("NOT_TAKEN", "SILENT", since=14),
    # Before what asks for the truth of a value anyhow: a branch, or ``not``. Before anything else
    # it is read as ``not not``, see ``compile.instruction_forms``.
    Opcode("TO_BOOL", "SILENT", since=13),
    # The stack itself.
    Opcode("PUSH_NULL", "NULL"),
    Opcode("POP_TOP", "DROP", 1),
    Opcode("POP_ITER", "DROP", 1, since=14),
    Opcode("END_FOR", "DROP", 2, since=12, until=12),
    Opcode("END_FOR", "DROP", 1, since=13),
    Opcode("COPY", "COPY"),
    Opcode("SWAP", "SWAP"),
    # Constants.
    Opcode("LOAD_CONST", "CONSTANT"),
    Opcode("LOAD_SMALL_INT", "CONSTANT", since=14),
    Opcode("LOAD_ASSERTION_ERROR", "builtin", 0, 1, "AssertionError", until=13),
    Opcode("LOAD_COMMON_CONSTANT", "builtin", 0, 1, BUILTINS, since=14),
    # Variables. One instruction may be about two of them.
    Opcode("LOAD_FAST", "local", 0, 1, ARGUMENT),
    Opcode("LOAD_FAST_CHECK", "local", 0, 1, ARGUMENT, since=12),
    Opcode("LOAD_FAST_BORROW", "local", 0, 1, ARGUMENT, since=14),
    Opcode("LOAD_FAST_LOAD_FAST", "LOCALS", detail=("local", "local"), since=13),
    Opcode("LOAD_FAST_BORROW_LOAD_FAST_BORROW", "LOCALS", detail=("local", "local"), since=14),
    Opcode("STORE_FAST", "store_local", 1, 0, ARGUMENT),
    Opcode("STORE_FAST_LOAD_FAST", "LOCALS", detail=("store_local", "local"), since=13),
    Opcode("STORE_FAST_STORE_FAST", "LOCALS", detail=("store_local", "store_local"), since=13),
    Opcode("DELETE_FAST", "delete_local", 0, 0, ARGUMENT),
    # Around a comprehension: a variable that may have no value yet.
    Opcode("LOAD_FAST_AND_CLEAR", "save_local", 0, 1, ARGUMENT, since=12),
    Opcode("LOAD_CLOSURE", "closure", 0, 1, ARGUMENT, until=12),
    Opcode("LOAD_DEREF", "cell", 0, 1, ARGUMENT),
    Opcode("STORE_DEREF", "store_cell", 1, 0, ARGUMENT),
    Opcode("DELETE_DEREF", "delete_cell", 0, 0, ARGUMENT),
    Opcode("LOAD_GLOBAL", "CALLABLE_GLOBAL", 0, 1, ARGUMENT),
    Opcode("STORE_GLOBAL", "store_global", 1, 0, ARGUMENT),
    Opcode("DELETE_GLOBAL", "delete_global", 0, 0, ARGUMENT),
    # Attributes and items.
    Opcode("LOAD_ATTR", "attribute", 1, 1, ARGUMENT, until=11),
    Opcode("LOAD_METHOD", "METHOD", 1, 1, ARGUMENT, until=11),
    Opcode("LOAD_ATTR", "CALLABLE_ATTRIBUTE", 1, 1, ARGUMENT, since=12),
    Opcode("LOAD_SUPER_ATTR", "CALLABLE_SUPER_ATTRIBUTE", 3, 1, ARGUMENT, since=12),
    Opcode("STORE_ATTR", "store_attribute", 2, 0, ARGUMENT),
    Opcode("DELETE_ATTR", "delete_attribute", 1, 0, ARGUMENT),
    Opcode("BINARY_SUBSCR", "item", 2, 1, until=13),
    Opcode("STORE_SUBSCR", "store_item", 3),
    Opcode("DELETE_SUBSCR", "delete_item", 2),
    Opcode("BUILD_SLICE", "slice", "arg", 1),
    Opcode("BINARY_SLICE", "ITEM_SLICE", since=12),
    Opcode("STORE_SLICE", "STORE_SLICE", since=12),
    # Operators.
    Opcode("BINARY_OP", "binary", 2, 1, BINARY),
    Opcode("COMPARE_OP", "compare", 2, 1, ARGUMENT),
    Opcode("IS_OP", "compare", 2, 1, ("is", "is not")),
    Opcode("CONTAINS_OP", "compare", 2, 1, ("in", "not in")),
    Opcode("UNARY_NEGATIVE", "unary", 1, 1, "-"),
    Opcode("UNARY_INVERT", "unary", 1, 1, "~"),
    Opcode("UNARY_NOT", "unary", 1, 1, "not"),
    Opcode("UNARY_POSITIVE", "unary", 1, 1, "+", until=11),
    Opcode("CALL_INTRINSIC_1", "intrinsic", 1, 1, ARGUMENT, since=12),
    # Calls.
    Opcode("KW_NAMES", "KEYWORDS", until=12),
    Opcode("CALL", "CALL"),
    Opcode("CALL_KW", "CALL_KEYWORDS", since=13),
    Opcode("CALL_FUNCTION_EX", "CALL_UNPACKED", until=13),
    Opcode("CALL_FUNCTION_EX", "CALL_UNPACKED", detail="keywords", since=14),
    # What is built.
    Opcode("BUILD_TUPLE", "tuple", "arg", 1),
    Opcode("BUILD_LIST", "list", "arg", 1),
    Opcode("BUILD_SET", "set", "arg", 1),
    Opcode("BUILD_MAP", "map", "2*arg", 1),
    Opcode("BUILD_CONST_KEY_MAP", "KEYED_MAP", until=13),
    Opcode("BUILD_STRING", "string", "arg", 1),
    Opcode("LIST_TO_TUPLE", "intrinsic", 1, 1, LIST_TO_TUPLE, until=11),
    *_each("LIST_APPEND LIST_EXTEND SET_ADD SET_UPDATE DICT_UPDATE DICT_MERGE", "GROW", 1),
    Opcode("MAP_ADD", "GROW", 2),
    Opcode("FORMAT_VALUE", "FORMAT_VALUE", until=12),
    Opcode("CONVERT_VALUE", "convert", 1, 1, CONVERSIONS, since=13),
    Opcode("FORMAT_SIMPLE", "format", 1, 1, since=13),
    Opcode("FORMAT_WITH_SPEC", "format", 2, 1, since=13),
    Opcode("BUILD_INTERPOLATION", "interpolation", "interpolation", 1, ARGUMENT, since=14),
    Opcode("BUILD_TEMPLATE", "template", 2, 1, since=14),
    Opcode("MAKE_FUNCTION", "FUNCTION", "flags", 1, until=12),
    Opcode("MAKE_FUNCTION", "function", 1, 1, since=13),
    Opcode("SET_FUNCTION_ATTRIBUTE", "function_attribute", 2, 1, ARGUMENT, since=13),
    Opcode("LOAD_BUILD_CLASS", "builtin", 0, 1, "__build_class__"),
    Opcode("IMPORT_NAME", "import", 2, 1, ARGUMENT),
    Opcode("IMPORT_FROM", "import_from", -1, 1, ARGUMENT),
    # Sequences taken apart, and patterns.
    Opcode("UNPACK_SEQUENCE", "UNPACK"),
    Opcode("UNPACK_EX", "UNPACK", detail="rest"),
    Opcode("GET_LEN", "length", -1, 1),
    Opcode("MATCH_MAPPING", "is_mapping", -1, 1),
    Opcode("MATCH_SEQUENCE", "is_sequence", -1, 1),
    Opcode("MATCH_KEYS", "match_keys", -2, 1),
    Opcode("MATCH_CLASS", "match_class", 3, 1, ARGUMENT),
    # Generators.
    Opcode("RETURN_GENERATOR", "generator", 0, 1),
    Opcode("YIELD_VALUE", "yield", 1, 1),
    # With all that follows it, up to where the last value is handed on.
    Opcode("GET_YIELD_FROM_ITER", "yield_from", 1, 1),
    # Jumps; of a branch: what is tested, whether it jumps where that holds, and whether it
    # leaves the value on the stack where it jumps.
    Opcode("GET_ITER", "iterator", 1, 1),
    Opcode("FOR_ITER", "NEXT", until=11),
    Opcode("FOR_ITER", "NEXT", detail="kept", since=12),
    *_each("JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT", "JUMP"),
    *(
        Opcode(f"POP_JUMP_{way}IF_{word}", "BRANCH", detail=(test, holds, False), **versions)
        for way, versions in (
            ("FORWARD_", {"until": 11}),
            ("BACKWARD_", {"until": 11}),
            ("", {"since": 12}),
        )
        for word, test, holds in (
            ("TRUE", "true", True),
            ("FALSE", "true", False),
            ("NONE", "none", True),
            ("NOT_NONE", "none", False),
        )
    ),
    Opcode("JUMP_IF_TRUE_OR_POP", "BRANCH", detail=("true", True, True), until=11),
    Opcode("JUMP_IF_FALSE_OR_POP", "BRANCH", detail=("true", False, True), until=11),
    Opcode("RETURN_VALUE", "RETURN"),
    Opcode("RETURN_CONST", "RETURN", detail=ARGUMENT, since=12, until=13),
    Opcode("RAISE_VARARGS", "RAISE"),
    # In handlers of exceptions.
    Opcode("PUSH_EXC_INFO", "PUSH_EXCEPTION", 1, 2),
    Opcode("CHECK_EXC_MATCH", "EXCEPTION_MATCH", 1, 1),
    Opcode("POP_EXCEPT", "DROP", 1),
    Opcode("RERAISE", "RERAISE", 1),
    # Not to be read.
    *_each(
        "CHECK_EG_MATCH DELETE_NAME END_ASYNC_FOR GET_AITER GET_ANEXT "
        "GET_AWAITABLE LOAD_NAME "
        "SEND SETUP_ANNOTATIONS STORE_NAME WITH_EXCEPT_START",
        "UNREAD",
    ),
    *_each(
        "ASYNC_GEN_WRAP IMPORT_STAR LOAD_CLASSDEREF PREP_RERAISE_STAR PRINT_EXPR",
        "UNREAD",
        until=11,
    ),
    *_each("BEFORE_WITH BEFORE_ASYNC_WITH", "UNREAD", until=13),
    *_each(
        "CALL_INTRINSIC_2 CLEANUP_THROW END_SEND INTERPRETER_EXIT LOAD_FROM_DICT_OR_DEREF "
        "LOAD_FROM_DICT_OR_GLOBALS LOAD_LOCALS RESERVED",
        "UNREAD",
        since=12,
    ),
    *_each("ENTER_EXECUTOR EXIT_INIT_CHECK", "UNREAD", since=13),
    Opcode("LOAD_SPECIAL", "UNREAD", since=14),
)


@cache
def opcodes(minor: int) -> dict[str, Opcode]:
    """The opcodes of Python 3.``minor``, by name."""
    return {each.name: each for each in OPCODES if each.since <= minor <= each.until}
