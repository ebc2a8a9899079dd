"""Queries under the names that a person knows them by, wherever they are listed."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from notebook_kernel import Kernel, Ran

Cell = Callable[[str], Ran]


@pytest.fixture
def farthest(cell: Cell) -> None:
    ran = cell("%%udf\ndef farthest(x: int) -> int:\n    return x + 1")
    assert ran.ok, ran.errors


def listed(cell: Cell) -> tuple[str, str, str]:
    """The latest query in the side panel, in the metrics as data, and in their table."""
    ran = cell(
        "import json\n"
        "from notebook_udf.lab.query_list import QueryList\n"
        "(latest, *_) = QueryList(session).read()\n"
        "data = session.metrics().to_dict()['queries'][-1]\n"
        "table = repr(session.metrics(data['query']))\n"
        "print(json.dumps([latest['text'], data['name'], table.splitlines()[1]]))"
    )
    assert ran.ok, ran.errors
    side, metrics, table = json.loads(ran.stream())
    return side, metrics, table


# What a person types, and what the query is called behind the number of its cell.
TYPED = {
    "%%sparksql\nSELECT farthest(id)\nFROM range(5)": "SELECT farthest(id) FROM range(5)",
    "session.sql('SELECT sum(farthest(id)) FROM range(9)').show()": (
        "SELECT sum(farthest(id)) FROM range(9)"
    ),
    "# Far away.\nimport math\nsession.spark.range(5).select(farthest('id')).take(3)": (
        "session.spark.range(5).select(farthest('id')).take(3)"
    ),
    "rows = session.spark.range(5).select(farthest('id'))\n"
    "rows.write.format('noop').mode('overwrite').save()": (
        "rows = session.spark.range(5).select(farthest('id')) rows.write.format('noop').…"
    ),
    "%udf bench farthest SELECT farthest(id) FROM range(7) --rows 7 --repeats 1": (
        "%udf bench farthest SELECT farthest(id) FROM range(7) --rows 7 --repeats 1"
    ),
    "get_ipython().run_cell(\"session.sql('select farthest(1)').collect()\")": "select farthest(1)",
}


@pytest.mark.usefixtures("farthest")
@pytest.mark.parametrize("typed", TYPED)
def test_a_query_is_called_by_its_cell_and_first_words(
    cell: Cell, running: Kernel, typed: str
) -> None:
    begun = running.start(typed)
    ran = running.finish(begun)
    assert ran.ok, ran.errors
    name = f"In [{ran.reply['execution_count']}]: {TYPED[typed]}"
    side, metrics, table = listed(cell)
    assert side == metrics == name
    assert name[:40] in table


@pytest.mark.usefixtures("farthest")
def test_a_name_of_the_users_own_stays(cell: Cell) -> None:
    cell("session.spark.sparkContext.setJobDescription('nightly report')")
    cell("session.sql('SELECT farthest(1)').collect()")
    assert listed(cell)[:2] == ("nightly report", "nightly report")
    cell("session.spark.sparkContext.setLocalProperty('spark.job.description', None)")
    cell("session.sql('SELECT farthest(1)').collect()")
    assert listed(cell)[0].endswith("SELECT farthest(1)")


@pytest.mark.usefixtures("farthest")
def test_a_plan_names_the_cell_that_ran_it(cell: Cell) -> None:
    cell("session.sql('SELECT farthest(id) AS y FROM range(77)').collect()")
    ran = cell("print(session.plan('SELECT farthest(id) AS y FROM range(77)').to_dict()['note'])")
    assert ran.stream().startswith("run by: In [")


@pytest.mark.usefixtures("farthest")
def test_a_thread_of_the_users_is_no_cell(cell: Cell) -> None:
    ran = cell(
        "import threading\n"
        "thread = threading.Thread(\n"
        "    target=lambda: session.sql('SELECT farthest(3)').collect())\n"
        "thread.start()\nthread.join()"
    )
    assert ran.ok, ran.errors
    assert listed(cell)[0] == "collect"
