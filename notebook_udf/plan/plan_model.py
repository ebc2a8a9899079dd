"""A plan as data: frozen, comparable, and JSON-able through ``to_dict``.

Nothing in here depends on how a plan is read or shown. Texts are as Spark or the user wrote them:
what shows them escapes them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from notebook_udf.host.runs import Run
from notebook_udf.render.format import versioned

Kind = Literal[
    "scan", "python", "filter", "project", "aggregate", "join", "shuffle", "broadcast", "sort",
    "window", "limit", "generate", "union", "write", "subquery", "reused", "other",
]  # fmt: skip
Adaptive = Literal["no", "may change", "final"]
Unit = Literal["rows", "bytes", "seconds"]

# Metadata of a field that only rules need: ``to_dict`` leaves it out.
_FOR_RULES = {"sent": False}


@dataclass(frozen=True)
class Metric:
    """One of Spark's metrics of an operator.

    Attributes
    ----------
    name, text
        As Spark's web UI shows them.
    unit
        ``rows`` (or any other count), ``bytes`` or ``seconds``.
    value
        The total over all tasks; sizes and times as exactly as Spark writes them.
    least, median, most
        Minimum, median and maximum over the tasks, where Spark keeps them.
    most_at
        The stage and the task of the maximum; "" where Spark does not say.
    """

    name: str
    unit: Unit
    value: float
    text: str
    least: float | None = None
    median: float | None = None
    most: float | None = None
    most_at: str = ""


@dataclass(frozen=True)
class FunctionUse:
    """A Python function in an operator of a plan.

    Attributes
    ----------
    name, version
        As registered; the version is 0 for functions that are not of this package, and None where
        a plan could only be read as text.
    kind, func_type
        ``scalar``, ``aggregate`` or ``table aggregate``, and ``general``, ``pandas`` or
        ``arrow``; "" where not known.
    eval_type
        Spark's number for how Python gets its rows (``PythonEvalType``); -1 where not known.
    role
        The role it is called in, one of ``specs.roles.Role``; "" if not of this package.
    task
        The role in words.
    way
        How its rows are processed, in words; "" where not known.
    call
        The call as shown in the plan; "" where no single call is known.
    identity
        The call with Spark's expression ids of its columns: equal ones have equal values.
    deterministic, mergeable
        As declared; None where not known.
    nested
        Whether its result is an argument of another function in the same operator.
    source
        Its source code as registered, cut if it is very long; "" where not known.
    kernels_if_general
        Whether it takes columns, and its code could run as Arrow kernels if it took values.
    """

    name: str
    version: int | None = None
    kind: str = ""
    func_type: str = ""
    eval_type: int = -1
    role: str = ""
    task: str = ""
    way: str = ""
    call: str = ""
    identity: str = field(default="", metadata=_FOR_RULES)
    deterministic: bool | None = None
    mergeable: bool | None = None
    nested: bool = False
    source: str = field(default="", repr=False)
    kernels_if_general: bool = False

    @property
    def label(self) -> str:
        """Name and version."""
        return versioned(self.name, self.version or 0)


@dataclass(frozen=True)
class FunctionCost:
    """What a function cost in an operator: sums over tasks, times in seconds.

    ``nodes`` holds the ids of the operators that share these sums: several where more than one
    operator evaluates the function and their tasks could not be told apart.
    """

    name: str
    version: int
    rows_in: int
    rows_out: int
    bundles: int
    user: float
    decode: float
    encode: float
    waiting: float
    errors: int
    nodes: tuple[int, ...]

    @property
    def busy(self) -> float:
        """Seconds in Python: its own code, and decoding and encoding rows."""
        return self.user + self.decode + self.encode


@dataclass(frozen=True)
class PlanNode:
    """An operator of a plan.

    Attributes
    ----------
    id
        Unique in its plan; the root is 0, children come after their parents.
    name, kind
        Spark's name, and the kind of operator.
    detail
        What it does, in short.
    columns
        The names of its output columns; empty where not known.
    facts
        Names and texts of details that depend on the kind: ``source``, ``pushed``, ``by``,
        ``partitions``, ``reason``, ``type``, ``strategy``, ``keys``, ``condition``, ``build``,
        ``partition``, ``order``, ``reads``.
    functions, costs
        The Python functions that it evaluates, and what each cost if it ran.
    stage
        Its part of the plan between shuffles, numbered in the order they can run.
    codegen
        Its group of operators that Spark compiles into one function; None if it is in none.
    expressions
        Its expressions in full, with Spark's expression ids; for rules, not shown.
    """

    id: int
    name: str
    kind: Kind
    detail: str
    columns: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = field(default=(), metadata={"sent": dict[str, str]})
    functions: tuple[FunctionUse, ...] = ()
    costs: tuple[FunctionCost, ...] = ()
    metrics: tuple[Metric, ...] = ()
    stage: int = 0
    codegen: int | None = None
    expressions: str = field(default="", repr=False, metadata=_FOR_RULES)
    children: tuple[PlanNode, ...] = ()

    def walk(self) -> Iterator[PlanNode]:
        """The node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def fact(self, name: str) -> str:
        """The text of the fact of that name; "" without one."""
        return dict(self.facts).get(name, "")

    def metric(self, name: str) -> Metric | None:
        """The metric of that name; None without one."""
        return next((metric for metric in self.metrics if metric.name == name), None)


