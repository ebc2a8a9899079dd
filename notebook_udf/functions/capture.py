"""Pickles a function with what it captures, and refuses what cannot be pickled.

A function is pickled by value with the globals and closure cells it names. Some of those cannot be
(a SparkSession, a lock, a socket, an open file): they are found here, when the function is
registered, by name and line, instead of by a pickling error without a place.
"""

from __future__ import annotations

import dis
import functools
import inspect
import io
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType, GeneratorType, ModuleType
from typing import Any

from notebook_udf.errors import CaptureError
from notebook_udf.functions.by_value import dumps, has_a_name, inside, is_cached
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.source import code_of

_LOCKS = (type(threading.Lock()), type(threading.RLock()))
_SYNCHRONISERS = (threading.Condition, threading.Event, threading.Semaphore, threading.Barrier)
_SPARKS = ("SparkSession", "SparkContext", "DataFrame", "Column", "RDD", "StreamingQuery")
_ADVICE = "Create it inside the function, or in open() of a ScalarFunction class."


def freeze(definition: FunctionDefinition) -> bytes:
    """The definition's function, pickled by value with what it refers to.

    Raises
    ------
    CaptureError
        If something it refers to cannot be pickled; the message names the variable and its line.
    """
    for name, value, line in _walk(definition.function, set()):
        reason = _refusal(value)
        if reason:
            raise CaptureError(_message(definition, name, line, reason))
    try:
        with _naming_itself(definition.function):
            return dumps(definition.function)
    except Exception as error:
        raise CaptureError(_blame(definition, error)) from error


@contextmanager
def _naming_itself(function: Any) -> Iterator[None]:
    """Binds a function's name to it for the block: while a decorator runs the name is unbound, or
    bound to what it replaces, and one that calls itself has to find itself there."""
    wrapped = isinstance(function, FunctionType) or is_cached(function)
    plain = inspect.unwrap(function) if wrapped else None
    if (
        not isinstance(plain, FunctionType)
        or plain.__module__ != "__main__"
        or not plain.__qualname__.isidentifier()
    ):
        # In a module the bound name would make the pickler write a reference to it.
        yield
        return
    names, name = plain.__globals__, plain.__name__
    missing = object()
    before = names.get(name, missing)
    names[name] = function
    try:
        yield
    finally:
        if before is missing:
            del names[name]
        else:
            names[name] = before


def _message(definition: FunctionDefinition, name: str, line: int, reason: str) -> str:
    where = f", line {line}" if line else ""
    text = ""
    lines = definition.source.lines
    if line and line <= len(lines):
        text = f": {lines[line - 1].strip()}"
    return f"{definition.name} cannot run in a worker: {name!r} is {reason}{where}{text}\n{_ADVICE}"


def _blame(definition: FunctionDefinition, error: Exception) -> str:
    """The message for a pickling error: which captured variable caused it."""
    for name, value, line in _walk(definition.function, set()):
        if not _pickles(value):
            kind = f"{type(value).__module__}.{type(value).__qualname__}"
            return _message(definition, name, line, f"a {kind}, which cannot be pickled ({error})")
    return (
        f"{definition.name} cannot run in a worker: it cannot be pickled "
        f"({type(error).__name__}: {error})\n{_ADVICE}"
    )


def _pickles(value: Any) -> bool:
    try:
        dumps(value)
    except Exception:
        return False
    return True


def _refusal(value: Any) -> str:
    """Why a value cannot be pickled for a worker, or an empty string."""
    if isinstance(value, (*_LOCKS, *_SYNCHRONISERS)):
        return "a lock, which has no meaning in another process"
    if isinstance(value, socket.socket):
        return "a socket, which belongs to this process"
    if isinstance(value, io.IOBase) and not isinstance(value, (io.StringIO, io.BytesIO)):
        return "an open file, which belongs to this process"
    if isinstance(value, GeneratorType):
        return "a running generator"
    module, name = type(value).__module__, type(value).__name__
    sparks = module.partition(".")[0] == "pyspark" and name in _SPARKS
    if sparks or module.startswith("notebook_udf.kernel"):
        return f"a {name}, which lives in the driver"
    return ""


def _walk(function: Any, seen: set[int]) -> Iterator[tuple[str, Any, int]]:
    """Every variable that is pickled with a function: name, value, line of its first use."""
    if id(function) in seen:
        return
    seen.add(id(function))
    if isinstance(function, FunctionDefinition):
        function = function.function
    if isinstance(function, functools.partial):
        values = [*enumerate(function.args), *function.keywords.items()]
        for key, value in values:
            yield from _variable(f"argument {key}", value, 0, seen)
        yield from _walk(function.func, seen)
        return
    if inspect.ismethod(function):
        yield from _walk(function.__self__, seen)
        function = function.__func__
    wrapped = inside(function)
    if wrapped or isinstance(function, FunctionType):
        if has_a_name(function):
            return
        for each in wrapped:
            yield from _walk(each, seen)
        if wrapped:
            return
        for name, value, line in _names(function):
            yield from _variable(name, value, line, seen)
        for name, value in _defaults(function):
            yield from _variable(name, value, function.__code__.co_firstlineno, seen)
        return
    cls = function if isinstance(function, type) else type(function)
    line = getattr(code_of(function), "co_firstlineno", 0)
    if not isinstance(function, type):
        for name, value in getattr(function, "__dict__", {}).items():
            yield from _variable(f"self.{name}", value, line, seen)
    for each in cls.__mro__:
        for name, value in () if has_a_name(each) else vars(each).items():
            if isinstance(value, FunctionType) or inside(value):
                yield from _walk(value, seen)
            elif not name.startswith("__"):
                yield from _variable(f"{each.__name__}.{name}", value, line, seen)


def _variable(name: str, value: Any, line: int, seen: set[int]) -> Iterator[tuple[str, Any, int]]:
    yield name, value, line
    functions = (FunctionType, FunctionDefinition, functools.partial)
    own_class = isinstance(value, type) and not has_a_name(value)
    if isinstance(value, functions) or own_class or inside(value):
        yield from _walk(value, seen)
    elif isinstance(value, (list, tuple, set, dict)) and len(value) <= 1000:
        # Deeper containers are left to the pickler, which names the variable all the same.
        for item in value.values() if isinstance(value, dict) else value:
            yield name, item, line


def _names(function: FunctionType) -> Iterator[tuple[str, Any, int]]:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    found: set[str] = set()
    for name, line in _loads(function.__code__):
        if name in found:
            continue
        found.add(name)
        if name in cells:
            try:
                yield name, cells[name].cell_contents, line
            except ValueError:
                continue  # a cell that is filled later; nothing travels yet
        elif name in function.__globals__:
            value = function.__globals__[name]
            if not isinstance(value, ModuleType):
                yield name, value, line


def _defaults(function: FunctionType) -> Iterator[tuple[str, Any]]:
    code, values = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    yield from zip(names[len(names) - len(values) :], values, strict=True)
    yield from (function.__kwdefaults__ or {}).items()


def _loads(code: CodeType) -> Iterator[tuple[str, int]]:
    """Names a code object reads from outside, nested functions included, with their lines."""
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        if instruction.positions is not None and instruction.positions.lineno:
            line = instruction.positions.lineno
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF"):
            yield str(instruction.argval), line
        elif inspect.iscode(instruction.argval):
            yield from _loads(instruction.argval)
