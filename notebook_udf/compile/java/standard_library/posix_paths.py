"""``os.path`` of POSIX, and the names that a ``pathlib`` path has, of texts as Java."""

from __future__ import annotations

import os
import pathlib
import posixpath
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import PATH, STR, NotCompiled, Parts, Term, Value

Given = Sequence[Value]
_CLASSES = {id(pathlib.PurePosixPath)}
if os.name == "posix":
    _CLASSES |= {id(each) for each in (pathlib.PurePath, pathlib.Path, pathlib.PosixPath)}
_NAMES = ("name", "stem", "suffix")


def _text(code: Code, value: Value) -> str:
    term = code.present(value)
    if term.kinds != STR:
        raise NotCompiled("a path that is no text")
    return term.java


def _of_one(*parts: str) -> Callable[[Code, Given], Value]:
    """A function of one path, which gives so many texts."""

    def write(code: Code, given: Given) -> Value:
        if len(given) != 1:
            raise NotCompiled("a function of one path, of several")
        text = _text(code, given[0])
        found = [code.set(STR, f"PyPath.{part}({text})") for part in parts]
        return found[0] if len(found) == 1 else Parts(tuple(found))

    return write


def _joined(code: Code, given: Given) -> Value:
    if not given:
        raise NotCompiled("a call of join that does not fit it")
    texts = [_text(code, each) for each in given]
    return code.set(STR, reduce(lambda path, other: f"PyPath.join({path}, {other})", texts))


def _itself(code: Code, given: Given) -> Value:
    if len(given) != 1:
        raise NotCompiled("a call of fspath that does not fit it")
    return Term(STR, _text(code, given[0]))


# By the identity of the function.
_FUNCTIONS: dict[int, Callable[[Code, Given], Value]] = {
    id(posixpath.basename): _of_one("basename"),
    id(posixpath.dirname): _of_one("dirname"),
    id(posixpath.split): _of_one("dirname", "basename"),
    id(posixpath.splitext): _of_one("root", "ext"),
    id(posixpath.join): _joined,
    id(os.fspath): _itself,
}


def is_function(function: Any) -> bool:
    """Whether it is one of these functions, or a class of paths."""
    return id(function) in _FUNCTIONS or id(function) in _CLASSES


def called(code: Code, function: Any, given: Given, names: Sequence[str]) -> Value:
    """A call of one of them."""
    if names:
        raise NotCompiled(f"a path with {names[0]}=")
    if id(function) in _FUNCTIONS:
        return _FUNCTIONS[id(function)](code, given)
    if len(given) != 1:
        raise NotCompiled("a path of several parts")
    return code.set(PATH, _text(code, given[0]))


def attribute(code: Code, owner: Value, name: str) -> Value | None:
    """``path.name``, ``path.stem`` or ``path.suffix``; None of anything else."""
    if not isinstance(owner, Term) or owner.kinds != PATH or name not in _NAMES:
        return None
    if pathlib.PurePosixPath("a.").suffix != "" or pathlib.PurePosixPath("..").stem != "..":
        raise NotCompiled(f"the {name} of a path in this Python")
    return code.set(STR, f"PyPath.{name}({owner.java})")
