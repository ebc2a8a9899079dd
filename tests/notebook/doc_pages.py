"""What the documentation shows and claims: the code on its pages, in order, and its outputs."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_FENCE = re.compile(
    r"^(?:(?P<margin> *)<!-- run: (?P<how>[^\n]+?) -->\n\s*)?"
    r"^(?P<indent> *)```(?P<language>\w+)[^\n]*\n(?P<code>.*?)^(?P=indent)```$",
    re.M | re.S,
)
_RUN = ("python", "sql")
_TABLE = re.compile(r"^<!-- run: each row -->\n\|.*\n\|[-| ]+\n(?P<rows>(?:\|.*\n)+)", re.M)
_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Block:
    """A block of code as the page has it.

    Attributes
    ----------
    how
        What the comment above it says: ``raises NAME``, or ``with the imports of pyflink changed``.
    output
        The block of text right below it, which its output has to contain.
    """

    line: int
    code: str
    how: str = ""
    output: str = ""

    @property
    def raises(self) -> str:
        return self.how.removeprefix("raises ") if self.how.startswith("raises ") else ""

    @property
    def cell(self) -> str:
        """The code as a cell of a notebook."""
        if "pyflink" in self.how:
            return re.sub(
                r"^from pyflink[\w.]* import", "from notebook_udf import", self.code, flags=re.M
            )
        return self.code

    @property
    def is_python(self) -> bool:
        """Whether it is Python from its first line on."""
        return not self.code.startswith("%")


@dataclass(frozen=True)
class TableRow:
    """A row of a table that says of names what to write in their place.

    Attributes
    ----------
    names
        What stands in back quotes in the first cell.
    code
        The code in the second; "" where that is a dash, because there is no counterpart.
    """

    line: int
    names: tuple[str, ...]
    code: str


def table_rows(page: Path) -> list[TableRow]:
    """The rows of the tables of a page that are run."""
    text = page.read_text("utf-8")
    found = []
    for table in _TABLE.finditer(text):
        first = text.count("\n", 0, table.start("rows")) + 1
        for number, line in enumerate(table["rows"].splitlines()):
            names, code, note = (cell.strip() for cell in line.strip("|").split("|"))
            spans = _CODE.findall(code)
            assert code == "—" or (len(spans) == 1 and code == f"`{spans[0]}`"), line
            assert code != "—" or note, f"no reason: {line}"
            found.append(TableRow(first + number, tuple(_CODE.findall(names)), *(spans or [""])))
    return found


def pages() -> list[Path]:
    """The pages that are written by hand, and the README."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """The blocks of a page that are run."""
    text = page.read_text("utf-8")
    found = list(_FENCE.finditer(text))
    result = []
    for number, match in enumerate(found):
        if match["language"] not in _RUN:
            continue
        output = ""
        if number + 1 < len(found):
            following = found[number + 1]
            between = text[match.end() : following.start()]
            if following["language"] == "text" and not between.strip():
                output = textwrap.dedent(following["code"])
        result.append(
            Block(
                line=text.count("\n", 0, match.start("code")),
                code=textwrap.dedent(match["code"]).rstrip("\n"),
                how=match["how"] or "",
                output=output,
            )
        )
    return result


def missing(expected: str, output: str) -> list[str]:
    """Lines of ``expected`` that ``output`` does not contain in that order, but for white space."""
    lines = iter([" ".join(line.split()) for line in output.splitlines()])
    wanted = [" ".join(line.split()) for line in expected.splitlines()]
    return [
        line for line in wanted if line not in ("", "…") and not any(line in got for got in lines)
    ]


def parses(block: Block) -> bool:
    """Whether a block is Python that at least compiles."""
    ast.parse(block.code)
    return True