@dataclass(frozen=True)
class Strategy:
    """How calls of a function are run, and why.

    Attributes
    ----------
    function
        The registered name.
    call
        The call, or the position in the query, that this is about.
    form
        How they are run, in words.
    reason
        Why so, or why not faster.
    """

    function: str
    call: str
    form: str
    reason: str


@dataclass(frozen=True)
class Advice:
    """What could be faster in a plan, and how; ``node`` is the id of the operator concerned."""

    node: int
    rule: str
    cost: str
    remedy: str


@dataclass(frozen=True)
class PlanOrigin:
    """The query and the logical plans that a plan was made from.

    Attributes
    ----------
    query
        The SQL as its user wrote it; "" for a DataFrame that was not made by ``session.sql``.
    steps
        The queries that the planner gave Spark instead, inputs first, each with the name by which
        later ones refer to it; empty if Spark got the query unchanged.
    analyzed, optimized
        Spark's logical plans, as Spark prints them.
    """

    query: str = ""
    steps: tuple[tuple[str, str], ...] = ()
    analyzed: str = field(default="", repr=False)
    optimized: str = field(default="", repr=False)


class StageNodes(TypedDict):
    """The ids of the operators of a stage."""

    stage: int
    nodes: list[int]


class PlanStages(TypedDict):
    """The part of a plan's data that is no field of ``Plan``: its stages, in order."""

    stages: list[StageNodes]


@dataclass(frozen=True)
class Plan:
    """A plan, how and why its functions run as they do, and what its last run cost.

    Attributes
    ----------
    root
        The plan that ran, or that would run.
    initial
        The plan before it ran, if Spark changed it while it ran (adaptive execution).
    adaptive
        Whether Spark may still change it, or has.
    run
        The last run of this very plan; None if there was none.
    note
        A remark on the run, in a sentence.
    origin
        The query and the logical plans it came from.
    """

    root: PlanNode
    initial: PlanNode | None = None
    adaptive: Adaptive = "no"
    run: Run | None = None
    note: str = ""
    strategies: tuple[Strategy, ...] = ()
    advice: tuple[Advice, ...] = ()
    origin: PlanOrigin = PlanOrigin()

    def nodes(self) -> list[PlanNode]:
        """Every operator, parents first."""
        return list(self.root.walk())

    @property
    def subqueries(self) -> tuple[PlanNode, ...]:
        """The roots of scalar and broadcast subqueries."""
        return tuple(node for node in self.root.walk() if node.kind == "subquery")

    @property
    def stages(self) -> dict[int, tuple[int, ...]]:
        """The ids of the operators of each stage."""
        found: dict[int, list[int]] = {}
        for node in self.root.walk():
            found.setdefault(node.stage, []).append(node.id)
        return {stage: tuple(ids) for stage, ids in sorted(found.items())}

    @property
    def functions(self) -> tuple[FunctionUse, ...]:
        """The plan's Python functions, in the order of the operators."""
        return tuple(use for node in self.root.walk() for use in node.functions)

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON-able data: dictionaries, lists, texts and numbers."""
        made = _plain(self)
        made["stages"] = [{"stage": s, "nodes": list(ids)} for s, ids in self.stages.items()]
        return dict(made)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        made = {
            f.name: _plain(getattr(value, f.name))
            for f in dataclasses.fields(value)
            if f.metadata.get("sent", True)
        }
        if isinstance(value, PlanNode):
            made["facts"] = {_plain(name): _plain(text) for name, text in value.facts}
        return made
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    # A lone surrogate cannot be written as UTF-8, which JSON is sent as.
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
