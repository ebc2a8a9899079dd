"""What a rule is: a rewrite of one SELECT, with a name and an account of what it decided.

``pipeline`` applies the rules and keeps names. A rule changes the SELECT that it is given in place,
and says whether it has. One that looked at a call and left it alone says why, where that is
decided: nobody has to guess it from a plan afterwards.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeAlias

from sqlglot import exp

from notebook_udf.planner.analysis.derived_table import Surroundings
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.analysis.scope import Scopes
from notebook_udf.planner.syntax.dialect import in_fewest_forms
from notebook_udf.specs.roles import Role


@dataclass(frozen=True)
class Choice:
    """What a rule decided for one call.

    Attributes
    ----------
    function
        The registered name.
    call
        The call as it stands in the query.
    role
        What it is called as from now on: see ``specs.roles``.
    reason
        Why it is not planned in a better way, or why it is rewritten; "" where that is plain.
    rule
        The name of the rule.
    """

    function: str
    call: str
    role: Role
    reason: str = ""
    rule: str = ""


@dataclass(frozen=True)
class Applied:
    """The rule has rewritten the SELECT.

    Attributes
    ----------
    choices
        What was decided for which calls.
    inner
        A SELECT that the rule has taken out of it into a subquery; later rules rewrite that first.
    """

    choices: tuple[Choice, ...] = ()
    inner: exp.Select | None = None


@dataclass(frozen=True)
class Skipped:
    """The rule was meant for calls of the SELECT, and left them as they were."""

    choices: tuple[Choice, ...]


# None: the rule had nothing to do with the SELECT.
Outcome: TypeAlias = Applied | Skipped | None


@dataclass
class QueryScope:
    """What is the same for all SELECTs of a query.

    Attributes
    ----------
    tree
        The query; rules change the SELECTs in it.
    calls
        The scalar functions that it may call.
    filtered
        The names of columns in its conditions: for a subquery's column of such a name Spark
        computes the calls in it again for the filter.
    numbers
        Numbers for columns that rules add, each given once.
    """

    tree: exp.Expression
    calls: ScalarCalls
    filtered: frozenset[str] = frozenset()
    numbers: Iterator[int] = field(default_factory=itertools.count)

    @cached_property
    def scopes(self) -> Scopes:
        """The columns of relations, asked for once."""
        return Scopes(self.calls.context)


@dataclass
class SelectScope:
    """One SELECT, while rules rewrite it.

    Attributes
    ----------
    query
        The query around it.
    select
        The SELECT itself.
    limited
        Whether its rows are chosen below it: each of its calls then needs a column, since Spark
        takes a projection back below a LIMIT.
    surroundings
        What stands around it, which rules of aggregate functions have Spark answer parts of.
    """

    query: QueryScope
    select: exp.Select
    limited: bool = False
    surroundings: Surroundings | None = None

    @property
    def calls(self) -> ScalarCalls:
        """The scalar functions."""
        return self.query.calls


class Rule(Protocol):
    """A rewrite of one SELECT.

    Attributes
    ----------
    name
        What the rule is called in warnings, plans and tests.
    """

    @property
    def name(self) -> str: ...

    def apply(self, scope: SelectScope) -> Outcome:
        """Rewrites the SELECT in place where the rule is for it.

        Raises
        ------
        PlanningError
            For a call that neither Spark nor this package can run, with its place.
        """


class QueryRule(Protocol):
    """A rewrite of a query as a whole."""

    @property
    def name(self) -> str: ...

    def apply(self, query: QueryScope) -> Outcome:
        """Puts another tree into the scope where the rule is for the query."""


def chosen(
    rule: Rule | QueryRule,
    nodes: Iterable[exp.Expression],
    calls: ScalarCalls,
    reason: str,
    role: Role | None,
) -> tuple[Choice, ...]:
    """A choice for each of some calls; ``role`` is None where it stays what it was."""
    found: dict[Choice, None] = {}
    for node in nodes:
        record = calls.record(node)
        if record is not None:
            shown = in_fewest_forms(node)
            found[Choice(record.name, shown, role or calls.role(node), reason, rule.name)] = None
    return tuple(found)
