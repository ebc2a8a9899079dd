"""Finds the source of a function or class, in a module or in a cell.

``inspect.getsource`` cannot find a class that was defined in a notebook cell, because it looks
for the file of the class's module; so the code of one of its methods leads to the cell here.
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import textwrap
from types import CodeType
from typing import Any

from notebook_udf.functions.by_value import inside
from notebook_udf.functions.definition import Source


def code_of(function: Any) -> CodeType | None:
    """The code object that tracebacks show for a callable, a class or an instance."""
    if isinstance(function, functools.partial):
        return code_of(function.func)
    function = inspect.unwrap(function) if callable(function) else function
    if inspect.ismethod(function):
        function = function.__func__
    if inspect.isfunction(function):
        return function.__code__
    cls = function if isinstance(function, type) else type(function)
    for name in ("eval", "__call__", "accumulate", "process_record"):
        method = inspect.getattr_static(cls, name, None)
        while wrapped := inside(method):
            method = wrapped[0]
        if inspect.isfunction(method):
            plain = inspect.unwrap(method)
            return plain.__code__ if inspect.isfunction(plain) else method.__code__
    return None


def find_source(function: Any) -> Source:
    """The source of a callable, class or instance; empty if it cannot be found."""
    code = code_of(function)
    if code is None:
        return Source()
    lines = _shared(tuple(line.rstrip("\n") for line in linecache.getlines(code.co_filename)))
    if not lines:
        return Source(file=code.co_filename, line=code.co_firstlineno)
    first, last = _extent(lines, code.co_firstlineno, whole_class=not _is_plain(function))
    text = textwrap.dedent("\n".join(lines[first - 1 : last]))
    return Source(text=text, file=code.co_filename, line=first, lines=lines)


@functools.lru_cache(maxsize=64)
def _shared(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The same object for the same lines: every version of a script's function has them."""
    return lines


def _is_plain(function: Any) -> bool:
    return inspect.isroutine(function) or isinstance(function, functools.partial)


def _extent(lines: tuple[str, ...], line: int, *, whole_class: bool) -> tuple[int, int]:
    """First and last line of the statement that defines the code starting at ``line``."""
    try:
        tree = ast.parse("\n".join(lines))
    except SyntaxError:
        # A cell with magics in it cannot be parsed as Python; its indented block can be found.
        block = inspect.getblock([text + "\n" for text in lines[line - 1 :]])
        return line, line + len(block) - 1
    best = (line, line)
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt) or node.end_lineno is None:
            continue
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(d.lineno for d in decorators)])
        if not first <= line <= node.end_lineno:
            continue
        best = (first, node.end_lineno)
        if isinstance(node, ast.ClassDef) and whole_class:
            break
    return best
