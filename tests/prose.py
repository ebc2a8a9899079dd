"""How plain the prose is: ``python -m tests.prose`` prints it page by page.

Counts words, sentences and passive forms in pages of the documentation, in the README and in the
docstrings of public names. Code, tables and headings are not prose. ``test_plain_english``
bounds what is counted here.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import notebook_udf as nu

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "notebook_udf"

_FENCE = re.compile(r"^( *)```.*?^\1```\s*?$", re.M | re.S)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\](?:\([^)\s]*\)|\[[^\]]*\])")
_CODE = re.compile(r"``?[^`]+``?")
_FIGURE = re.compile(r"\{\{.*?\}\}")
_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+")
_END = re.compile(r"(?<=[.!?])[)\"'”]?\s+(?=[^a-z])")
_WORD = re.compile(r"[A-Za-z0-9][\w'./-]*")
_SHORT = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|no)\.", re.I)

_PARTICIPLES = frozenset(
    """
    begun bound broken brought built chosen cut done drawn driven found forgotten given gone held
    hidden kept known left lost made meant met put read run said seen sent set shown spent split
    stood taken taught thought told torn understood written
    """.split()  # noqa: SIM905
)
_BE = r"(?:is|are|was|were|be|been|being)"
_PASSIVE = re.compile(
    rf"\b{_BE}\s+(?:(?:not|also|only|then|never|always|all|both|\w+ly)\s+)?(\w+)\b", re.I
)


@dataclass(frozen=True)
class Prose:
    """The sentences of one text."""

    name: str
    sentences: tuple[str, ...]

    @property
    def words(self) -> int:
        return sum(map(length, self.sentences))

    @property
    def average(self) -> float:
        """Words in a sentence."""
        return self.words / len(self.sentences) if self.sentences else 0.0

    @property
    def passive(self) -> float:
        """The share of sentences with a passive form."""
        count = len(self.sentences)
        return sum(map(is_passive, self.sentences)) / count if count else 0.0

    @property
    def longest(self) -> str:
        return max(self.sentences, key=length, default="")


def length(sentence: str) -> int:
    """The words of a sentence."""
    return len(_WORD.findall(sentence))


def is_passive(sentence: str) -> bool:
    """Whether a form of *to be* stands before a participle; *is left* of a state counts as well."""
    return any(
        word.lower() in _PARTICIPLES or (word.endswith("ed") and len(word) > 4)
        for word in _PASSIVE.findall(sentence)
    )


def page_prose(text: str) -> Iterator[str]:
    """The paragraphs and items of a page in Markdown, as plain text."""
    text = _FENCE.sub("\n\n", _COMMENT.sub("", text))
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        stripped = line.strip()
        apart = not stripped or stripped.startswith(("|", "#", "!!!", ":::", "<", "[![", "---"))
        if apart or _ITEM.match(line):
            if block:
                yield _plain(" ".join(block))
            block = [] if apart else [_ITEM.sub("", line).strip()]
        else:
            block.append(stripped)


def docstring_prose(text: str) -> Iterator[str]:
    """The paragraphs of a docstring in numpydoc; Examples are code."""
    text = re.sub(r"^(\w[\w ]*)\n-{3,}\n", r"\n\1\n\n", inspect.cleandoc(text), flags=re.M)
    text = text.partition("\nExamples\n")[0]
    kept, code = [], False
    for line in text.splitlines():
        # What follows two colons, indented, is shown as it is.
        code = (code and (line.startswith("    ") or not line.strip())) or False
        if not code:
            kept.append(line)
        code = code or line.rstrip().endswith("::")
    block: list[str] = []
    margin = 0
    for line in [*kept, ""]:
        indent = len(line) - len(line.lstrip())
        if not line.strip() or indent != margin or _ITEM.match(line):
            if block and not re.fullmatch(r"\**[\w.]+(, \**[\w.]+)*", " ".join(block)):
                yield _plain(" ".join(block))
            block = []
        margin = indent
        if line.strip():
            block.append(_ITEM.sub("", line).strip())


def sentences(paragraphs: Iterator[str]) -> tuple[str, ...]:
    """The sentences of paragraphs; what has fewer than three words is a label."""
    found = (
        sentence
        for paragraph in paragraphs
        for sentence in _END.split(_SHORT.sub(r"\1", paragraph))
    )
    return tuple(sentence for sentence in found if length(sentence) > 2)


def pages() -> list[Path]:
    """The README and the pages of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def of_page(path: Path) -> Prose:
    return Prose(str(path.relative_to(ROOT)), sentences(page_prose(path.read_text("utf-8"))))


def public_docstrings() -> Iterator[tuple[str, str]]:
    """The docstrings of public names and of their public methods, by name."""
    for name in nu.__all__:
        value = getattr(nu, name)
        yield name, inspect.getdoc(value) or ""
        if isinstance(value, type):
            for attribute, member in sorted(_members(value).items()):
                yield f"{name}.{attribute}", inspect.getdoc(member) or ""


def _members(kind: type) -> dict[str, object]:
    own: dict[str, object] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("notebook_udf"):
            own |= {
                key: value
                for key, value in vars(base).items()
                if not key.startswith("_")
                and (inspect.isfunction(value) or isinstance(value, (property, classmethod)))
            }
    return own


def of_docstrings() -> list[Prose]:
    seen: set[str] = set()
    found = []
    for name, text in public_docstrings():
        if text and text not in seen:
            seen.add(text)
            found.append(Prose(name, sentences(docstring_prose(text))))
    return found


def package_docstrings() -> Iterator[tuple[str, str]]:
    """All docstrings of the package, by file and line."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node)
                if text:
                    yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}", text


def _plain(text: str) -> str:
    text = _LINK.sub(r"\1", text)
    text = _CODE.sub("CODE", text)
    return _FIGURE.sub("1", text).replace("**", "").replace("*", "")


def main() -> None:
    rows = [*map(of_page, pages())]
    docstrings = of_docstrings()
    joined = Prose("public docstrings", tuple(s for prose in docstrings for s in prose.sentences))
    everything = Prose("all", tuple(s for prose in [*rows, joined] for s in prose.sentences))
    print(f"{'':40} {'words':>6} {'sentences':>9} {'average':>8} {'passive':>8} {'longest':>8}")
    for prose in [*rows, joined, everything]:
        print(
            f"{prose.name:40} {prose.words:6} {len(prose.sentences):9} {prose.average:8.1f} "
            f"{prose.passive:8.0%} {length(prose.longest):8}"
        )
    readme = len((ROOT / "README.md").read_text("utf-8").split())
    print(f"README.md has {readme} words with its code, tables and links")
    if "--long" in sys.argv:
        for prose in [*rows, *docstrings]:
            for sentence in prose.sentences:
                if length(sentence) > 30:
                    print(f"\n{prose.name}: {length(sentence)}\n  {sentence}")


if __name__ == "__main__":
    main()
