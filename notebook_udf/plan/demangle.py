"""Readable names in a plan's texts: without Spark's numbers and without hidden names.

Spark numbers columns (``id#5L``); the planner's own columns and functions have hidden names, which
start with ``_nu_``. A hidden column that only stands for an expression is shown as that expression,
any other as a word; a hidden function under its registered name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import get_args

from notebook_udf.host.raw_plan import RawNode
from notebook_udf.specs.roles import Role

_LONGEST = 70
_LONGEST_IDENTITY = 2000
_DEPTH = 6
_PYTHON = r"pythonUDF\d+"
_NUMBER = re.compile(r"(?<=[\w)\]`])#\d+L?\b")
_STAND_IN = re.compile(rf"\b(?:_nu_\w+?|{_PYTHON})#\d+L?\b")
_COLUMN = re.compile(r"[\w.`$]+#\d+L?\b")
_HIDDEN_FUNCTION = re.compile(
    rf"_nu_({'|'.join(sorted(get_args(Role), key=len, reverse=True))})_(.+?)_(\d+)(?=\()"
)
_HIDDEN_ALIAS = re.compile(r" AS _nu_\w+#\d+L?\b")
_NOT_PYTHON = re.compile(rf"(?<![\w.])(?!{_PYTHON}#)[\w.`$]+#\d+L?\b")
# Further arguments of collect_list and collect_set.
_COLLECTED = re.compile(r", 0, 0, (?:true|false)\)")
# The arguments of an aggregate, which are passed as one struct.
_ROW = re.compile(r"named_struct\((a0, [^()]*)\)")
_FIELD = re.compile(r"(?:^|(?<=, ))a\d+, ")
# How a call is computed once per row (``planner.rules.common_subexpression``).
ONCE = re.compile(r"inline\(array\(named_struct\(h, (.*)\)\)\), ")
_HIDDEN = re.compile(r"\b_nu_([a-z]+)(\d+(?:_\d+)?)?\w*")
_WORDS = {"acc": "accumulator", "arg": "argument", "col": "column", "z": "element", "r": "result"}
_OPENING, _CLOSING = "([{", ")]}"


def without_numbers(text: str) -> str:
    """Removes Spark's numbers of columns from a text."""
    return _NUMBER.sub("", text)


def parts(text: str) -> list[str]:
    """Splits a text such as ``a, f(b, c), [d, e]`` at its outer commas."""
    found, depth, start = [], 0, 0
    for place, character in enumerate(text):
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth = max(0, depth - 1)
        elif character == "," and depth == 0:
            found.append(text[start:place].strip())
            start = place + 1
    last = text[start:].strip()
    return [*found, last] if last or found else []


def bracketed(text: str) -> list[str]:
    """The items in the brackets that a text begins with, split at the outer commas."""
    text = text.strip()
    return parts(text[1 : closing(text)]) if text.startswith("[") else []


def closing(text: str, start: int = 0) -> int:
    """The index of the bracket that closes the one at ``start``; the text's length if none does."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] in _OPENING) - (text[place] in _CLOSING)
        if depth == 0:
            return place
    return len(text)


def hidden_function(text: str) -> tuple[str, str, int] | None:
    """Role, name and version of a hidden function's call; None if it is not one."""
    match = _HIDDEN_FUNCTION.match(text)
    return None if match is None else (match[1], match[2], int(match[3]))


