"""Aggregates of slots of many kinds: compiled for Spark's JVM, and in workers, with one answer."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import notebook_udf as nu
from tests.fuzz.functions import defined

NAMESPACE = """
import heapq
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field

import notebook_udf as nu
"""


class Slot(NamedTuple):
    """A part of an accumulator, {a}, and that of another one, {o}."""

    fresh: str
    updates: Sequence[str]
    merges: Sequence[str]
    shown: str = "str({a})"


SLOTS = (
    Slot(
        "0",
        ("{a} += v", "{a} = {a} + v * 2", "{a} += v if v > 2 else 1", "{a} -= v", "{a} += len(t)"),
        ("{a} += {o}", "{a} = {a} + {o}"),
    ),
    Slot("0", ("{a} += 1", "if t: {a} += 1", "{a} += v is None"), ("{a} += {o}",)),
    Slot("0.0", ("{a} += v * 0.5", "{a} += v", "{a} += v / 2 if v else 0.25"), ("{a} += {o}",)),
    Slot("1", ("{a} *= v % 3 + 1", "{a} = {a} * (v * v + 1)"), ("{a} *= {o}",)),
    Slot(
        "None",
        (
            "if {a} is None or v > {a}: {a} = v",
            "{a} = v if {a} is None else max({a}, v)",
            "if v is not None: {a} = max(v, {a}) if {a} is not None else v",
        ),
        (
            "if {o} is not None and ({a} is None or {o} > {a}): {a} = {o}",
            "if {a} is None: {a} = {o}\nelif {o} is not None: {a} = max({a}, {o})",
        ),
    ),
    Slot("float('inf')", ("{a} = min({a}, v)", "if v < {a}: {a} = v"), ("{a} = min({a}, {o})",)),
    Slot("''", ("{a} = max({a}, t)", "if t and t > {a}: {a} = t"), ("{a} = max({a}, {o})",)),
    Slot("False", ("{a} = {a} or v > 3", "{a} |= v == 2"), ("{a} = {a} or {o}",)),
    Slot(
        "[]",
        ("{a}.append(v)", "{a} += [v, 1]", "if v: {a}.append(v * 2)", "{a} *= 1; {a}.append(v)"),
        ("{a}.extend({o})", "{a} += {o}", "{a}[:] = {a} + {o}", "for x in {o}: {a}.append(x)"),
        "str(sorted({a}, key=str))",
    ),
    Slot(
        "[]",
        (
            "{a}.append(v); {a}.sort(reverse=True); del {a}[3:]",
            "if v is not None: {a}[:] = heapq.nlargest(3, {a} + [v])",
            "{a}.append((v, t)); {a}.sort(key=str); del {a}[:-2]",
        ),
        (
            "{a}[:] = sorted({a} + {o}, key=str)[-3:]",
            "{a}.extend({o}); {a}.sort(key=str); del {a}[:-3]",
        ),
        "str(len({a}))",
    ),
    Slot(
        "{{}}",
        (
            "{a}[v] = {a}.get(v, 0) + 1",
            "if t in {a}: {a}[t] += v\nelse: {a}[t] = v",
            "{a}[t] = {a}.get(t, 0) + len(t or '')",
        ),
        (
            "for k, n in {o}.items(): {a}[k] = {a}.get(k, 0) + n",
            "for k in {o}:\n    if k in {a}: {a}[k] += {o}[k]\n    else: {a}[k] = {o}[k]",
        ),
        "str(sorted({a}.items(), key=str))",
    ),
    Slot(
        "{{}}",
        ("{a}.setdefault(t, []).append(v)", "{a}[t] = {a}.get(t, []) + [v]"),
        ("for k, n in {o}.items(): {a}.setdefault(k, []).extend(n)",),
        "str(sorted((str(k), len(n)) for k, n in {a}.items()))",
    ),
    Slot(
        "set()",
        ("{a}.add(v)", "{a} |= {{v, 1}}", "{a}.add(t)", "if v not in {a}: {a}.add(v)"),
        ("{a} |= {o}", "{a}.update({o})"),
        "str(len({a}))",
    ),
    Slot(
        "Counter()",
        ("{a}[t] += 1", "{a}.update([t])", "{a}[v] += 2"),
        ("{a}.update({o})", "for k, n in {o}.items(): {a}[k] += n"),
        "str(sorted({a}.items(), key=str))",
    ),
)
_GUARDS = (
    *("", "", "", "if v is None: return", "if v is None or t is None: return", "v = v or 0"),
    *("t = t or 'x'", "if t == 'b': return", "v, t = v or 1, t or ''"),
)
_AROUND = (
    *("{u}", "{u}", "{u}", "try:\n    {u}\nexcept TypeError:\n    pass", "if v:\n    {u}"),
    *("for w in (1, 2):\n    {u}", "if t == 'a':\n    {u}\nelif v == 2:\n    {u}"),
)
# How an accumulator of slots is written: what makes it, and a slot of it.
_WHOLES = {
    "list": ("[{all}]", "{acc}[{at}]"),
    "dict": ("{{{named}}}", "{acc}['s{at}']"),
    "object": ("Whole()", "{acc}.s{at}"),
    "dataclass": ("Whole()", "{acc}.s{at}"),
}


def drawn(chance: random.Random) -> str:
    """The class of an aggregate of a BIGINT and a STRING, as text; its value is a text."""
    slots = [chance.choice(SLOTS) for _ in range(chance.randint(1, 3))]
    how = chance.choice(list(_WHOLES))
    made, slot = _WHOLES[how]
    fresh = [each.fresh.format() for each in slots]
    named = ", ".join(f"'s{at}': {each}" for at, each in enumerate(fresh))
    own, other = (
        [slot.format(acc=acc, at=at) for at in range(len(slots))] for acc in ("acc", "one")
    )
    accumulate, merge = [chance.choice(_GUARDS)], []
    for at, each in enumerate(slots):
        update = chance.choice(each.updates).format(a=own[at], o="")
        around = chance.choice(_AROUND)
        accumulate.append(
            around.replace("    {u}", _indented(update, 1).rstrip()).replace("{u}", update)
        )
        merge.append(chance.choice(each.merges).format(a=own[at], o=other[at]))
    if chance.random() < 0.3:
        accumulate.reverse()
    shown = " + ' ' + ".join(each.shown.format(a=own[at]) for at, each in enumerate(slots))
    return "".join(
        [
            _whole(how, fresh),
            "class Generated(nu.AggregateFunction):\n    def create_accumulator(self):\n",
            f"        return {made.format(all=', '.join(fresh), named=named)}\n",
            "    def accumulate(self, acc, v: int, t: str):\n",
            _indented("\n".join(filter(None, accumulate)), 2),
            "    def merge(self, acc, others):\n        for one in others:\n",
            _indented("\n".join(merge), 3),
            f"    def get_value(self, acc) -> str:\n        return {shown}\n",
        ]
    )


def _whole(how: str, fresh: Sequence[str]) -> str:
    if how == "object":
        sets = "\n".join(f"self.s{at} = {each}" for at, each in enumerate(fresh))
        return "class Whole:\n    def __init__(self):\n" + _indented(sets, 2)
    if how == "dataclass":
        fields = "\n".join(
            f"s{at}: object = field(default_factory=lambda: {each})"
            for at, each in enumerate(fresh)
        )
        return "@dataclass\nclass Whole:\n" + _indented(fields, 1)
    return ""


def _indented(text: str, depth: int) -> str:
    return "".join("    " * depth + line + "\n" for line in text.split("\n"))


def prepare(session: nu.Session) -> None:
    """The rows that generated aggregates are asked of: in two partitions, of four groups."""
    rows = [
        (at % 3, [None, 1, 2, 3, 5, -4, 7, 0][at * 5 % 8], [None, "a", "b", "abc", ""][at * 3 % 5])
        for at in range(48)
    ]
    table = session.spark.createDataFrame([*rows, (3, None, None)], "k INT, v BIGINT, t STRING")
    table.repartition(2, "v").cache().createOrReplaceTempView("aggregated_rows")


def check(session: nu.Session, text: str) -> int:
    """How many groups had the same value compiled and in a worker; fails at another one."""
    values = [_values(session, text, compiled=compiled) for compiled in (True, False)]
    assert values[0] == values[1], (text, values)
    return len(values[0])


def _values(session: nu.Session, text: str, *, compiled: bool) -> list[Any]:
    made = defined(NAMESPACE + text, "Generated")
    function = made() if compiled else nu.udaf(made(), compile=False)
    session.register_function("generated_aggregate", function, replace=True)
    asked = "SELECT k, generated_aggregate(v, t) AS r FROM aggregated_rows GROUP BY k ORDER BY k"
    try:
        return [tuple(row) for row in session.sql(asked).collect()]
    except nu.UserFunctionError as error:
        return [type(error.__cause__).__name__ if error.__cause__ else str(error).split(":")[1]]
