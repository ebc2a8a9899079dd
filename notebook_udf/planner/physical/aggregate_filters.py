"""Which rows an aggregate of Spark's takes in the place of ``accumulate``, as SQL."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


def null_tests(
    nulls: Iterable[tuple[int, bool]], values: Sequence[str], left_out: Collection[int]
) -> list[str]:
    """Tests of which arguments are NULL, and which are not.

    Parameters
    ----------
    nulls
        Positions of arguments, each with whether it has to be NULL.
    values
        The arguments in SQL.
    left_out
        Positions of those whose NULLs the aggregate leaves out by itself.
    """
    return [
        f"{values[place]} IS {'' if null else 'NOT '}NULL"
        for place, null in nulls
        if null or place not in left_out
    ]


def filter_clause(condition: str | None, tests: Iterable[str]) -> str:
    """The FILTER for rows that meet all tests, and a column's condition if one is named."""
    every = [*([f"`{condition}`"] if condition else []), *tests]
    return f" FILTER (WHERE {' AND '.join(f'({test})' for test in every)})" if every else ""
