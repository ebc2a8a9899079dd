"""Where a test finds a registered function: in an importable module, or in a notebook's cells."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from notebook_udf.errors import DeclarationError
from notebook_udf.export.cells import ExportedCell, Imported, statements
from notebook_udf.export.chosen import (
    ChosenNames,
    defined_as,
    functions,
    is_pysparks,
    undecorated,
    without_pysparks,
)
from notebook_udf.export.closure import Needed, needed
from notebook_udf.functions.base import UserDefinedFunction
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.kernel.kinds.call_form import written
from notebook_udf.registry import RegisteredFunction


@dataclass(frozen=True)
class FunctionSource:
    """The statements and imports of a test that bind a function, and the text of it in the test;
    of a class, the text that makes an instance."""

    needed: Needed
    target: str


def function_source(record: RegisteredFunction, cells: Sequence[ExportedCell]) -> FunctionSource:
    """A function imported from its module, or else with what it needs of the cells.

    Raises
    ------
    DeclarationError
        If it is in neither, or needs what the cells do not define.
    """
    return _imported(record) or _of_cells(record, list(cells))


def _imported(record: RegisteredFunction) -> FunctionSource | None:
    function = record.definition.function
    instance = isinstance(function, UserDefinedFunction)
    plain = written(function) if instance else function
    module, name = getattr(plain, "__module__", None), getattr(plain, "__qualname__", "")
    if module in (None, "__main__") or not name.isidentifier():
        return None
    found = getattr(sys.modules.get(module), name, None)
    if found is plain or _has_its_code(found, plain):
        if instance and not _is_fresh(function):
            raise DeclarationError(
                f"{record.name} was registered as an instance of {module}.{name} with values of "
                f"its own, which a test cannot find: derive a class that sets them, and register "
                f"that"
            )
        target = f"{name}()" if instance else name
    elif isinstance(found, FunctionDefinition) and found.function is function:
        target = f"{name}.function"
    elif _has_its_code(getattr(found, "func", None), plain):
        # A function object of PySpark's.
        target = f"{name}.func"
    else:
        return None
    return FunctionSource(Needed((), (Imported(module, name, name),)), target)


def _has_its_code(found: Any, plain: Any) -> bool:
    """Whether it is the function, of which a worker may have sent a copy back."""
    return inspect.isfunction(found) and found.__code__ == getattr(plain, "__code__", None)


def _is_fresh(function: Any) -> bool:
    """Whether an instance is as its class makes it without arguments."""
    values = getattr(function, "__dict__", {})
    try:
        inspect.signature(type(function)).bind()
    except TypeError:
        return False
    return not values or bool(vars(type(function)()) == values)


def _of_cells(record: RegisteredFunction, cells: list[ExportedCell]) -> FunctionSource:
    found = statements(cells)
    names = ChosenNames(found)
    registered = {record.name: record.source}
    choice = next(iter(functions(cells, found, names, registered)), None)
    if choice is None:
        choice = defined_as(record.name, record.source, found, names)
    if choice is None:
        raise DeclarationError(
            f"no test can be captured of {record.name}: neither a cell that was run nor a module "
            f"that can be imported defines it. Define it in a %%udf cell, by @nu.register, or in a "
            f"module"
        )
    plain = [without_pysparks(undecorated(each, names), names) for each in found]
    need = needed([choice], plain, names)
    target = choice.variable
    if choice.declared and not is_pysparks(choice.statement.node, names):
        target += ".function"
    elif isinstance(choice.statement.node, ast.ClassDef):
        target += "()"
    return FunctionSource(need, target)
