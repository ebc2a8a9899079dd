"""The tests of an exported module, made from the examples (``--try``) of the cells."""

from __future__ import annotations

from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.export.cells import UdfLine
from notebook_udf.export.declared import Declared
from notebook_udf.export.module import Module
from notebook_udf.planner.syntax.dialect import read
from notebook_udf.python_calls import LINE, PythonCall, quoted, source

_PLAIN = """\
import {module}
import pytest
from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def spark():
    spark = SparkSession.builder.master("local[2]").getOrCreate()
    {module}.register(spark)
    yield spark
    spark.stop()
"""
_PACKAGE = """\
import {module}
import notebook_udf as nu
import pytest


@pytest.fixture(scope="module")
def session():
    with nu.session(workers=2) as session:
        {module}.register(session)
        yield session
"""
_TRY = '''\
def results(spark, query, call):
    """The first rows of a query with what a call gives for each, as the notebook shows it."""
    spark.sql(query).limit(5).createOrReplaceTempView("example")
    frame = spark.sql(call)
    rows = [tuple(row) for row in frame.collect()]
    shown = pd.DataFrame(rows, columns=frame.columns, dtype=object)
    return shown.to_string(index=False)


def columns(spark, query, parameters):
    """The columns of a query that are the parameters: by name, else by position."""
    names = spark.sql(query).columns
    by_name = {name.lower(): name for name in names}
    if all(parameter.lower() in by_name for parameter in parameters):
        names = [by_name[parameter.lower()] for parameter in parameters]
    return ", ".join(f"`{name}`" for name in names)
'''


def tests_text(module: Module, name: str) -> tuple[str, list[str]]:
    """The text of the tests, and notes on the examples that cannot become one."""
    left: list[str] = []
    body: list[str] = []
    for function in module.functions:
        query = function.chosen.example.query
        if query is None:
            continue
        missing = tables_of(query)
        if missing:
            left.append(
                f"the example of {function.chosen.name} reads {', '.join(missing)}, which only the "
                f"notebook has: there is no test of it"
            )
        else:
            body.append(_test(module, function, function.chosen.example))
    body.insert(0, _registered(module))
    head = (_PLAIN if module.plain else _PACKAGE).format(module=name)
    if module.plain and len(body) > 1:
        head = head.replace("import pytest\n", "import pandas as pd\nimport pytest\n")
        body.insert(0, _TRY)
    text = [f'"""Tests of {name}, from the examples in {module.notebook}."""\n', head]
    return "\n\n".join(["\n".join(text), *body]), left


def tables_of(query: str) -> list[str]:
    """The tables that a query reads."""
    try:
        tree = read(query)
    except PlanningError:
        return []
    own = {each.alias_or_name.lower() for each in tree.find_all(exp.CTE)}
    named = (t for t in tree.find_all(exp.Table) if isinstance(t.this, exp.Identifier))
    names = (table.name for table in named)
    return list(dict.fromkeys(name for name in names if name and name.lower() not in own))


def _registered(module: Module) -> str:
    names = source([function.chosen.name for function in module.functions])
    given, known = "session", "name in session.functions"
    if module.plain:
        given, known = "spark", "spark.catalog.functionExists(name)"
    return (
        f"def test_the_functions_are_registered({given}):\n"
        f"    for name in {names}:\n"
        f"        assert {known}\n"
    )


def _test(module: Module, function: Declared, example: UdfLine) -> str:
    assert example.query is not None
    name = function.chosen.name
    identifier = name if name.isidentifier() else function.chosen.variable
    query = _string(example.query)
    shown = _string(example.shown) if example.shown else ""
    if not module.plain:
        lines = [
            f"def test_{identifier}(session):",
            f"    tried = session.functions[{_string(name)}].try_({query})",
            f"    assert str(tried) == {shown}" if shown else "    assert len(tried) > 0",
        ]
        return "\n".join(lines) + "\n"
    parameters = [p for p in function.definition.parameters if not p.startswith("*")]
    lines = [
        f"def test_{identifier}(spark):",
        f"    query = {query}",
        f"    given = columns(spark, query, {source(parameters)})",
    ]
    form = function.form.plain
    assert form is not None
    call = form.select(function.definition, name, "{given}", "example")
    tried = PythonCall("results", ("spark", "query", f"f{quoted(call)}")).text(4, len("tried = "))
    lines.append(f"    tried = {tried}")
    lines.append(f"    assert tried == {shown}" if shown else "    assert tried")
    return "\n".join(lines) + "\n"


def _string(text: str) -> str:
    """A Python string, on as many lines as the text has if it is long."""
    whole = quoted(text)
    if "\n" not in text or len(whole) <= LINE - len("    assert str(tried) == "):
        return whole
    *lines, last = text.split("\n")
    parts = [quoted(f"{line}\n") for line in lines] + [quoted(last)]
    return "(\n" + "".join(f"        {part}\n" for part in parts) + "    )"
