"""Parses the lines of Spark's operators in a plan: kind, short detail and facts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from notebook_udf.host.raw_plan import RawNode
from notebook_udf.plan.demangle import ONCE, PlanNames, bracketed, closing, parts
from notebook_udf.plan.plan_model import Kind

# More wrappers, as ``host.raw_plan`` has two.
SHUFFLE_READ = "AQEShuffleRead"
ADAPTER = "InputAdapter"
CODEGEN = re.compile(r"WholeStageCodegen \((\d+)\)")

_PYTHON = re.compile(r"Python|InArrow|InPandas|PythonUDTF|TransformWithState|CoGroup|MapGroups")
_KINDS: tuple[tuple[str, Kind], ...] = (
    (r"Subquery", "subquery"),
    (r"Reused", "reused"),
    (r"BroadcastExchange", "broadcast"),
    (r"Exchange|ShuffleExchange", "shuffle"),
    (r".*Join|CartesianProduct", "join"),
    (r"Filter", "filter"),
    (r"Project", "project"),
    (r".*Aggregate", "aggregate"),
    (r"Sort", "sort"),
    (r"Window", "window"),
    (r".*Limit|TakeOrdered", "limit"),
    (r"Generate|Expand", "generate"),
    (r"Union", "union"),
    (r"Execute|Write|Insert|Append|Overwrite|CommandResult|DataWriting", "write"),
    (r"Scan|FileScan|BatchScan|LocalTableScan|Range|InMemoryTableScan|OneRowRelation", "scan"),
)
_PLAN_ID = re.compile(r",? ?\[(?:plan_)?id=#?\d+\]")
_OPTION = re.compile(r"\b(\w+): (\[.*?\](?=,|$)|[^,\[]+(?:\[[^\]]*\])?)")


@dataclass(frozen=True)
class OperatorReading:
    """The contents of an operator's line."""

    kind: Kind
    detail: str
    facts: tuple[tuple[str, str], ...]


def read_operator(node: RawNode, names: PlanNames) -> OperatorReading:
    """Parses an operator's line; an unknown operator keeps its line as detail."""
    kind = kind_of(node)
    body = _PLAN_ID.sub("", node.text.removeprefix(node.name).strip())
    facts = _FACTS[kind](node.name, body) if kind in _FACTS else {}
    shown = {name: names.shown(text) for name, text in facts.items() if text}
    if kind == "filter":
        shown |= _conditions(facts["condition"], names)
    if kind == "project":
        detail = ", ".join(map(_projection, map(names.shown, bracketed(body))))
    else:
        detail = names.shown(_DETAILS[kind](body, shown) if kind in _DETAILS else body)
    return OperatorReading(kind, detail, tuple(shown.items()))


def kind_of(node: RawNode) -> Kind:
    """The kind of an operator, by its name."""
    if _PYTHON.search(node.name):
        return "python"
    return next((kind for pattern, kind in _KINDS if re.match(pattern, node.name)), "other")


def conjuncts(condition: str) -> list[str]:
    """Splits a condition at AND: ``((a AND b) AND c)`` is three conditions."""
    condition = condition.strip()
    while condition.startswith("(") and closing(condition) == len(condition) - 1:
        condition = condition[1:-1]
    depth, start, found = 0, 0, []
    for place, character in enumerate(condition):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and condition.startswith(" AND ", place):
            found.append(condition[start:place])
            start = place + 5
    if not found:
        return [condition]
    return [each for part in [*found, condition[start:]] for each in conjuncts(part)]


def _scan(name: str, body: str) -> dict[str, str]:
    options = dict(_OPTION.findall(body))
    found = {"source": re.sub(r"^(File|Batch)?Scan\s*", "", name).strip() or name}
    for ours, theirs in (("pushed", "PushedFilters"), ("partition filters", "PartitionFilters"),
                         ("filters", "DataFilters")):  # fmt: skip
        value = options.get(theirs, "").strip("[]")
        if value:
            found[ours] = value
    if "Location" in options:
        found["location"] = options["Location"]
    return found


def _shuffle(name: str, body: str) -> dict[str, str]:
    how, *rest = parts(body)
    scheme = re.match(r"(\w+)\((.*)\)$", how)
    reason = next((each for each in rest if each.isupper()), "")
    if scheme is None:
        return {"by": "", "scheme": how, "reason": reason, "partitions": "1"}
    *keys, count = parts(scheme[2])
    if not count.isdigit():
        keys, count = [*keys, count], ""
    return {
        "scheme": scheme[1].removesuffix("partitioning").removesuffix("Partitioning"),
        "by": ", ".join(keys),
        "partitions": count,
        "reason": reason,
    }


