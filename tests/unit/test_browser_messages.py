"""What crosses to a browser: its scripts have the types of it, and what is sent is of them."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

import pytest
from plans import cost, metric, plan, python, scan, use

from notebook_udf import widgets
from notebook_udf.errors import FailedRow, Frame
from notebook_udf.functions.metrics import Histogram
from notebook_udf.host.runs import Run
from notebook_udf.plan.compare import ComparisonData, PlanComparison
from notebook_udf.plan.plan_model import Advice, Plan, PlanOrigin, PlanStages, Strategy
from notebook_udf.plan.progress import Progress, StageProgress
from notebook_udf.telemetry.metrics_dict import query_dict
from notebook_udf.telemetry.query_data import QueryData
from notebook_udf.telemetry.records import (
    BundleDone,
    BundleSampled,
    BundlesDone,
    CallFailed,
    FunctionTiming,
    LogLine,
    LogLines,
    MetricValue,
    TaskId,
)
from notebook_udf.telemetry.store.function_sums import MetricTotal
from notebook_udf.telemetry.store.log_store import Logs
from notebook_udf.telemetry.store.session_store import Store
from notebook_udf.widgets.live import RunData, RunState
from notebook_udf.widgets.log_feed import LogFeed, LogMessage
from notebook_udf.widgets.metrics_panel import shortened
from notebook_udf.widgets.panel import Panel
from notebook_udf.widgets.sendable import sendable

WRITER = Path(__file__).parents[2] / "extension" / "messages.py"
NOW = 1_700_000_000.0
TASK = TaskId("7", 1, 0, 0, 5)


@pytest.fixture(scope="module")
def messages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("messages", WRITER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_scripts_have_the_types_that_the_python_side_says(messages: ModuleType) -> None:
    assert messages.FILE.read_text("utf-8") == messages.Writer().text(), "run: make types"


def test_every_panel_is_among_them(messages: ModuleType) -> None:
    files = (Path(widgets.__file__).parent).glob("*_panel.py")
    modules = [importlib.import_module(f"notebook_udf.widgets.{path.stem}") for path in files]
    ours = {kind for module in modules for kind in vars(module).values() if is_panel(kind)}
    assert len(ours) == len(modules)
    assert ours == set(messages.PANELS)


def is_panel(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Panel) and kind is not Panel


def unlike(messages: ModuleType, value: Any, hint: Any, where: str = "data") -> Iterator[str]:
    """Where JSON-able data is not of a type."""
    origin, words = get_origin(hint), get_args(hint)
    if hint in (Any, object):
        return
    if hint is float:
        yield from [] if isinstance(value, (int, float)) else [f"{where} is no number"]
    elif hint in (str, int, bool, type(None)):
        yield from [] if type(value) is hint else [f"{where} is not {hint}"]
    elif origin is Literal:
        yield from [] if value in words else [f"{where} is {value!r}"]
    elif origin in (Union, UnionType):
        found = [list(unlike(messages, value, each, where)) for each in words]
        yield from [] if [] in found else found[0]
    elif origin is NotRequired:
        yield from unlike(messages, value, words[0], where)
    elif origin is Annotated and len(words) == 2:
        yield from unlike(messages, value, words[1], where)
    elif origin is dict:
        for key, each in value.items():
            yield from unlike(messages, each, words[1], f"{where}.{key}")
    elif origin is list or (origin is tuple and words[-1] is ...):
        for at, each in enumerate(value):
            yield from unlike(messages, each, words[0], f"{where}[{at}]")
    elif origin is tuple or hasattr(hint, "_fields"):
        kinds = words or [kind for _, kind, _ in messages.fields(hint)]
        yield from [] if len(value) == len(kinds) else [f"{where} has {len(value)} places"]
        for at, (each, kind) in enumerate(zip(value, kinds, strict=False)):
            yield from unlike(messages, each, kind, f"{where}[{at}]")
    elif not isinstance(value, dict):
        yield f"{where} is not {hint}"
    else:
        classes = words[1:] if origin is Annotated else (hint,)
        named = {name: rest for each in classes for name, *rest in messages.fields(each)}
        needed = {name for name, (_, optional) in named.items() if not optional}
        for name in sorted((value.keys() - named.keys()) | (needed - value.keys())):
            yield f"{where}.{name} is {'not told of' if name in value else 'missing'}"
        for name in value.keys() & named.keys():
            yield from unlike(messages, value[name], named[name][0], f"{where}.{name}")


def test_what_is_not_of_a_type_is_found(messages: ModuleType) -> None:
    good = sendable(RunState().to_dict())
    for change, said in [
        ({"rows": "7"}, "data.rows is not <class 'int'>"),
        ({"outcome": "gone"}, "data.outcome is 'gone'"),
        ({"more": 1}, "data.more is not told of"),
        ({"metrics": [["f", "m"]]}, "data.metrics[0] has 2 places"),
        ({"split": {"user": 1.0, "waiting": 1.0}}, "data.split.transfer is missing"),
    ]:
        assert said in list(unlike(messages, {**good, **change}, RunData))


def a_plan() -> Plan:
    rows = metric("number of output rows", "sum", "1,000")
    spread = "total (min, med, max (stageId: taskId))\n9 ms (1 ms, 2 ms, 6 ms (stage 1.0: task 2))"
    times = metric("time", "timing", spread)
    node = python(use(), below=scan(), facts=(("by", "a"),), costs=(cost(),), metrics=(rows, times))
    return plan(
        node,
        initial=scan(),
        run=Run("7", "done", 1.5),
        strategies=(Strategy("f", "f(x)", "row by row", "why"),),
        advice=(Advice(0, "rule", "cost", "remedy"),),
        origin=PlanOrigin("SELECT 1", (("", "SELECT 1"),)),
    )


def a_store() -> Store:
    store = Store()
    timings = tuple(FunctionTiming(name, 1, 10, 10, 1_000, 2_000, 3_000) for name in "fg")
    sizes = Histogram()
    sizes.update(3)
    sizes.update(500)
    values = (
        MetricValue("f", "count", "counter", 3),
        MetricValue("f", "size", "histogram", sizes.snapshot()),
    )
    for number in (1, 2):
        done = BundleDone(9, NOW + number, TASK, number, 10, 10, 8, 8, 5, 6, timings, values)
        for record in BundlesDone.of([done]):
            store.apply(record)
    store.apply(BundleSampled(9, NOW, TASK, 1, ("a", "b"), (("1", "2"),)))
    store.apply(a_failure())
    return store


def a_failure() -> CallFailed:
    frames = (Frame("<cell>", 3, "f", "  raise ValueError"), Frame("lib.py", 9, "g"))
    row = FailedRow("f", 1, "id", "ValueError", "no", frames, (("i", "7"),), row=3, rows=9,
                    bundle=2, query="7", worker=9)  # fmt: skip
    return CallFailed(9, NOW, TASK, "fail", "UserFunctionError", row)


def some_logs() -> Logs:
    logs = Logs()
    for first in (1, 6):
        lines = (LogLine(first, 1.0, "INFO", "print", "f", 0, 1, "text"),)
        logs.add(LogLines(9, "7", lines, dropped=first - 1))
    return logs


def test_what_is_sent_is_of_the_types_that_are_said(messages: ModuleType) -> None:
    stage = StageProgress(1, "collect", "running", 4, rest=2.5, skew=3.5)
    (total, *_) = a_store().totals("7")
    state = RunState(
        totals=(total,),
        metrics=(MetricTotal("7", "f", "count", "counter", 3),),
        log=("line",),
        progress=Progress((stage,), tasks=4, jobs=1),
    )
    two = PlanComparison(a_plan(), plan(scan()))
    whole = query_dict(a_store(), "7", 100)
    assert whole["slowest"]
    assert whole["failed"]
    assert whole["metrics"]
    sent: list[tuple[Any, Any]] = [
        (state.to_dict(), RunData),
        (a_plan().to_dict(), Annotated[dict[str, Any], Plan, PlanStages]),
        (two.to_dict(), ComparisonData),
        (whole, QueryData),
        (shortened(whole), QueryData),
        (query_dict(Store(), "none", 100), QueryData),
        *((message, LogMessage) for message, _ in LogFeed().due(some_logs().kept(), [a_failure()])),
    ]
    for data, hint in sent:
        arrives = json.loads(json.dumps(sendable(data)))
        assert list(unlike(messages, arrives, hint)) == []


def test_panels_read_what_they_say(messages: ModuleType) -> None:
    for panel in messages.PANELS:
        assert messages.is_record(get_type_hints(panel.read, include_extras=True)["return"])