class PlanNames:
    """The meanings of one plan's columns: the expressions that they stand for."""

    def __init__(self, root: RawNode) -> None:
        self._meanings: dict[str, str] = {}
        # Results of hidden functions, as calls that their users know.
        self._calls: dict[str, str] = {}
        for node in _upwards(root):
            self._learn(node)

    def shown(self, text: str) -> str:
        """A text of the plan in its readable form."""
        text = self._filled(_HIDDEN_ALIAS.sub("", text), _STAND_IN, _DEPTH, self._calls)
        text = _HIDDEN_FUNCTION.sub(lambda match: match[2], text)
        text = _COLLECTED.sub(")", _NUMBER.sub("", text))
        text = _ROW.sub(lambda match: f"({_FIELD.sub('', match[1])})", text)
        return unwrapped(_HIDDEN.sub(_word, text))

    def identity(self, text: str) -> str:
        """A text in terms of the plan's source columns: equal identities have equal values."""
        text = self._filled(text, _COLUMN, _DEPTH, longest=_LONGEST_IDENTITY)
        return unwrapped(re.sub(r"(?<=\))#\d+L?\b", "", text))

    def is_python(self, text: str) -> bool:
        """Whether an expression takes the result of a Python function."""
        text = self._filled(text, _NOT_PYTHON, _DEPTH, longest=_LONGEST_IDENTITY)
        return re.search(rf"\b{_PYTHON}#", text) is not None

    def _filled(
        self,
        text: str,
        pattern: re.Pattern[str],
        depth: int,
        first: Mapping[str, str] = MappingProxyType({}),
        *,
        longest: int = _LONGEST,
    ) -> str:
        """Replaces columns in a text by their meanings, those in ``first`` taking precedence."""

        def meaning(match: re.Match[str]) -> str:
            found = first.get(match[0]) or self._meanings.get(match[0])
            if found is None or depth == 0:
                return match[0]
            inner = self._filled(found, pattern, depth - 1, first, longest=longest)
            if len(inner) <= longest:
                return inner
            head = re.match(r"[\w.$]+\(", inner)
            return f"{head[0]}…)" if head is not None else match[0]

        return pattern.sub(meaning, text)

    def _learn(self, node: RawNode) -> None:
        body = node.text.removeprefix(node.name).strip()
        if node.name == "Project":
            for item in bracketed(body):
                expression, found, alias = item.rpartition(" AS ")
                if found:
                    self._mean(alias, expression)
        elif node.name.endswith("EvalPython"):
            calls, results = _two_lists(body)
            for call, result in zip(calls, results, strict=False):
                self._mean(result, call)
                hidden = hidden_function(call)
                if hidden is not None:
                    self._calls[result] = written(hidden[1], hidden[0], call)
        elif node.name in ("MapInArrow", "MapInPandas"):
            self._pass_through(node, body)
        elif node.name == "Generate":
            once = ONCE.match(body)
            for result in bracketed(body[body.rfind("[") :]) if once is not None else []:
                if once is not None:
                    self._mean(result, once[1])

    def _pass_through(self, node: RawNode, body: str) -> None:
        """Learns the output of one of our passes: input columns, then one for each function."""
        leaving = node.output or tuple(bracketed(body[body.rfind("[") :]))
        entering = {each.partition("#")[0]: each for each in parts(call_arguments(body))}
        for column in leaving:
            before = entering.get(column.partition("#")[0])
            if before is not None and column.startswith("_nu_"):
                self._mean(column, before)
        made = [
            header
            for function in node.functions
            for header in function.headers
            # Columns of these have names of their own, and not all of them are output.
            if header["role"] not in ("table", "process")
        ]
        for column, header in zip(leaving[len(leaving) - len(made) :], made, strict=True):
            name, role = header["name"], header["role"]
            self._calls[column] = f"{name}(…)" if role == "window" else f"{name} accumulator"

    def _mean(self, column: str, expression: str) -> None:
        column = column.strip()
        if column != expression and re.fullmatch(r".*#\d+L?", column):
            self._meanings.setdefault(column, expression)


def call_arguments(text: str) -> str:
    """The text in the parentheses of the call that a text begins with."""
    start = text.find("(")
    return text[start + 1 : closing(text, max(start, 0))]


def written(name: str, role: str, call: str) -> str:
    """A call of a hidden function as its user would write it; ``call`` is Spark's."""
    arguments = parts(call_arguments(call))
    if role == "guarded" and arguments:
        return f"{name}({', '.join(arguments[1:])})"
    if role == "scalar":
        return f"{name}({', '.join(arguments)})"
    return f"{name}(…)"


def unwrapped(text: str) -> str:
    """Removes parentheses around whole arguments and items: ``f((a + b))`` is ``f(a + b)``."""
    pairs, opened = {}, []
    for place, character in enumerate(text):
        if character in _OPENING:
            opened.append(place)
        elif character in _CLOSING and opened:
            pairs[opened.pop()] = place
    dropped: set[int] = set()
    for start, end in pairs.items():
        before, after = text[:start], text[end + 1 :]
        if (
            text[start] == "("
            and (not before or before.endswith((", ", "(", "[")))
            and (not after or after.startswith((",", ")", "]", " AS ", " ASC", " DESC")))
        ):
            dropped |= {start, end}
    return "".join(c for place, c in enumerate(text) if place not in dropped)


def _two_lists(text: str) -> tuple[list[str], list[str]]:
    first, *rest = parts(text)
    return bracketed(first), bracketed(rest[0]) if rest else []


def _upwards(node: RawNode) -> Iterator[RawNode]:
    for child in node.children:
        yield from _upwards(child)
    yield node


def _word(match: re.Match[str]) -> str:
    return _WORDS.get(match[1], match[1]) + (match[2] or "")
