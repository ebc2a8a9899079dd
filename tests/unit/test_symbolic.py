"""The reader of bytecode, on what Python 3.11 to 3.14 make of the same functions."""

from __future__ import annotations

import argparse
import dataclasses
import fractions
import json.decoder
import statistics
import sys
import types
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import pytest

from notebook_udf.compile.flow_graph import FlowGraph, UnreadableCode
from notebook_udf.compile.opcodes import OPCODES, Instruction, opcodes
from notebook_udf.compile.process_acts import acts_in
from notebook_udf.compile.record_retention import keeps_none
from notebook_udf.compile.sums import adds_up, changes_in
from notebook_udf.compile.symbolic import read, read_code
from notebook_udf.functions.sum_ir import Addition, Constant, Guard, Operation, Parameter
from tests.bytecode import FOLDER, MINORS, document, graph_of, instructions, ways

versions = pytest.mark.parametrize("minor", MINORS)

# What versions of Python compile to something else: 3.12 puts comprehensions into the function and
# has ``super()`` in one opcode, 3.13 hands cells over as locals, 3.14 tests ``while`` in one place.
DIFFERENT = {"comprehends", "asks", "closes_over", "_counter", "counts_down", "backwards"}
UNREADABLE = {"opens"}
NAMES = [name for name in document(11)["functions"] if name not in UNREADABLE]


@versions
def test_the_table_has_the_opcodes_of_each_version(minor: int) -> None:
    names = [each.name for each in OPCODES if each.since <= minor <= each.until]
    assert sorted(names) == document(minor)["opcodes"]


@versions
def test_each_opcode_that_is_read_is_in_one_of_the_functions(minor: int) -> None:
    known = {name for name, opcode in opcodes(minor).items() if opcode.kind != "UNREAD"}
    found = {each.opname for name in document(minor)["functions"] for each in code(minor, name)}
    # The first is not shown unless it is asked for. A handler may end by the next, behind loops;
    # with the last a generator hands on another. Tests of the JVM have such functions.
    assert known - found == {"CACHE", "JUMP_BACKWARD_NO_INTERRUPT", "GET_YIELD_FROM_ITER"}


def code(minor: int, name: str) -> list[Instruction]:
    return instructions(minor, name)


def graph(minor: int, name: str) -> FlowGraph:
    found = graph_of(minor, name)
    assert isinstance(found, FlowGraph), found
    return found


@pytest.mark.parametrize("name", [name for name in NAMES if name not in DIFFERENT])
def test_all_versions_give_the_same_graph(name: str) -> None:
    first, *others = (ways(graph(minor, name)) for minor in MINORS)
    assert [other == first for other in others] == [True, True, True]


@versions
@pytest.mark.parametrize("name", sorted(DIFFERENT))
def test_what_versions_compile_differently_is_read(minor: int, name: str) -> None:
    assert ways(graph(minor, name))


@versions
def test_evaluations_stand_in_the_order_of_python(minor: int) -> None:
    assert ways(graph(minor, "in_place")) == [
        [
            "local a", "attribute x $0", "local b", "binary += $1 $2", "store_attribute x $3 $0",
            "local a", "item $5 0", "local b", "binary -= $6 $7", "store_item $8 $5 0",
            "local b", "local a", "local b", "store_item $10 $11 $12",
            "local a", "store_attribute y $10 $14",
            "local a", "delete_attribute x $16", "local a", "delete_item $18 0",
            "return None",
        ]
    ]  # fmt: skip


@versions
def test_calls_have_their_arguments_and_names(minor: int) -> None:
    assert ways(graph(minor, "calls")) == [
        [
            "global len", "local a", "call $0 $1",
            "local a", "attribute get $3", "local b", "call $4 $5 1",
            "global max", "local a", "local b", "call ('key',) $7 $8 $9",
            "local a", "attribute b $11", "attribute c $12", "local b", "list $14",
            "local a", "grow list_extend $15 $16", "intrinsic 6 $15", "call_unpacked $13 $18",
            "global dict", "local a", "tuple $21", "map", "local b",
            "grow dict_merge $23 $24", "call_unpacked $20 $22 $23",
            "global LIMIT", "tuple $2 $6 $10 $19 $26 $27", "return $28",
        ]
    ]  # fmt: skip


