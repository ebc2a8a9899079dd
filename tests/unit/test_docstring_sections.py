"""Docstrings of what users call say what it takes, gives and raises, and show it at work.

Types stand in signatures, from which the reference shows them; where a signature says ``Any``, the
text names what may be given. The examples run in ``tests/spark/test_docstring_examples.py``.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from notebook_udf.reports.report import JobReport
from tests.prose import ROOT
from tests.public_names import ALIASES, public_objects

OBJECTS = dict(public_objects())
FUNCTIONS = {name: value for name, value in OBJECTS.items() if inspect.isfunction(value)}
SOURCES = (ROOT / "docs" / "reference" / "sources.md").read_text("utf-8")

# Parts of the session call these, and users need not.
INSIDE = {
    f"Session.{name}": "called by other parts of the package"
    for name in (
        "adopted", "forget_dependencies", "forget_planned", "planned", "refresh_dependencies",
    )
}  # fmt: skip
# This list may only shrink.
WITHOUT_EXAMPLES = INSIDE | {
    "Session.add_requirements": "asks a package index",
    "Session.stop": "ends the session that runs the examples",
}
# Members that no example has to show.
UNSHOWN = {
    "Counter.snapshot": "called where a bundle ends",
    "Distribution.snapshot": "called where a bundle ends",
    "Gauge.snapshot": "called where a bundle ends",
    "Histogram.snapshot": "called where a bundle ends",
    "Meter.snapshot": "called where a bundle ends",
    "MetricGroup.reset": "called by other parts of the package",
    "MetricGroup.walk": "called by other parts of the package",
    "Pool.send": "called by other parts of the package",
    "Session.environment": "packs all of the kernel's packages",
    "RegisteredFunction.identity": "asked by other parts of the package",
    "Row.of": "called by other parts of the package",
}
_HEAD = re.compile(r"^(Attributes|Parameters|Returns|Yields|Raises|Notes|Examples)\n-{3,}\n", re.M)
_USED = re.compile(r"(?:\.|\bdef )(\w+)")
_NAMED = re.compile(r"\[[\w. -]+\]\[([\w-]+)\]")


def sections(value: Callable[..., Any]) -> dict[str, str]:
    """The sections of a docstring; that before the first one under ""."""
    first, *rest = _HEAD.split(inspect.getdoc(value) or "")
    return {"": first, **dict(zip(rest[::2], rest[1::2], strict=True))}


def examples(name: str) -> str:
    """Those of what has that name; "" if it has none, or is no name."""
    return sections(OBJECTS[name]).get("Examples", "") if name in OBJECTS else ""


def parameters(value: Callable[..., Any]) -> set[str]:
    return inspect.signature(value).parameters.keys() - {"self"}


def told(text: str) -> set[str]:
    """The names at the margin of a section."""
    lines = [line for line in text.splitlines() if line and not line.startswith(" ")]
    return {name.strip("*") for line in lines for name in re.split(r", ?", line)}


def raises(value: Callable[..., Any]) -> bool:
    """Whether its own code raises anything."""
    code = ast.parse(textwrap.dedent(inspect.getsource(value)))
    return any(isinstance(node, ast.Raise) and node.exc is not None for node in ast.walk(code))


@pytest.mark.parametrize("name", OBJECTS)
def test_it_begins_with_a_sentence(name: str) -> None:
    first = sections(OBJECTS[name])[""].partition("\n\n")[0]
    assert re.match(r"[A-Z`].*[.:]$", first, re.S), first


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - INSIDE.keys()))
def test_a_function_says_what_it_takes_gives_and_raises(name: str) -> None:
    function = FUNCTIONS[name]
    found = sections(function)
    assert told(found.get("Parameters", "")) >= parameters(function)
    gives = inspect.signature(function).return_annotation
    assert ("Returns" in found) == (gives not in ("None", None))
    if raises(function):
        assert found.get("Raises")


@pytest.mark.parametrize("name", sorted(OBJECTS.keys() - WITHOUT_EXAMPLES.keys()))
def test_it_has_examples_that_run(name: str) -> None:
    assert ">>> " in examples(name)


def members(cls: type) -> set[str]:
    """The names of its public methods and properties."""
    kinds = (property, staticmethod, classmethod)
    return {
        name
        for name, value in inspect.getmembers_static(cls)
        if not name.startswith("_")
        and name not in ALIASES
        and (inspect.isfunction(value) or isinstance(value, kinds))
    }


CLASSES = [
    name for name, each in OBJECTS.items() if inspect.isclass(each) and each is not JobReport
]


# But for a report, whose methods the command line calls.
@pytest.mark.parametrize("name", CLASSES)
def test_every_member_is_shown_at_work(name: str) -> None:
    """In an example of its class, or of another class that has it."""
    shown = {
        member
        for cls, value in OBJECTS.items()
        if inspect.isclass(value) and members(value) & members(OBJECTS[name])
        for each in (cls, *(f"{cls}.{method}" for method in members(value)))
        for member in _USED.findall(examples(each))
    }
    missing = {f"{name}.{member}" for member in members(OBJECTS[name]) - shown}
    assert missing - WITHOUT_EXAMPLES.keys() == {n for n in UNSHOWN if n.startswith(f"{name}.")}


def test_the_list_of_those_without_examples_only_shrinks() -> None:
    assert len(WITHOUT_EXAMPLES) <= 7
    assert OBJECTS.keys() >= WITHOUT_EXAMPLES.keys()
    shown = {name for name in WITHOUT_EXAMPLES if ">>> " in (inspect.getdoc(OBJECTS[name]) or "")}
    assert not shown


def test_sources_are_named_on_their_page() -> None:
    headings = {head.lower() for head in re.findall(r"^## (.+)$", SOURCES, re.M)}
    named = {
        source
        for value in OBJECTS.values()
        for source in _NAMED.findall(inspect.getdoc(value) or "")
    }
    assert named == headings
