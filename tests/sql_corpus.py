"""The corpus: queries in every form that Spark's grammar has, each with a call of ours in it.

Each file of ``tests/fixtures/sql`` holds queries that end with ``;`` at the end of a line, below a
line ``-- what it shows``. In a query ``@sum(v)`` is an aggregate and ``@inc(v)`` a scalar function:
once they are Spark's own, ``sum`` and a SQL function that adds one, and once their twins in Python.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("fixtures") / "sql"
_MARKED = re.compile(r"@(sum|inc)(?=\s*\()")

# What the queries read; the rows are few, so that a wrong one is seen.
TABLES = {
    "t": """
        SELECT * FROM VALUES
          (1L, 1, 10L, 1.5D, 'a', DATE '2020-01-01', TIMESTAMP '2020-01-01 00:00:00', true, 1.25,
           array(1L, 2L), map('a', 1L), named_struct('a', 1L, 'b', 'x')),
          (2L, 1, 20L, 2.5D, 'b', DATE '2020-01-02', TIMESTAMP '2020-01-01 12:00:00', false, 2.50,
           array(3L), map('b', 2L), named_struct('a', 2L, 'b', 'y')),
          (3L, 2, 30L, NULL, 'B', DATE '2020-02-01', TIMESTAMP '2020-02-01 00:00:00', NULL, NULL,
           array(), map(), named_struct('a', 3L, 'b', NULL)),
          (4L, 2, NULL, 4.5D, NULL, NULL, NULL, true, 4.75, NULL, NULL, NULL),
          (5L, 3, 50L, -0.5D, 'it''s', DATE '2021-12-31', TIMESTAMP '2021-12-31 23:59:59', false,
           5.00, array(5L, NULL), map('a', 5L, 'c', 6L), named_struct('a', NULL, 'b', 'z')),
          (6L, NULL, 60L, 6.5D, '', DATE '1999-12-31', TIMESTAMP '1999-12-31 01:02:03', true,
           -6.00, array(6L, 6L), map('c', NULL), named_struct('a', 6L, 'b', ''))
        AS t(id, k, v, x, s, d, ts, b, dec, xs, m, st)""",
    "u": """
        SELECT * FROM VALUES (1, 100L, 'one'), (2, 200L, 'two'), (2, 250L, 'two'),
          (4, 400L, 'four'), (NULL, 500L, NULL) AS u(k, w, n)""",
}


@dataclass(frozen=True)
class Entry:
    """A query of the corpus.

    Attributes
    ----------
    name
        Its file, and what it shows.
    marked
        The query with ``@sum`` and ``@inc``.
    """

    name: str
    marked: str

    def written(self, names: dict[str, str]) -> str:
        """The query with functions in the place of the marks."""
        return _MARKED.sub(lambda match: names[match[1]], self.marked)

    @property
    def is_ordered(self) -> bool:
        """Whether its rows come in an order that is part of the answer."""
        return "order decides" in self.name


def entries() -> list[Entry]:
    """All queries of the corpus."""
    found = []
    for path in sorted(FOLDER.glob("*.sql")):
        for part in re.split(r";[ \t]*\n", path.read_text("utf-8")):
            name, _, query = part.strip("\n").partition("\n")
            if query.strip():
                assert name.startswith("-- "), f"{path.name}: {part[:60]!r} has no name"
                found.append(Entry(f"{path.stem}: {name[3:].strip()}", query))
    names = [entry.name for entry in found]
    assert len(set(names)) == len(names), "two queries have the same name"
    return found