def written(minor: int, *names: str) -> list[list[str]]:
    """The ways through instructions of one parameter."""
    made = [
        Instruction(name, 0, "a" if name == "LOAD_FAST" else None, 2 * at, 1)
        for at, name in enumerate(names)
    ]
    graph = read(made, minor)
    assert isinstance(graph, FlowGraph)
    return ways(graph)


@pytest.mark.parametrize("minor", [13, 14])
def test_a_truth_that_is_a_value_is_not_left_out(minor: int) -> None:
    # So not (not a) is compiled from 3.13 on; what 3.11 makes of it are two evaluations.
    before = written(11, "RESUME", "LOAD_FAST", "UNARY_NOT", "UNARY_NOT", "RETURN_VALUE")
    assert written(minor, "RESUME", "LOAD_FAST", "TO_BOOL", "CACHE", "RETURN_VALUE") == before
    once = written(11, "RESUME", "LOAD_FAST", "UNARY_NOT", "RETURN_VALUE")
    found = written(minor, "RESUME", "LOAD_FAST", "TO_BOOL", "CACHE", "UNARY_NOT", "RETURN_VALUE")
    assert found == once != before


def test_a_truth_of_a_truth_is_one() -> None:
    def function(a: Any) -> bool:
        return not (not a)  # noqa: SIM208

    graph = read_code(function.__code__)
    assert isinstance(graph, FlowGraph)
    assert sum("unary not" in line for way in ways(graph) for line in way) == 2


@versions
def test_branches_and_loops_are_ways(minor: int) -> None:
    assert ways(graph(minor, "chained")) == [
        ["local a", "compare < 0 $0", "branch $1 true yes", "global LIMIT", "compare < $0 $3",
         "return $4"],
        ["local a", "compare < 0 $0", "branch $1 true no", "return $1"],
    ]  # fmt: skip
    begins = ["store_local total 0", "local a", "iterator $1", "next $2"]
    turn = [*begins, "next $3  yes", "store_local x $3", "local x"]
    more = [*turn, "branch $6 none no", "local x", "compare > $8 9"]
    found = ways(graph(minor, "looped"))
    assert [*begins, "next $3  no", "local total", "return $5"] in found
    assert [*turn, "branch $6 none yes", "again from 3"] in found
    assert [*more, "branch $9 true yes", "local total", "return $11"] in found
    assert len(found) == 4