def _join(name: str, body: str) -> dict[str, str]:
    found = {"strategy": name}
    keys = []
    for part in parts(body):
        if part.startswith("["):
            keys.append(bracketed(part))
        elif part in ("BuildLeft", "BuildRight"):
            found["build"] = part.removeprefix("Build").lower()
        elif re.fullmatch(r"Inner|Cross|LeftOuter|RightOuter|FullOuter|LeftSemi|LeftAnti|"
                          r"LeftSingle|ExistenceJoin\(.*\)", part):  # fmt: skip
            found["type"] = part
        elif part not in ("true", "false") and not part.startswith("isSkewJoin"):
            found["condition"] = part
        elif part.startswith("isSkewJoin=true"):
            found["reads"] = "skewed partitions split"
    if len(keys) == 2:
        found["keys"] = ", ".join(f"{a} = {b}" for a, b in zip(*keys, strict=False))
    return found


def _window(name: str, body: str) -> dict[str, str]:
    lists = [", ".join(bracketed(part)) for part in parts(body) if part.startswith("[")]
    lists += [""] * (3 - len(lists))
    return {"functions": lists[0], "partition": lists[1], "order": lists[2]}


def _filter(name: str, body: str) -> dict[str, str]:
    return {"condition": body.removeprefix(": ")}


def _conditions(condition: str, names: PlanNames) -> dict[str, str]:
    """The conditions without Python, if there are conditions with Python, too."""
    terms = conjuncts(condition)
    cheap = [term for term in terms if not names.is_python(term)]
    # Spark adds these itself.
    told = [names.shown(term) for term in cheap if not term.startswith("isnotnull(")]
    return {"cheap conditions": " AND ".join(told)} if told and len(cheap) < len(terms) else {}


def _sort(name: str, body: str) -> dict[str, str]:
    return {"order": ", ".join(bracketed(body))}


def _aggregate(name: str, body: str) -> dict[str, str]:
    found = {"keys": "", "functions": ""}
    for part in parts(body[1:-1] if body.startswith("(") else body):
        option, _, value = part.partition("=")
        if option in found and value.startswith("["):
            found[option] = ", ".join(bracketed(value))
    return found


_FACTS: dict[Kind, Callable[[str, str], dict[str, str]]] = {
    "scan": _scan, "shuffle": _shuffle, "join": _join, "window": _window, "filter": _filter,
    "sort": _sort, "aggregate": _aggregate,
}  # fmt: skip


def _projection(item: str) -> str:
    expression, _, name = item.rpartition(" AS ")
    return name if expression == name else item


def _scan_detail(body: str, facts: dict[str, str]) -> str:
    said = [f"pushed: {facts['pushed']}"] if "pushed" in facts else []
    columns = re.search(r"\[([^\[\]]*#\d+[^\[\]]*)\]", body)
    if columns is not None:
        return "; ".join([columns[1].replace(",", ", ").replace(",  ", ", "), *said])
    return "; ".join(said) or re.sub(r"\s*\[plan_id=\d+\]", "", body)


def _shuffle_detail(body: str, facts: dict[str, str]) -> str:
    by = f"by {facts['by']}" if "by" in facts else "all rows to one partition"
    if facts.get("scheme") == "RoundRobin":
        by = "evenly"
    count = facts.get("partitions", "")
    return f"{by}, {count} partition{'' if count == '1' else 's'}" if count else by


def _join_detail(body: str, facts: dict[str, str]) -> str:
    found = [facts.get("type", ""), facts.get("keys", ""), facts.get("condition", "")]
    return ", ".join(part for part in found if part)


def _window_detail(body: str, facts: dict[str, str]) -> str:
    found = [facts.get("functions", "")]
    found += [f"partition by {facts['partition']}"] if facts.get("partition") else []
    found += [f"order by {facts['order']}"] if facts.get("order") else []
    return "; ".join(part for part in found if part)


def _aggregate_detail(body: str, facts: dict[str, str]) -> str:
    found = [facts.get("functions", "")]
    found += [f"by {facts['keys']}"] if facts.get("keys") else []
    return " ".join(part for part in found if part)


def _fact(name: str) -> Callable[[str, dict[str, str]], str]:
    return lambda body, facts: facts.get(name, body)


def _generate_detail(body: str, facts: dict[str, str]) -> str:
    once = ONCE.match(body)
    return body if once is None else f"{once[1]}, once per row"


_DETAILS: dict[Kind, Callable[[str, dict[str, str]], str]] = {
    "scan": _scan_detail, "shuffle": _shuffle_detail, "join": _join_detail,
    "window": _window_detail, "filter": _fact("condition"), "sort": _fact("order"),
    "aggregate": _aggregate_detail, "generate": _generate_detail,
    "broadcast": lambda body, facts: "to every worker",
    "reused": lambda body, facts: "computed once, read here again",
}  # fmt: skip
