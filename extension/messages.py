"""Writes the types of all that crosses between the kernel and a browser, for the scripts there.

What the Python side says is the one definition: the return type of each panel's ``read``, the
annotations of what it ``answers``, and the messages beside them. ``make types`` writes
``src/shared/messages.ts``; a test compares.

``Annotated[made, sent, …]`` says of a value how it arrives: as ``sent``, or as all of several
together. A dataclass stands for what ``dataclasses.asdict`` makes of it, without fields whose
metadata say that they are not ``sent``.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from notebook_udf.lab.browser_commands import Orders
from notebook_udf.lab.panel_data import LabMessage
from notebook_udf.lab.publisher import LabNews
from notebook_udf.widgets.live_panel import LivePanel
from notebook_udf.widgets.log_feed import FailuresMessage, LinesMessage
from notebook_udf.widgets.log_panel import LogPanel
from notebook_udf.widgets.metrics_panel import MetricsPanel
from notebook_udf.widgets.panel import Panel
from notebook_udf.widgets.plan_panel import PlanPanel
from notebook_udf.widgets.pool_panel import PoolPanel
from notebook_udf.widgets.requests import Reply, Request, answering
from notebook_udf.widgets.state_panel import StatePanel

PANELS: list[type[Panel]] = [LivePanel, LogPanel, MetricsPanel, PlanPanel, PoolPanel, StatePanel]
MESSAGES = [FailuresMessage, LinesMessage, LabMessage, Reply, Request]
COMMANDS: dict[str, list[type]] = {
    **{f"{panel.__name__.removesuffix('Panel')}Commands": [panel] for panel in PANELS},
    "LabCommands": [Orders, LabNews],
}

FILE = Path(__file__).parent / "src" / "shared" / "messages.ts"
_HEAD = """\
// biome-ignore-all format: as it was written.
// Written by extension/messages.py from what the Python side says: change that, then `make types`.
"""
_PRIMITIVES = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
    Any: "unknown",
    object: "unknown",
}


class Writer:
    """Collects the classes that are named by others, and writes each once."""

    def __init__(self) -> None:
        self._classes: dict[str, type] = {}

    def text(self) -> str:
        """The whole file."""
        roots = [get_type_hints(panel.read, include_extras=True)["return"] for panel in PANELS]
        for root in [*roots, *MESSAGES]:
            self._type(root)
        commands = [self._commands(name, kinds) for name, kinds in COMMANDS.items()]
        written: dict[str, str] = {}
        # What a class names is found while it is written.
        while missing := sorted(self._classes.keys() - written.keys()):
            written |= {name: self._class(self._classes[name]) for name in missing}
        parts = [written[name] for name in sorted(written)]
        return "\n".join([_HEAD, *parts, *filter(None, commands)])

    def _type(self, hint: Any) -> str:
        """A type as TypeScript writes it."""
        if hint in _PRIMITIVES:
            return _PRIMITIVES[hint]
        origin, words = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return " & ".join(self._type(each) for each in words[1:])
        if origin is Literal:
            return " | ".join(f'"{each}"' for each in words)
        if origin in (Union, types.UnionType):
            return " | ".join(dict.fromkeys(self._type(each) for each in words))
        if origin in (NotRequired, Future):
            return self._type(words[0])
        if origin in (dict, Mapping):
            return f"Record<{self._type(words[0])}, {self._type(words[1])}>"
        if origin is tuple and words[-1] is not Ellipsis:
            return f"[{', '.join(self._type(each) for each in words)}]"
        if origin in (list, tuple, Sequence):
            one = self._type(words[0])
            return f"({one})[]" if " " in one and one[0] not in "[R" else f"{one}[]"
        if is_record(hint):
            known = self._classes.setdefault(hint.__name__, hint)
            assert known is hint, f"{known} and {hint} have one name"
            return hint.__name__
        raise TypeError(f"{hint} has no form in TypeScript yet")

    def _class(self, kind: type) -> str:
        head = _comment(inspect.getdoc(kind) or "")
        if hasattr(kind, "_fields"):
            places = ", ".join(f"{name}: {self._type(hint)}" for name, hint, _ in fields(kind))
            return f"{head}export type {kind.__name__} = [{places}];\n"
        lines = [
            f"  {name}{'?' if optional else ''}: {self._type(hint)};"
            for name, hint, optional in fields(kind)
        ]
        return "\n".join([f"{head}export interface {kind.__name__} {{", *lines, "}\n"])

    def _commands(self, name: str, kinds: list[type]) -> str:
        """What may be asked, by the name of the command: its words, and what comes back."""
        lines = []
        for kind in kinds:
            for command, method in answering(kind).items():
                function = getattr(kind, method)
                hints = get_type_hints(function, include_extras=True)
                words = [
                    f"{word}{'' if each.default is each.empty else '?'}: {self._type(hints[word])}"
                    for word, each in list(inspect.signature(function).parameters.items())[1:]
                ]
                said = f"{{ {'; '.join(words)} }}" if words else "Record<string, never>"
                lines.append(
                    f"  {command}: [words: {said}, result: {self._type(hints['return'])}];"
                )
        return "\n".join([f"export interface {name} {{", *lines, "}\n"]) if lines else ""


def is_record(kind: Any) -> bool:
    """Whether it is a class with named fields."""
    return isinstance(kind, type) and (
        is_typeddict(kind) or dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")
    )


def fields(kind: type) -> Iterator[tuple[str, Any, bool]]:
    """Names and types of what is sent of a class, and whether each may be missing."""
    hints = get_type_hints(kind, include_extras=True)
    notes: dict[str, Mapping[str, Any]] = {}
    if dataclasses.is_dataclass(kind):
        notes = {field.name: field.metadata for field in dataclasses.fields(kind)}
    lacking = getattr(kind, "__optional_keys__", ())
    for name, hint in hints.items():
        sent = notes.get(name, {}).get("sent", hint)
        if sent is not False:
            yield name, sent, name in lacking or get_origin(hint) is NotRequired


def _comment(text: str) -> str:
    """What a class is; what its attributes are is told where it is."""
    first, *others = text.partition("\n\nAttributes\n")[0].splitlines()
    if not others:
        return f"/** {first} */\n"
    return "\n".join(["/**", *(f" * {line}".rstrip() for line in (first, *others)), " */", ""])


if __name__ == "__main__":
    FILE.write_text(Writer().text(), "utf-8")
    sys.stdout.write(f"{FILE} is what the Python side says\n")
