"""Runs a ``%%udf`` cell, and finds and registers the functions that it defines.

What it leaves to others: declaring (types, options; ``functions.declare``) and registering (the
session).
"""

from __future__ import annotations

import argparse
import ast
import codeop
import inspect
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any

from notebook_udf.functions.by_value import inside
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.entry_point import EntryPoint, Found, stored
from notebook_udf.functions.function_class import is_function_class
from notebook_udf.functions.spark_objects import is_spark_object
from notebook_udf.registry import RegisteredFunction
from notebook_udf.render.markup import code, div, markup
from notebook_udf.sanitize import one_line

if TYPE_CHECKING:
    from notebook_udf.kernel import Session


_AS_THEY_ARE = (
    "on_error", "memory", "timeout", "func_type", "buffer_capacity", "output_mode", "max_attempts",
    "fixed_delay", "self_check",
)  # fmt: skip


@dataclass(frozen=True)
class Registered:
    """A registered function and what has changed since its last version. Displays as one line."""

    record: RegisteredFunction
    change: str

    def __repr__(self) -> str:
        return one_line(f"registered {self.record.signature}, {self.change}")

    def _repr_html_(self) -> str:
        return markup(div("registered ", code(self.record.signature), f", {self.change}"))


def function_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of a ``%%udf`` line as ``udf`` takes them."""
    types, nondeterministic = arguments.input_types, arguments.nondeterministic
    options = {
        "kind": arguments.kind,
        "result_type": arguments.returns,
        "input_types": None if types is None else split_types(types),
        "deterministic": False if nondeterministic else None,
        **{name: getattr(arguments, name) for name in _AS_THEY_ARE},
    }
    return {name: value for name, value in options.items() if value is not None}


def split_types(text: str) -> list[str]:
    """Splits types at commas outside brackets: ``"BIGINT, DECIMAL(10, 2)"`` is two types."""
    types, depth = [""], 0
    for character in text:
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            types.append("")
        else:
            types[-1] += character
    return [t.strip() for t in types if t.strip()]


def run(shell: Any, line: str, cell: str) -> Found:
    """Runs the cell in the notebook's namespace and finds what it defines; errors propagate.

    Line numbers are those of the cell in the notebook, the magic's line included, and the file is
    the one under which the notebook's debugger sets its breakpoints.
    """
    __tracebackhide__ = True
    raw, blank = _as_sent(shell, line, cell)
    first = f"# %%udf {line}".rstrip()
    text = "\n" * blank + shell.transform_cell(f"{first}\n{cell}")
    file = shell.compile.cache(text, max(shell.execution_count - 1, 0), raw_code=raw)
    # Without the flag that makes newer Pythons raise nothing but 'incomplete input'.
    incomplete = codeop.PyCF_ALLOW_INCOMPLETE_INPUT  # type: ignore[attr-defined]
    flags = shell.compile.flags & ~incomplete | ast.PyCF_ONLY_AST
    tree: ast.Module = compile(text, file, "exec", flags, True)
    body, last = tree.body, None
    if body and isinstance(body[-1], ast.Expr):
        body, last = body[:-1], body[-1]
    exec(shell.compile(ast.Module(body, []), file, "exec"), shell.user_global_ns, shell.user_ns)
    if last is not None:
        # As in any cell, the value of a last expression is displayed.
        exec(
            shell.compile(ast.Interactive([last]), file, "single"),
            shell.user_global_ns,
            shell.user_ns,
        )
    return _found(tree, shell.user_ns, file)


def _as_sent(shell: Any, line: str, cell: str) -> tuple[str, int]:
    """The cell as the notebook sent it, and the number of blank lines before the magic."""
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    code = (parent or {}).get("content", {}).get("code", "")
    body = code.lstrip()
    if body.startswith("%%udf") and body.rstrip().endswith(cell.rstrip()):
        return code, code[: len(code) - len(body)].count("\n")
    return f"%%udf {line}\n{cell}", 0


def _found(tree: ast.Module, namespace: dict[str, Any], file: str) -> Found:
    found = Found()
    seen: set[int] = set()
    for name in dict.fromkeys(stored(tree.body)):
        value = namespace.get(name)
        if name.startswith("_") or id(value) in seen:
            continue
        seen.add(id(value))
        declared = isinstance(value, (FunctionDefinition, RegisteredFunction))
        if declared or is_spark_object(value):
            found.decorated[name] = value
        elif isinstance(value, type):
            if value.__module__ != namespace.get("__name__"):
                continue
            ours = is_function_class(value)
            (found.functions if ours else found.classes)[name] = value
        elif _defined_in(value, file):
            found.functions[name] = value
    return found


def _defined_in(value: Any, file: str) -> bool:
    while wrapped := inside(value):
        value = wrapped[0]
    function = inspect.unwrap(value) if callable(value) else value
    return isinstance(function, FunctionType) and function.__code__.co_filename == file


def register(
    session: Session, choice: EntryPoint, options: dict[str, Any], *, replace: bool
) -> Registered:
    """Registers one of the functions of a cell.

    Raises
    ------
    DeclarationError
        As ``Session.register_function``; also for options on a function that is declared already.
    """
    function = choice.function
    if isinstance(function, RegisteredFunction):
        name = choice.name if choice.name != choice.variable else None
        if not options and name in (None, function.name):
            return Registered(function, _change(function))
        function = function.definition
    own = function.name if isinstance(function, FunctionDefinition) else choice.variable
    if isinstance(function, FunctionDefinition) and choice.name == choice.variable:
        name = own
    else:
        name = choice.name or own
    record = session.register_function(name, function, replace=replace, **options)
    return Registered(record, _change(record))


def _change(record: RegisteredFunction) -> str:
    earlier = [r for r in record.history if r.version < record.version]
    if not earlier:
        return f"version {record.version}"
    old = earlier[-1]
    changes = []
    if old.hash == record.hash:
        changes.append("nothing changed")
    else:
        if old.source != record.source:
            changes.append("new code")
        if old.signature != record.signature:
            changes.append(f"was {old.signature}")
        if old.definition.options != record.definition.options:
            changes.append("new options")
    tail = f": {', '.join(changes)}" if changes else ""
    return f"version {record.version} (was {old.version}{tail})"


def bind(namespace: dict[str, Any], choice: EntryPoint, record: RegisteredFunction) -> None:
    """Binds the record to the variable, and to the SQL name if that is an identifier."""
    namespace[choice.variable] = record
    if choice.name is not None and choice.name.isidentifier():
        namespace[choice.name] = record
