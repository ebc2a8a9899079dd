"""The annotations of a callable, as far as functions are declared by them."""

from __future__ import annotations

import collections.abc
import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

from notebook_udf.errors import TypeDeclarationError

# Annotations of several rows: lazy ones, which come one by one, and collections of a known size.
LAZY = (collections.abc.Iterator, collections.abc.Iterable, collections.abc.Generator)
SIZED = (list, collections.abc.Sequence, collections.abc.Collection)


def called(f: Any) -> Any:
    """The function that runs when ``f`` is called."""
    target = f.func if isinstance(f, functools.partial) else f
    return target if inspect.isroutine(target) else type(target).__call__


def own_name(f: Any) -> str:
    """The name of a callable, or of the one in a ``functools.partial``."""
    named = f.func if isinstance(f, functools.partial) else f
    name = str(getattr(named, "__name__", type(named).__name__))
    return "lambda" if name == "<lambda>" else name


def hints_of(call: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a callable as objects; none if one of them cannot be resolved."""
    try:
        return typing.get_type_hints(called(call), include_extras=True)
    except TypeDeclarationError:
        # It is a TypeError as well; its message says what is wrong with the annotation.
        raise
    except (NameError, TypeError, AttributeError):
        # An annotation for people only (a forward reference to nothing): types must be given.
        return {}


def yields(call: Callable[..., Any]) -> bool:
    """Whether a callable gives several values: it is a generator, or annotated to return an
    ``Iterator``, ``Iterable`` or ``Generator``."""
    return (
        inspect.isgeneratorfunction(called(call)) or rows_of(hints_of(call).get("return"), LAZY)[0]
    )


def rows_of(annotation: Any, kinds: tuple[Any, ...]) -> tuple[bool, Any]:
    """Whether an annotation is one of several rows, and the row's annotation if it has one."""
    annotation = present(annotation)
    if (typing.get_origin(annotation) or annotation) not in kinds:
        return False, None
    return True, next(iter(typing.get_args(annotation)), None)


def present(annotation: Any) -> Any:
    """``T`` for ``T | None``: None stands for no rows."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        members = [a for a in typing.get_args(annotation) if a is not types.NoneType]
        if len(members) == 1:
            return members[0]
    return annotation


def shown(annotation: Any) -> str:
    """An annotation as text for a message."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
