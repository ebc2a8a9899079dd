"""A plan shown: text, rich, HTML, JSON; hostile names in it stay text."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from plans import cost, metric, op, plan, python, scan, use
from rich.console import Console

from notebook_udf.host.runs import Run
from notebook_udf.plan.plan_model import Advice, Plan, Strategy
from notebook_udf.widgets.explorer import PlanExplorer

HOSTILE = [
    "<script>alert(1)</script>",
    "\x1b[31mred\x1b[0m\x00",
    "lone \ud800 surrogate",
    "</li></ul><img src=x onerror=alert(1)>",
    "[bold]markup[/bold]",
    "\u202eright to left",
    "x" * 1_000_000,
    "%s %(name)s {0}",
]


def everything(text: str) -> Plan:
    """A plan with a text wherever there can be one."""
    hostile = use(text, call=text, task=text, way=text)
    below = op(text, "other", scan(), detail=text, columns=(text,), facts=((text, text),))
    spent = cost(text, user=1.0)
    rows = replace(metric("number of output rows", "sum", "3"), text=text, name=text)
    root = python(hostile, below=below, costs=(spent,), metrics=(rows,), detail=text)
    return plan(
        op("Project", "project", root, op("Subquery", "subquery", scan()), detail=text),
        run=Run("1", "done", 1.5, text),
        note=text,
        initial=op(text, "other", detail=text),
        strategies=(Strategy(text, text, text, text),),
        advice=(Advice(1, "spill", text, text),),
    )


class Tags(HTMLParser):
    """The tags of a page, and whether they are closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: set[str] = set()
        self._open: list[str] = []
        self.feed(page)
        assert self._open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes |= {name for name, _ in attributes}
        if tag not in ("meta", "br"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_stay_text(text: str) -> None:
    explorer = PlanExplorer(everything(text))
    bundle = explorer._repr_mimebundle_()
    # A page that stands alone has three: data, the explorer, and what starts it.
    for page, scripts in ((bundle["text/html"], 0), (explorer.to_html(), 3)):
        tags = Tags(page)
        assert tags.names.count("script") == scripts
        assert not set(tags.names) & {"img", "iframe", "object"}
        assert not any(name.startswith("on") for name in tags.attributes)
    assert len(bundle["text/html"]) < 100_000
    shown = bundle["text/plain"]
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(explorer)
    shown += console.export_text()
    for forbidden in ("\x1b", "\x00", "\ud800", "\u202e"):
        assert forbidden not in shown
        assert forbidden not in bundle["text/html"]
    shown.encode()
    bundle["text/html"].encode()
    assert json.loads(json.dumps(explorer.to_dict())) == explorer.to_dict()
    json.dumps(explorer.to_dict(), ensure_ascii=False).encode()


def test_markup_of_rich_is_shown_as_it_is() -> None:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(PlanExplorer(everything("[bold]x[/bold]")))
    assert "[bold]x[/bold]" in console.export_text()


def test_text_fits_eighty_columns() -> None:
    deep = scan()
    for _ in range(30):
        deep = op("Project", "project", deep, detail="a_column_with_a_long_name, " * 9)
    joined = op("SortMergeJoin", "join", deep, python(use(), costs=(cost(),)))
    shown = repr(PlanExplorer(plan(joined, note="n" * 200)))
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.count("\n") < 50


def test_the_same_data_in_every_form() -> None:
    spent = cost(user=2.0, rows_in=1234, nodes=(1,))
    given = plan(
        op("Project", "project", python(use(), detail="f(x)", costs=(spent,)), detail="f(x) AS y"),
        run=Run("7", "done", 2.5),
        strategies=(Strategy("f", "f(x)", "row by row", "its code can be anything"),),
        advice=(Advice(1, "slow-code", "It is slow.", "Make it fast."),),
    )
    explorer = PlanExplorer(given)
    for form in (repr(explorer), explorer._repr_html_(), explorer.to_html()):
        for word in ("f(x) AS y", "1,234 rows in", "own code 2.00 s", "run 7", "2.50 s",
                     "row by row, because", "Make it fast."):  # fmt: skip
            assert word in " ".join(form.split()), word
    data = explorer.to_dict()
    assert data["root"]["children"][0]["costs"][0]["rows_in"] == 1234
    assert data["run"] == {"query": "7", "state": "done", "seconds": 2.5, "description": ""}
    assert data["stages"] == [{"stage": 0, "nodes": [0, 1, 2]}]
    assert explorer.to_html().startswith("<!doctype html>")
