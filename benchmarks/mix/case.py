"""What is known of one function of the mix: where its idea is from, and what it is run on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """An ordinary scalar function, and the columns that it is called with.

    Parameters
    ----------
    function
        What somebody would hand to Spark's ``udf``.
    source
        Where the idea is from: ``owner/repository:path`` on GitHub, or the address of a page. The
        code is written anew.
    columns
        An SQL expression over ``id`` for each argument, as ``benchmarks.mix.columns`` makes them.
    result_type
        DDL.
    examples
        Arguments and what the function answers to them.
    """

    function: Callable[..., Any]
    source: str
    columns: tuple[str, ...]
    result_type: str
    examples: tuple[tuple[tuple[Any, ...], Any], ...]

    @property
    def name(self) -> str:
        return self.function.__name__
