"""The planner's access to a session: Spark's analysis, hidden functions, names for rows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Container, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import DataFrame

from notebook_udf.host.host import Host
from notebook_udf.host.spark_frames import NamedFrames
from notebook_udf.kernel.hidden import HiddenFunctions
from notebook_udf.planner.physical import aggregate
from notebook_udf.planner.physical.in_java import Listed
from notebook_udf.planner.planning_context import Member, Passes
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.roles import Role

_numbers = itertools.count(1)
_VIEW = re.compile(r"\b_nu_rows_\d+\b")
_DOUBLE_QUOTED = ("spark.sql.ansi.enabled", "spark.sql.ansi.doubleQuotedIdentifiers")
# What differs between equal plans: columns are numbered through the session, a Scala lambda has an
# address, a parameter its position in the text.
_NUMBER = re.compile(r"#\d+L?|\$\$Lambda[\w/$]*@?\w*|posparameter\(\d+\)")
_PASSED = "\n-- and these rows go through a pass in Python"


class Catalog:
    """Serves the planning of one query; its exit takes the names of rows back.

    Parameters
    ----------
    host
        The session's Spark.
    planned
        Gives the Spark function of a record in a role.
    hidden
        Registers functions that only rewritten queries call.
    listed
        Gives the names of those that run in Spark's JVM and give lists of rows.
    parameters
        Values for the query's named parameters.
    frames
        Names for rows, until planning is over; those of the query's own DataFrames, if it has any.
    """

    passes: Passes = aggregate

    def __init__(
        self,
        host: Host,
        planned: Callable[[RegisteredFunction, Role], Any],
        hidden: HiddenFunctions,
        listed: Listed,
        parameters: Any = None,
        frames: NamedFrames | None = None,
    ) -> None:
        self._host = host
        self._conf = host.spark.conf
        self._frames = host.frames.named() if frames is None else frames
        self._planned = planned
        self._hidden = hidden
        self.listed = listed
        self._parameters = parameters
        self._texts: WeakKeyDictionary[DataFrame, str] = WeakKeyDictionary()
        self._latest = ""
        self._named: dict[str, str] = {}

    def run(self, query: str) -> DataFrame:
        """The DataFrame of a query, analysed by Spark; it counts as a step."""
        rows = self.ask(query)
        self._texts[rows] = self._latest = query
        return rows

    def ask(self, query: str) -> DataFrame:
        """The same if only its columns are of interest: it is no step."""
        return self._frames.query(query, self._parameters)

    def steps(self) -> tuple[tuple[str, str], ...]:
        """The queries that Spark was given in the end: names and texts, inputs first."""
        steps: dict[str, str] = {}

        def visit(name: str, text: str) -> None:
            for below in _VIEW.findall(text):
                if below not in steps:
                    visit(below, self._named.get(below, ""))
            steps[name] = text

        visit("", self._latest)
        return tuple(steps.items())

    def hidden_name(self, record: RegisteredFunction, role: Role) -> str:
        """Registers a function in a role in Spark; returns its name as SQL text."""
        return self._hidden.role(record, role, self._planned(record, role))

    def parse(self, query: str) -> str:
        """The plan that Spark's parser makes, as a text that is the same for equal plans."""
        return _without_numbers(self._host.plans.parsed(query))

    def optimize(self, rows: DataFrame) -> bool:
        """Has Spark optimize the plan of rows; returns whether there is access to the plan."""
        return self._host.plans.optimize(rows)

    def double_quoted_identifiers(self) -> bool:
        """Whether text in double quotes is an identifier."""
        return all(self._conf.get(key, "false") == "true" for key in _DOUBLE_QUOTED)

    def hidden_node(self, members: Sequence[Member]) -> str:
        """Registers a node of several async functions in Spark; returns its name as SQL text."""
        return self._hidden.node(members)

    def view(self, rows: DataFrame) -> str:
        """A name for rows, until planning is over: a plan keeps the rows, not the name."""
        name = f"_nu_rows_{next(_numbers)}"
        self._frames.name(rows, name)
        # Rows without a text of their own were made from the latest, by a pass in Python.
        self._named[name] = self._texts.get(rows) or f"{self._latest}{_PASSED}"
        return name

    def built_in_aggregates(self) -> Container[str]:
        """The names of Spark's own aggregate functions, in lower case."""
        return self._host.catalog.built_in_aggregates()

    def __enter__(self) -> Catalog:
        return self

    def __exit__(self, *_: object) -> None:
        self._frames.clear()


def _without_numbers(plan: str) -> str:
    seen: dict[str, str] = {}
    return _NUMBER.sub(lambda match: seen.setdefault(match[0], f"#{len(seen)}"), plan)
