"""How a test calls a function of a kind, as source text: without Spark, as a worker calls it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from notebook_udf.functions.base import UserDefinedFunction
from notebook_udf.python_calls import quoted

# The name in the test of a name in a module, or of a module where that is None.
Spell = Callable[[str, str | None], str]

# The function in which a test makes an instance and calls it.
HELPER = "result_of"


@dataclass(frozen=True)
class CallForm:
    """A call in a test.

    Attributes
    ----------
    before, after
        The texts around the arguments.
    helper
        The source of a function that the call needs; "" if it needs none.
    """

    before: str
    after: str = ")"
    helper: str = ""


def opened(
    function: UserDefinedFunction,
    name: str,
    target: str,
    spell: Spell,
    body: Sequence[str],
    parameter: str = "*arguments",
) -> str:
    """The source of a function that makes an instance, opens it, calls it and closes it.

    ``target`` is the text that makes the instance, ``body`` what is done with ``function``.
    ``open`` and ``close`` are called if the class has any.
    """
    cls = written(function)
    waits = any("await" in line for line in body)
    opens, closes = (_own(cls, method) for method in ("open", "close"))
    lines = [f"{'async ' * waits}def {HELPER}({parameter}):", f"    function = {target}"]
    if opens is not None:
        context = f"{spell('notebook_udf', 'FunctionContext')}(function={quoted(name)})"
        lines.append(f"    {_await(opens)}function.open({context})")
    margin = "    "
    if closes is not None:
        lines.append("    try:")
        margin *= 2
    lines += [f"{margin}{line}" for line in body]
    if closes is not None:
        lines += ["    finally:", f"        {_await(closes)}function.close()"]
    return "\n".join(lines)


def written(function: UserDefinedFunction) -> type:
    """The class of an instance as its user wrote it, whether with a base class of ours or not."""
    cls = type(function)
    base: type = cls.__bases__[0]
    derived = (base.__module__, base.__qualname__) == (cls.__module__, cls.__qualname__)
    return base if derived else cls


def needs_no_opening(function: UserDefinedFunction) -> bool:
    """Whether the class of an instance has neither ``open`` nor ``close``."""
    cls = written(function)
    return _own(cls, "open") is None and _own(cls, "close") is None


def _own(cls: type, method: str) -> Any:
    found = getattr(cls, method, None)
    return None if found is getattr(UserDefinedFunction, method) else found


def _await(method: Any) -> str:
    return "await " * inspect.iscoroutinefunction(method)
