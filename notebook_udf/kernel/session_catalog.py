"""The planner's access to a session: Spark's analysis, hidden functions, names for rows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import DataFrame, SparkSession

from notebook_udf.errors import PlanningError
from notebook_udf.kernel.hidden import HiddenFunctions
from notebook_udf.planner.physical import aggregate
from notebook_udf.planner.planning_context import Member, Passes
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.roles import Role

_numbers = itertools.count(1)
_VIEW = re.compile(r"\b_nu_rows_\d+\b")
_QUERY = re.compile(r"(?i)[\s(]*(SELECT|WITH|FROM|VALUES|TABLE)\b")
_DOUBLE_QUOTED = ("spark.sql.ansi.enabled", "spark.sql.ansi.doubleQuotedIdentifiers")
_ALL_FIELDS = 2**31 - 1
# What differs between equal plans: columns are numbered through the session, a Scala lambda has an
# address, a parameter its position in the text.
_NUMBER = re.compile(r"#\d+L?|\$\$Lambda[\w/$]*@?\w*|posparameter\(\d+\)")
_PASSED = "\n-- and these rows go through a pass in Python"


class Catalog:
    """Serves the planning of one query; its exit drops its temporary views.

    Parameters
    ----------
    spark
        The session's Spark.
    planned
        Gives the Spark function of a record in a role.
    hidden
        Registers functions that only rewritten queries call.
    parameters
        Values for the query's named parameters.
    """

    passes: Passes = aggregate

    def __init__(
        self,
        spark: SparkSession,
        planned: Callable[[RegisteredFunction, Role], Any],
        hidden: HiddenFunctions,
        parameters: Any = None,
    ) -> None:
        self._spark = spark
        self._planned = planned
        self._hidden = hidden
        self._parameters = parameters
        self._views: list[str] = []
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
        given = () if self._parameters is None else (self._parameters,)
        return self._spark.sql(query, *given)

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
        session = getattr(self._spark, "_jsparkSession", None)
        if session is None:
            # Spark Connect prints the parsed plan only of a query that it can analyse; a statement
            # it would run for that.
            if not _QUERY.match(query):
                raise PlanningError(
                    "on Spark Connect a statement cannot call a Python aggregate function: run its "
                    "query through session.sql, and write the rows with DataFrame.write"
                )
            shown = self._spark.sql(query)._explain_string(extended=True)
            plan = shown.partition("== Parsed Logical Plan ==")[2].partition("== Analyzed")[0]
        else:
            parsed = session.sessionState().sqlParser().parsePlan(query)
            plan = parsed.treeString(True, False, _ALL_FIELDS, False, False)
        return _without_numbers(str(plan))

    def optimize(self, rows: DataFrame) -> bool:
        """Has Spark optimize the plan of rows; returns whether there is access to the plan."""
        if not hasattr(rows, "_jdf"):
            # Spark Connect has none to read.
            return False
        rows._jdf.queryExecution().optimizedPlan()
        return True

    def double_quoted_identifiers(self) -> bool:
        """Whether text in double quotes is an identifier."""
        conf = self._spark.conf
        return all(conf.get(key, "false") == "true" for key in _DOUBLE_QUOTED)

    def hidden_node(self, members: Sequence[Member]) -> str:
        """Registers a node of several async functions in Spark; returns its name as SQL text."""
        return self._hidden.node(members)

    def view(self, rows: DataFrame) -> str:
        """A temporary view of rows, until planning is over: a plan keeps the rows, not the name."""
        name = f"_nu_rows_{next(_numbers)}"
        rows.createOrReplaceTempView(name)
        # Rows without a text of their own were made from the latest, by a pass in Python.
        self._named[name] = self._texts.get(rows) or f"{self._latest}{_PASSED}"
        self._views.append(name)
        return name

    def built_in_aggregates(self) -> frozenset[str]:
        """The names of Spark's own aggregate functions, in lower case."""
        return _built_in_aggregates(self._spark)

    def __enter__(self) -> Catalog:
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._views:
            self._spark.catalog.dropTempView(name)


def _without_numbers(plan: str) -> str:
    seen: dict[str, str] = {}
    return _NUMBER.sub(lambda match: seen.setdefault(match[0], f"#{len(seen)}"), plan)


@lru_cache(maxsize=4)
def _built_in_aggregates(spark: SparkSession) -> frozenset[str]:
    jvm = spark._jvm
    assert jvm is not None
    registry = jvm.org.apache.spark.sql.catalyst.analysis.FunctionRegistry
    names = []
    expressions = registry.builtin().listFunction().iterator()
    while expressions.hasNext():
        identifier = expressions.next()
        info = registry.builtin().lookupFunction(identifier)
        if info.isDefined() and info.get().getGroup() == "agg_funcs":
            names.append(str(identifier.funcName()).lower())
    return frozenset(names)
