"""Plain English: words that other words replace, long sentences and passive forms.

The words are in the table "In no text" of words.md, for texts of every kind: pages, docstrings,
messages, and what the panels say. ``python -m tests.prose`` prints what is counted here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests import prose

ROOT = prose.ROOT
WORDS = ROOT / "docs" / "project" / "words.md"
# Words in a sentence: on average on a page, and the most.
AVERAGE, MOST = 17.0, 45
# The share of sentences with a passive form: over all, and on a page with many sentences.
PASSIVE, PASSIVE_PAGE = 0.25, 0.40
MANY = 12

_ROW = re.compile(r"^\| `([^`|]+)` \| (.+?) \|$", re.M)
_FENCED = re.compile(r"^( *)```.*?^\1```\s*?$", re.M | re.S)
_INLINE = re.compile(r"``[^`]+``|`[^`\n]+(?:\n[^`\n]+)?`")
# Comments, and names of figures, which are those of ``RESULTS.md``.
_COMMENT = re.compile(r"<!--.*?-->|\{\{.*?\}\}", re.S)
_SAID = re.compile(r"[A-Za-z]+ [a-z]+")
# Names with a dot or an underscore, and those of parameters on a line of their own.
_NAMES = re.compile(r"[\w.]*[._]\w+|^ *\w+(?:, \w+)*$", re.M)
# In TypeScript: texts in quotes and what stands between tags.
_TEXT = re.compile(r"\"([^\"\n]+)\"|'([^'\n]+)'|`([^`]+)`|>\s*([^<>{}]+?)\s*<")
_NOTE = re.compile(r"/\*[\s\S]*?\*/|^\s*//[^\n]*$", re.M)


@cache
def replaced() -> dict[str, str]:
    """What to write instead of each word that no text has."""
    page = WORDS.read_text("utf-8")
    table = page.partition("## In no text\n")[2].partition("\n##")[0]
    return dict(_ROW.findall(table))


@cache
def forms() -> dict[str, re.Pattern[str]]:
    """Each word with its endings."""
    return {
        word: re.compile(rf"(?<![\w-]){re.escape(word)}(?:s|d|ed|ing|ly)?(?![\w=(])", re.IGNORECASE)
        for word in replaced()
    }


def found_in(text: str) -> list[str]:
    return [word for word, form in forms().items() if form.search(text)]


def page_text(path: Path) -> str:
    """A page without its code."""
    text = path.read_text("utf-8")
    if path == WORDS:
        text = text.partition("## In no text")[0]
    return _INLINE.sub("", _FENCED.sub("", _COMMENT.sub("", text)))


def package_texts() -> Iterator[tuple[str, str]]:
    """Docstrings and messages of the package, by file and line."""
    for path in sorted(prose.PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value.partition("\n    Examples\n")[0]
                if _SAID.search(text) and "\\" not in text:
                    where = f"{path.relative_to(ROOT)}:{node.lineno}"
                    yield where, _NAMES.sub("", _INLINE.sub("", text))


def panel_texts() -> Iterator[tuple[str, str]]:
    """What the panels say, by file."""
    for path in sorted((ROOT / "extension" / "src").rglob("*.ts*")):
        source = _NOTE.sub("", path.read_text("utf-8"))
        for parts in _TEXT.findall(source):
            text = "".join(parts)
            if _SAID.search(text):
                yield str(path.relative_to(ROOT)), text


def test_there_is_a_word_to_write_instead() -> None:
    assert len(replaced()) >= 30
    assert all(found_in(instead) == [] for instead in replaced().values())


@pytest.mark.parametrize("path", prose.pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_has_none_of_the_words(path: Path) -> None:
    assert found_in(page_text(path)) == []


def test_docstrings_and_messages_have_none_of_the_words() -> None:
    texts = list(package_texts())
    assert len(texts) > 3000
    assert {where: words for where, text in texts if (words := found_in(text))} == {}


def test_panels_have_none_of_the_words() -> None:
    texts = list(panel_texts())
    assert len(texts) > 50
    assert {(where, text): words for where, text in texts if (words := found_in(text))} == {}


@pytest.mark.parametrize("path", prose.pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_sentences_of_a_page_are_short(path: Path) -> None:
    page = prose.of_page(path)
    assert page.average <= AVERAGE
    assert prose.length(page.longest) <= MOST, page.longest
    if len(page.sentences) >= MANY:
        assert page.passive <= PASSIVE_PAGE


def test_sentences_of_public_docstrings_are_short() -> None:
    docstrings = prose.of_docstrings()
    every = prose.Prose("all", tuple(s for text in docstrings for s in text.sentences))
    assert len(every.sentences) > 300
    assert every.average <= AVERAGE
    assert [text.longest for text in docstrings if prose.length(text.longest) > MOST] == []


def test_most_sentences_are_active() -> None:
    texts = [*map(prose.of_page, prose.pages()), *prose.of_docstrings()]
    every = prose.Prose("all", tuple(s for text in texts for s in text.sentences))
    assert every.passive <= PASSIVE


def test_the_counting_itself() -> None:
    page = "# A head\n\nOne two `x.y` four. It is kept\nhere, e.g. so.\n\n- An item of five words\n"
    said = prose.sentences(prose.page_prose(page))
    assert said == ("One two CODE four.", "It is kept here, e.g so.", "An item of five words")
    assert [prose.length(sentence) for sentence in said] == [4, 6, 5]
    assert [prose.is_passive(sentence) for sentence in said] == [False, True, False]
    doc = "Does it at once.\n\n    Parameters\n    ----------\n    name\n        What it has.\n"
    assert prose.sentences(prose.docstring_prose(doc)) == ("Does it at once.", "What it has.")