def test_the_functions_of_this_python_are_those_that_are_kept() -> None:
    spec = spec_from_file_location("functions", FOLDER / "functions.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in NAMES:
        if name != "_counter":
            found = read_code(getattr(module, name).__code__)
            assert isinstance(found, FlowGraph)
            assert untold(ways(found)) == untold(ways(graph(sys.version_info.minor, name)))


def untold(lines: Any) -> list[str]:
    """Lines without code objects, which a fixture only names."""
    return [line for way in lines for line in way if not line.startswith(("function", "call $0"))]


def every_code(found: types.CodeType) -> Iterator[types.CodeType]:
    yield found
    for constant in found.co_consts:
        if isinstance(constant, types.CodeType):
            yield from every_code(constant)


@pytest.mark.parametrize("module", [argparse, dataclasses, fractions, json.decoder, statistics])
def test_ordinary_modules_are_read_but_for_opcodes_that_are_said_not_to_be(module: Any) -> None:
    with open(module.__file__, encoding="utf-8") as file:
        top = compile(file.read(), module.__file__, "exec")
    found = [read_code(each) for each in every_code(top)]
    known = opcodes(sys.version_info.minor)
    refused = [each for each in found if isinstance(each, UnreadableCode)]
    assert {known[each.opcode].kind for each in refused} <= {"UNREAD"}
    assert len(refused) < len(found) / 2


# What cannot be read ----------------------------------------------------------------------------


def line(*effects: tuple[Any, ...]) -> list[Instruction]:
    """Instructions at offsets 0, 2, 4 ..., in lines 1, 2, 3 ..."""
    return [
        Instruction(name, rest[0] if rest else None, rest[-1] if rest else None, 2 * n, n + 1)
        for n, (name, *rest) in enumerate(effects)
    ]


@pytest.mark.parametrize(
    ("code", "minor", "expected"),
    [
        (line(("LOAD_FAST", 0, "a"), ("SING", 3)), 12, ("SING", 2, "this opcode is not read")),
        (line(("LOAD_SMALL_INT", 1), ("RETURN_VALUE",)), 13,
         ("LOAD_SMALL_INT", 1, "this opcode is not read")),
        (line(("RETURN_VALUE",)), 15, ("RETURN_VALUE", 1, "this opcode is not read")),
        (line(("NOP",), ("RETURN_VALUE",)), 14,
         ("RETURN_VALUE", 2, "the stack holds less than is taken")),
        (line(("POP_JUMP_IF_NONE", 0, 2), ("RETURN_VALUE",)), 14,
         ("POP_JUMP_IF_NONE", 1, "the stack holds less than is taken")),
        (line(("JUMP_FORWARD", 9, 99)), 14, ("JUMP_FORWARD", 1, "a jump leads nowhere")),
        (line(("LOAD_FAST", 0, "a"), ("POP_TOP",)), 14, ("", None, "the code has no end")),
        (line(("LOAD_FAST", 0, "a"), ("JUMP_BACKWARD", 2, 0)), 14,
         ("LOAD_FAST", 1, "a loop changes the stack")),
        (line(("LOAD_FAST", 0, "a"), ("LOAD_FAST", 0, "a"), ("POP_JUMP_IF_NONE", 1, 8),
              ("POP_TOP",), ("RETURN_CONST", 0, None)), 12,
         ("RETURN_CONST", 5, "the stack is of several heights")),
    ],
)  # fmt: skip
def test_it_says_what_it_cannot_read_and_where(
    code: list[Instruction], minor: int, expected: tuple[str, int | None, str]
) -> None:
    found = read(code, minor)
    assert isinstance(found, UnreadableCode)
    assert (found.opcode, found.line, found.reason) == expected


@versions
def test_what_begins_with_is_not_read(minor: int) -> None:
    found = graph_of(minor, "opens")
    assert isinstance(found, UnreadableCode)
    assert found.opcode == ("LOAD_SPECIAL" if minor == 14 else "BEFORE_WITH")


def second(name: str) -> str:
    """The first two variables of a function, which say what it is for."""
    return " ".join(document(11)["functions"][name]["names"][:2])


# What is made of it -----------------------------------------------------------------------------


class Instance:
    limit = 10
    rate = 0.5


def field(name: str) -> tuple[str, str]:
    return ("parameter", name)


ACTS = {
    "lets_through": (
        ("where", "", ((field("price"), ("constant", 10), ("compare", ">")),)),
        ("collect", "record", ()),
    ),
    "skips": (
        ("unless", "", ((field("name"), ("constant", "no"), ("compare", "==")),)),
        ("set", "id", ((field("id"), ("constant", 3), ("binary", "*"), ("constant", 1),
                        ("binary", "-")),)),
        ("collect", "record", ()),
    ),
    "nested": (
        ("set", "price", ((field("price"), ("unary", "-"), ("constant", 2.0), ("binary", "/")),)),
        ("where", "", ((field("price"), field("id"), ("constant", 1.5), ("binary", "*"),
                        ("compare", "<=")),)),
        ("set", "name", ((field("name"), ("unary", "upper"), ("unary", "[::-1]"),
                          ("constant", "!"), ("binary", "+")),)),
        ("where", "", ((field("id"), ("constant", 7), ("compare", "!=")),)),
        ("collect", "tuple", ((field("id"), ("constant", 1), ("binary", "+")), (field("price"),),
                              (field("name"),))),
    ),
    "plain": (
        ("where", "", ((field(""), ("constant", "m"), ("compare", ">")),)),
        ("collect", "value", ((field(""), ("unary", "upper")),)),
    ),
    "one_field": (("collect", "value", ((field("name"),),)),),
}  # fmt: skip
PROCESS = [name for name in NAMES if second(name) == "self record"]


@versions
@pytest.mark.parametrize("name", PROCESS)
def test_process_acts(minor: int, name: str) -> None:
    names = document(minor)["functions"][name]["names"]
    assert acts_in(graph(minor, name), names, Instance()) == ACTS.get(name)


KEEP_NONE = {
    "lets_through", "skips", "nested", "sums_up", "sets_from_locals", "formats", "a_number",
    "last_in_each_branch", "by_another_name", "chooses",
}  # fmt: skip


@versions
@pytest.mark.parametrize("name", PROCESS)
def test_record_retention(minor: int, name: str) -> None:
    names = document(minor)["functions"][name]["names"]
    assert keeps_none(graph(minor, name), names) is (name in KEEP_NONE)


VALUE, WEIGHT = Parameter(0), Parameter(1)
QUOTIENT = Operation("/", (VALUE, Operation("-", (WEIGHT,))))
PRODUCT = {
    Addition(0, Operation("*", (VALUE, WEIGHT)), False),
    Addition(1, Constant(1), False),
}
ADDITIONS: dict[str, set[Addition]] = {
    "weighted": PRODUCT,
    "spelled_out": PRODUCT,
    "unless_null": {Addition(0, QUOTIENT, True, Guard(((0, False), (1, False))))},
    "if_not_null": {Addition(0, QUOTIENT, True, Guard(((0, False), (1, False))))},
    "counts_null": {
        Addition(1, Constant(1), False, Guard(((0, True),))),
        Addition(0, VALUE, False, Guard(((0, False),))),
    },
    "chosen_weight": {
        Addition(0, WEIGHT, False, Guard(((1, False),))),
        Addition(0, Constant(1), False, Guard(((1, True),))),
    },
}
MERGES = {"merges": {0, 1}, "merges_attributes": {"total", "rows"}, "merges_numbers": {None}}
ACCUMULATE = [name for name in NAMES if second(name) == "self accumulator"]


@versions
@pytest.mark.parametrize("name", ACCUMULATE)
def test_sums_of_items(minor: int, name: str) -> None:
    found = changes_in(graph(minor, name), arguments(minor, name), {0: 0.0, 1: 0})
    assert (set(found.additions) if found else set()) == ADDITIONS.get(name, set())


@versions
def test_sums_of_numbers_and_attributes(minor: int) -> None:
    found = changes_in(graph(minor, "of_a_number"), arguments(minor, "of_a_number"), {None: 0})
    assert found is not None
    assert found.additions == (Addition(None, VALUE, False), Addition(None, WEIGHT, True))
    slots: Any = {"total": 0.0, "rows": 0}
    found = changes_in(graph(minor, "of_attributes"), arguments(minor, "of_attributes"), slots)
    negative = Operation("*", (VALUE, Constant(-1)))
    assert found is not None
    assert found.additions == (
        Addition("total", negative, False),
        Addition("rows", Constant(1), False),
    )


def arguments(minor: int, name: str) -> list[str]:
    function = document(minor)["functions"][name]
    found: list[str] = function["names"][: function["arguments"]]
    return found


@versions
@pytest.mark.parametrize("name", [name for name in ACCUMULATE if "merge" in name])
@pytest.mark.parametrize(
    "slots", [{0, 1}, {"total", "rows"}, {None}], ids=["items", "names", "one"]
)
def test_merges_of_sums(minor: int, name: str, slots: Any) -> None:
    found = adds_up(graph(minor, name), arguments(minor, name), slots)
    assert found is (MERGES.get(name) == slots)
