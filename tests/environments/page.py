"""Writes the table of the page of environments: ``python -m tests.environments.page``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.environments.environments import ENVIRONMENTS, tried
from tests.scripts import ROOT

PAGE = ROOT / "docs/how-to/environments.md"
_ALL_RIGHT = "✓"

Found = dict[str, dict[str, str]]


def shown() -> Found:
    """The page's table: by environment what stands beside each feature."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    heads, *cells = ([cell.strip() for cell in line.strip("|").split(" | ")] for line in lines)
    return {
        head: {row[0]: row[place].replace(_ALL_RIGHT, "") for row in cells}
        for place, head in enumerate(heads)
        if head in ENVIRONMENTS
    }


def write(found: Found) -> None:
    """Puts a table in the place of the page's."""
    features = list(dict.fromkeys(name for each in found.values() for name in each))
    rows = [["", *found], ["---"] * (len(found) + 1)]
    for name in features:
        rows.append([name, *(each.get(name, "not tried") or _ALL_RIGHT for each in found.values())])
    table = ["| " + " | ".join(row) + " |" for row in rows]
    # The line under the heads begins otherwise, so that it is not taken for a row.
    table[1] = "|" + "---|" * (len(found) + 1)
    lines = PAGE.read_text().splitlines()
    places = [place for place, line in enumerate(lines) if line.startswith("|")]
    lines[places[0] : places[-1] + 1] = table
    PAGE.write_text("\n".join(lines) + "\n")


def main() -> None:
    """Tries every environment, or those whose names begin as an argument does."""
    found = shown()
    for name in ENVIRONMENTS:
        if not sys.argv[1:] or name.startswith(tuple(sys.argv[1:])):
            with tempfile.TemporaryDirectory() as folder:
                found[name] = tried(name, Path(folder))
            wrong = {feature: said for feature, said in found[name].items() if said}
            print(name, wrong, flush=True)
            write({each: found[each] for each in ENVIRONMENTS if each in found})


if __name__ == "__main__":
    main()
