"""The Python functions of a node: what the plan says of them, joined with their definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.host.raw_plan import RawFunction, RawNode
from notebook_udf.plan.demangle import PlanNames, call_arguments, hidden_function, parts, written
from notebook_udf.plan.plan_model import FunctionUse
from notebook_udf.planner.physical.scalar import runs_as_kernels
from notebook_udf.sanitize import plain

# The definition of a function's name and version; of its current version if that is None.
Lookup = Callable[[str, int | None], FunctionDefinition | None]
# What keeps a function of a name and version from Spark's JVM; "" where nothing is known to.
WhyInWorkers = Callable[[str, int | None], str]

# Roles in words. A role that is not here is shown by its name.
_TASKS = {
    "scalar": "one value per row",
    "guarded": "one value for each row that reaches the call",
    "each": "one value for each element of a list",
    "each2": "one value for each element of lists in lists",
    "partial": "accumulates the rows of each partition",
    "merge": "merges the accumulators of each group",
    "summed": "gives each group's value out of sums that Spark added up",
    "gathered": "gives each group's value out of lists that Spark gathered",
    "folded": "folds the rows of each group into accumulators, and gives its value",
    "whole": "aggregates the collected rows of each group",
    "window": "one value per row, over its frame",
    "table": "any number of rows for each row",
    "process": "any number of records for each record",
}
_WAYS = {
    "pandas": "a bundle at a time, as pandas Series",
    "arrow": "a bundle at a time, as Arrow arrays",
    "numba": "row by row, in a loop that numba compiles",
}
_PASSES = {
    "PartialPass": ("aggregates", "partial"),
    "WindowPass": ("aggregates", "window"),
    "TablePass": ("table functions", "table"),
}
_SHARING = (*(role for _, role in _PASSES.values()), "process")
# The most characters of a function's code that a plan holds.
_SOURCE = 6_000
_BY_ROW = ("scalar", "guarded", "each", "each2")
ROW_BY_ROW = "row by row"
AWAITED = "awaited, several calls in flight"
AS_JAVA = "in Spark's JVM, as a class in Java"
KERNELS = "a bundle at a time, as checked Arrow kernels"


def functions_of(node: RawNode, names: PlanNames, lookup: Lookup) -> tuple[FunctionUse, ...]:
    """The functions that are evaluated in a node."""
    return tuple(use for raw in node.functions for use in _uses(raw, names, lookup))


def _uses(raw: RawFunction, names: PlanNames, lookup: Lookup) -> Iterator[FunctionUse]:
    call = names.shown(raw.text)
    identity = names.identity(raw.text)
    if not raw.headers:
        yield _by_text(raw, call, identity, names, lookup)
    for header in raw.headers:
        single = len(raw.headers) == 1 and header["role"] not in _SHARING
        yield _known(
            raw,
            header["name"],
            header["version"],
            header["role"],
            header["func_type"],
            lookup(header["name"], header["version"]),
            _call(header["name"], header["role"], raw.text, names) if single else "",
            identity if single else "",
            tuple(header.get("notes", ())),
        )


def _by_text(
    raw: RawFunction, call: str, identity: str, names: PlanNames, lookup: Lookup
) -> FunctionUse:
    """A function that is known by the plan's text alone."""
    hidden = hidden_function(raw.text)
    if hidden is not None:
        role, name, version = hidden
        definition = lookup(name, version)
        func_type = definition.func_type if definition is not None else ""
        call = _call(name, role, raw.text, names)
        return _known(raw, name, version, role, func_type, definition, call, identity)
    name = call.partition("(")[0]
    if name in _PASSES:
        # The functions that share the pass are in its pickle only.
        shown, role = _PASSES[name]
        return FunctionUse(shown, role=role, task=_TASKS[role])
    definition = lookup(name, None)
    if definition is None:
        return FunctionUse(
            name, version=0, eval_type=raw.eval_type, call=call, identity=identity,
            deterministic=raw.deterministic, nested=raw.nested,
        )  # fmt: skip
    return _known(raw, name, None, "scalar", definition.func_type, definition, call, identity)


def _known(
    raw: RawFunction,
    name: str,
    version: int | None,
    role: str,
    func_type: str,
    definition: FunctionDefinition | None,
    call: str,
    identity: str,
    notes: tuple[str, ...] = (),
) -> FunctionUse:
    return FunctionUse(
        name=name,
        version=version,
        kind=definition.kind if definition is not None else "",
        nested=raw.nested,
        func_type=func_type,
        eval_type=raw.eval_type,
        role=role,
        task=_TASKS.get(role, role),
        way="; ".join(notes) or _way(role, func_type, definition),
        call=call,
        identity=identity,
        deterministic=definition.deterministic if definition is not None else raw.deterministic,
        mergeable=definition.mergeable if definition and definition.is_aggregate else None,
        source=plain(definition.source.text, _SOURCE) if definition is not None else "",
        kernels_if_general=func_type in ("pandas", "arrow")
        and definition is not None
        and _arithmetic(definition),
    )


def _call(name: str, role: str, text: str, names: PlanNames) -> str:
    """A call as its user would write it; "" for one that no user wrote."""
    if role in ("merge", "whole", "summed", "gathered", "folded"):
        return ""
    call = names.shown(written(name, role, text))
    if role == "guarded":
        guard = parts(call_arguments(text))[0]
        if guard.startswith("coalesce(") and guard.endswith(", false)"):
            guard = guard[len("coalesce(") : -len(", false)")]
        return f"{call} where {names.shown(guard)}"
    return f"{name} of the elements of a list" if role in ("each", "each2") else call


def _way(role: str, func_type: str, definition: FunctionDefinition | None) -> str:
    if func_type in _WAYS:
        return _WAYS[func_type]
    if role not in _BY_ROW or definition is None:
        return ""
    if definition.is_async:
        return AWAITED
    return KERNELS if role == "scalar" and runs_as_kernels(definition) else ROW_BY_ROW


def _arithmetic(definition: FunctionDefinition) -> bool:
    return runs_as_kernels(replace(definition, func_type="general"))


def line_of(uses: tuple[FunctionUse, ...]) -> str:
    """The functions of a node in one line."""
    return "; ".join(
        use.call if use.role in ("", *_BY_ROW) and use.call else _in_words(use)
        for use in uses
        if not use.nested
    )


def _in_words(use: FunctionUse) -> str:
    noted = use.role == "process" and use.way
    return f"{use.name} [{use.way}]" if noted else f"{use.name}: {use.task}"
