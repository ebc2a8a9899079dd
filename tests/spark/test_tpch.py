"""The 22 queries of TPC-H, with every aggregate swapped for its Python twin.

The queries have the parameters of the specification's validation runs; the data is of scale
factor 0.01, from ``tpchgen-cli``.
"""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp
from twins import Twins, difference

import notebook_udf as nu

QUERIES = sorted((Path(__file__).parent / "tpch").glob("q*.sql"))
TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")

_CALL = re.compile(r"(?i)\b(sum|avg|count|min|max)\s*\(")


@pytest.fixture(scope="module")
def twins(session: nu.Session, tmp_path_factory: pytest.TempPathFactory) -> Twins:
    """The twins, in a session whose temporary views are the tables."""
    folder = tmp_path_factory.mktemp("tpch")
    program = Path(sysconfig.get_path("scripts")) / "tpchgen-cli"
    command = [str(program), "parquet", "-s", "0.01", f"--output-dir={folder}"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    for table in TABLES:
        rows = session.spark.read.parquet(str(folder / f"{table}.parquet"))
        rows.createOrReplaceTempView(table)
    return Twins(session)


def swapped(session: nu.Session, twins: Twins, query: str) -> str:
    """The text with each aggregate's name replaced by that of the twin for its argument's type."""
    functions = [found[1].lower() for found in _CALL.finditer(query)]
    numbers = iter(range(len(functions)))
    # Under a name of its own, a call in the text can be found again in the tree.
    text = _CALL.sub(lambda found: f"call_{next(numbers)}(", query)
    tree = sqlglot.parse_one(text, read="spark")
    calls = {node.name: node for node in tree.find_all(exp.Anonymous)}
    for number, function in enumerate(functions):
        node = calls[f"call_{number}"]
        argument = node.expressions[0]
        if isinstance(argument, exp.Star):
            text = text.replace(f"{node.name}(*)", f"{twins.name('count')}()")
            continue
        if isinstance(argument, exp.Distinct):
            argument = argument.expressions[0]
        kind = "" if function == "count" else _type(session, tree, argument, functions)
        text = text.replace(f"{node.name}(", f"{twins.name(function, kind)}(")
    return text


def _type(
    session: nu.Session, tree: exp.Expression, argument: exp.Expression, functions: list[str]
) -> str:
    """The type that an expression has in the SELECT it stands in."""
    around = argument.find_ancestor(exp.Select)
    assert around is not None
    select = exp.Select(expressions=[exp.alias_(argument.copy(), "x")])
    select.set("from_", around.args["from_"].copy())
    select.set("joins", [join.copy() for join in around.args.get("joins") or []])
    with_ = tree.args.get("with_")
    select.set("with_", None if with_ is None else with_.copy())
    text = select.sql("spark", normalize_functions=False)
    text = re.sub(r"\bcall_(\d+)\(", lambda found: f"{functions[int(found[1])]}(", text)
    name: str = session.spark.sql(text).schema.fields[0].dataType.simpleString()
    return name


def test_there_are_all_of_them() -> None:
    assert [path.stem for path in QUERIES] == [f"q{number:02}" for number in range(1, 23)]


@pytest.mark.one_in(3)
@pytest.mark.timeout(120)
@pytest.mark.parametrize("path", QUERIES, ids=lambda path: str(path.stem))
def test_a_query_answers_the_same(session: nu.Session, twins: Twins, path: Path) -> None:
    query = path.read_text()
    expected = session.spark.sql(query)
    text = swapped(session, twins, query)
    assert text.count("py_") == len(_CALL.findall(query))
    actual = session.sql(text)
    # Without an alias a column has the name of what was called.
    names = [name for name in expected.columns if not _CALL.match(name)]
    assert [name for name in actual.columns if not name.startswith("py_")] == names
    assert [f.dataType for f in actual.schema] == [f.dataType for f in expected.schema]
    assert not difference(expected.collect(), actual.collect()), text
