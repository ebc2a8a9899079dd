"""Hidden functions, which only rewritten queries call, under names of their own in Spark SQL.

They stay after the query is planned, because a view may keep the text that calls them; they are
dropped with the function they serve.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from notebook_udf.planner.physical.async_ import node_function
from notebook_udf.planner.planning_context import Member
from notebook_udf.planner.syntax.forms import PLAIN_NAME
from notebook_udf.registry import RegisteredFunction
from notebook_udf.sanitize import backquoted
from notebook_udf.specs.roles import Role

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_numbers = itertools.count(1)


class HiddenFunctions:
    """The hidden functions of a session in Spark SQL, by the function that they serve."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._names: dict[str, set[str]] = {}

    def role(self, record: RegisteredFunction, role: Role, function: Any) -> str:
        """Registers a function in a role; returns its name as SQL text."""
        return self._register(f"_nu_{role}_{record.name}_{record.version}", function, [record])

    def node(self, members: Sequence[Member]) -> str:
        """Registers async functions that run in one node; returns its name as SQL text."""
        records = [record for record, _, _ in members]
        return self._register(f"_nu_node_{next(_numbers)}", node_function(members), records)

    def keep(self, name: str, *records: RegisteredFunction) -> str:
        """Has a name dropped with the functions that it is for; returns it as SQL text."""
        for record in records:
            self._names.setdefault(record.name.lower(), set()).add(name)
        return name if PLAIN_NAME.fullmatch(name) else backquoted(name)

    def has(self, name: str, record: RegisteredFunction) -> bool:
        """Whether a name is kept for a function."""
        return name in self._names.get(record.name.lower(), ())

    def discard(self, name: str, record: RegisteredFunction) -> None:
        """Forgets one name that was kept for a function."""
        self._names.get(record.name.lower(), set()).discard(name)

    def _register(self, name: str, function: Any, records: Sequence[RegisteredFunction]) -> str:
        self._spark.udf.register(name, function)
        return self.keep(name, *records)

    def forget(self, name: str) -> set[str]:
        """Forgets those of one function; returns their names, without quotes."""
        return self._names.pop(name.lower(), set())
