"""The glossary: its words are the code's, and the words it rules out are not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import notebook_udf as nu

PACKAGE = Path(nu.__file__).resolve().parent
DOCS = PACKAGE.parent / "docs"
TERMS = (DOCS / "reference" / "glossary.md").read_text("utf-8")
RULED_OUT = (DOCS / "project" / "words.md").read_text("utf-8")
ENTRIES = dict(re.findall(r"^### (.+)\n([^#]+(?:#[a-z-]+[^#]+)*)", TERMS, re.MULTILINE))
SOURCES = {path: path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}


def ruled_out(heading: str) -> set[str]:
    """The words in the table below a heading."""
    _, _, rest = RULED_OUT.partition(f"\n## {heading}\n")
    return set(re.findall(r"^\| `(\w+)` \|", rest.partition("\n## ")[0], re.MULTILINE))


def words(name: str) -> set[str]:
    """The words of a name, in lower case."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)}


def names(source: str) -> Iterator[str]:
    """Classes and what can be called from outside of a module."""
    for node in ast.walk(ast.parse(source)):
        named = isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if named and not node.name.startswith("_"):
            yield node.name


def test_there_are_entries_in_the_form_that_is_looked_for() -> None:
    assert len(ENTRIES) > 40
    assert len(ENTRIES) == TERMS.count("\n### ")


@pytest.mark.parametrize("term", ENTRIES)
def test_a_term_is_used_and_leads_on(term: str) -> None:
    form = re.compile(r"(?<![a-z])" + r"[\s_-]*".join(re.split(r"[ -]", term)), re.IGNORECASE)
    assert any(form.search(source) for source in SOURCES.values())
    assert re.search(r"\]\([\w./-]+\.md(#[\w-]+)?\)", ENTRIES[term])


def test_words_that_are_ruled_out_are_in_no_name() -> None:
    modules, everywhere = ruled_out("In no name of a module"), ruled_out("In no name of the code")
    assert len(modules) > 5 < len(everywhere)
    found = {
        f"{path.relative_to(PACKAGE)}: {name}"
        for path, source in SOURCES.items()
        for name in names(source)
        if words(name) & everywhere
    }
    found |= {
        str(path.relative_to(PACKAGE))
        for path in SOURCES
        for part in path.relative_to(PACKAGE).with_suffix("").parts
        if words(part) & (modules | everywhere)
    }
    assert not found


def test_no_term_is_ruled_out() -> None:
    both = ruled_out("In no name of a module") | ruled_out("In no name of the code")
    assert not both & set(ENTRIES)
