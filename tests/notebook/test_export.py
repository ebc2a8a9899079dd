"""A notebook's functions as a module: the same results in a Spark that knows no notebook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pyspark
import pytest
from notebook_kernel import ROOT, Ran

from notebook_udf.cli import main
from notebook_udf.launch.java import find_java

Cell = Callable[[str], Ran]

PLAIN = [
    "import json\nimport notebook_udf as nu\nMILE = 1.609\nunused = session.spark.range(3)",
    "def _rounded(value):\n    # To the metre.\n    return round(value, 3)",
    '%%udf --try "SELECT 2.0D AS miles UNION ALL SELECT 10.0D"\n'
    "def kilometres(miles: float) -> float:\n"
    '    """What the rest of the world says."""\n'
    "    return _rounded(miles * MILE)  # not nautical",
    "%%udf --func-type pandas --returns double\ndef doubled(x):\n    return x * 2",
    "%%udf --func-type arrow --returns bigint --nondeterministic\n"
    "import pyarrow.compute as pc\n\ndef plus_one(x):\n    return pc.add(x, 1)",
    "%%udf letters --try \"SELECT 'abc' AS text\"\n"
    "from collections.abc import Iterator\n\n"
    "def letters(text: str) -> Iterator[tuple[str, int]]:\n"
    "    for i, letter in enumerate(text):\n        yield letter, i",
    "%%udf ends --kind table --returns 'first STRING, last STRING'\n"
    "def ends(text):\n    return (text[0], text[-1]) if text else None",
    '@nu.register(name="shout")\ndef loud(text: str) -> str:\n    return json.dumps(text.upper())',
]
PLAIN_QUERIES = [
    "SELECT kilometres(CAST(id AS DOUBLE)) FROM range(4)",
    "SELECT doubled(CAST(id AS DOUBLE)), plus_one(id) FROM range(4)",
    "SELECT t.* FROM VALUES ('ab'), ('c') AS w(text), LATERAL letters(text) AS t",
    "SELECT shout('a')",
    "SELECT e.* FROM VALUES ('abc'), ('') AS w(text), LATERAL ends(text) AS e",
]

PACKAGE = [
    "%%udf total --on-error null\n"
    "from notebook_udf import AggregateFunction\n\n"
    "class Total(AggregateFunction):\n"
    "    def create_accumulator(self):\n        return [0]\n\n"
    "    def accumulate(self, acc, x: int):\n        acc[0] += x\n\n"
    "    def merge(self, acc, others):\n"
    "        for other in others:\n            acc[0] += other[0]\n\n"
    "    def get_value(self, acc) -> int:\n        return acc[0]",
    "%%udf spread --kind aggregate --func-type pandas --returns double\n"
    "def spread(v):\n    return float(v.max() - v.min())",
    "%%udf two_least --returns 'value BIGINT'\n"
    "from notebook_udf import TableAggregateFunction\n\n"
    "class TwoLeast(TableAggregateFunction):\n"
    "    def create_accumulator(self):\n        return []\n\n"
    "    def accumulate(self, acc, x: int):\n        acc[:] = sorted([*acc, x])[:2]\n\n"
    "    def merge(self, acc, others):\n"
    "        for other in others:\n            acc[:] = sorted([*acc, *other])[:2]\n\n"
    "    def emit_value(self, acc):\n        for x in acc:\n            yield x",
    '%%udf awaited --buffer-capacity 5 --timeout 5s --try "SELECT 1 AS x"\n'
    "import asyncio\n\nasync def awaited(x: int) -> int:\n"
    "    await asyncio.sleep(0)\n    return x * 10",
    "%%udf running\n"
    "from notebook_udf import Collector, OneInputStreamProcessFunction, StateDeclarations\n\n"
    'SUM = StateDeclarations.value_state("sum", int)\n\n\n'
    "class Running(OneInputStreamProcessFunction):\n"
    "    def uses_states(self):\n        return [SUM]\n\n"
    "    def process_record(self, record: int, output: Collector[int], ctx):\n"
    "        state = ctx.get_state(SUM)\n"
    "        state.update((state.value() or 0) + record)\n"
    "        output.collect(state.value())",
]
# What a session does, however it came to be.
OPERATIONS = """\
import notebook_udf as nu

def results(session, functions):
    sql = session.sql(
        "SELECT id % 2 AS k, total(id), spread(CAST(id AS DOUBLE)) FROM range(10) GROUP BY 1 "
        "ORDER BY 1"
    )
    rows = session.spark.range(10)
    least = rows.transform(nu.flat_aggregate(functions["two_least"]("id"), ["value"]))
    summed = rows.coalesce(1).transform(nu.process(functions["running"], key_by="id"))
    frames = [
        sql,
        least,
        session.sql("SELECT awaited(id) FROM range(3)"),
        summed.orderBy("value"),
    ]
    return [[list(row) for row in frame.collect()] for frame in frames]
"""


def save(folder: Path, cells: list[str], outputs: dict[int, list[str]] | None = None) -> Path:
    """A notebook of these cells, with what some of them display."""
    notebook = nbformat.v4.new_notebook()
    for i, source in enumerate(cells):
        cell = nbformat.v4.new_code_cell(source)
        cell.outputs = [
            nbformat.v4.new_output("display_data", {"text/plain": text})
            for text in (outputs or {}).get(i, [])
        ]
        notebook.cells.append(cell)
    path = folder / "work.ipynb"
    nbformat.write(notebook, path)
    return path


def environment() -> dict[str, str]:
    return dict(
        os.environ,
        **find_java().environment(),
        PYSPARK_PYTHON=sys.executable,
        PYSPARK_DRIVER_PYTHON=sys.executable,
        PYTHONPATH=str(ROOT),
    )


def submit(folder: Path, script: str) -> list[object]:
    """What a script prints as JSON under spark-submit."""
    (folder / "job.py").write_text(script)
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "job.py"]
    ran = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=150
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return list(json.loads(ran.stdout.strip().splitlines()[-1]))


def formatted(*files: Path) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--diff", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout


def in_notebook(cell: Cell, code: str) -> list[object]:
    ran = cell(f"import json\n{code}\nprint(json.dumps(found))")
    assert ran.ok, ran.errors
    return list(json.loads(ran.stream().splitlines()[-1]))


@pytest.mark.thorough
@pytest.mark.timeout(400)
def test_scalar_and_table_functions_run_in_plain_spark(cell: Cell, tmp_path: Path) -> None:
    outputs = {}
    for i, source in enumerate(PLAIN):
        ran = cell(source)
        assert ran.ok, ran.errors
        outputs[i] = [shown["text/plain"] for shown in ran.displays]
    assert (
        main(["export", str(save(tmp_path, PLAIN, outputs)), "-o", str(tmp_path / "made.py")]) == 0
    )
    text = (tmp_path / "made.py").read_text()
    assert "notebook_udf" not in text
    assert "unused" not in text
    assert "    # To the metre.\n" in text
    assert "  # not nautical\n" in text
    assert formatted(tmp_path / "made.py", tmp_path / "made_test.py") == ""
    expected = in_notebook(
        cell,
        f"found = [[list(r) for r in session.sql(q).collect()] for q in {PLAIN_QUERIES!r}]",
    )
    found = submit(
        tmp_path,
        "import json, sys\n"
        "from pyspark.sql import SparkSession\n"
        "import made\n"
        "spark = SparkSession.builder.master('local[2]').getOrCreate()\n"
        "functions = made.register(spark)\n"
        "named = ['doubled', 'ends', 'kilometres', 'letters', 'plus_one', 'shout']\n"
        "assert sorted(functions) == named\n"
        "assert 'notebook_udf' not in sys.modules\n"
        f"rows = [[list(r) for r in spark.sql(q).collect()] for q in {PLAIN_QUERIES!r}]\n"
        "spark.stop()\n"
        "print(json.dumps(rows))\n",
    )
    assert found == expected
    assert "pyspark==4.3" in (tmp_path / "requirements.txt").read_text()
    tests = (tmp_path / "made_test.py").read_text()
    assert "16.09" in tests
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "made_test.py"],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=150,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
    assert "3 passed" in ran.stdout


@pytest.mark.thorough
@pytest.mark.timeout(400)
def test_other_kinds_run_with_the_package_and_no_notebook(cell: Cell, tmp_path: Path) -> None:
    for source in PACKAGE:
        ran = cell(source)
        assert ran.ok, ran.errors
    assert main(["export", str(save(tmp_path, PACKAGE)), "-o", str(tmp_path / "made.py")]) == 0
    text = (tmp_path / "made.py").read_text()
    assert '@nu.udaf(on_error="null")\nclass Total(' in text
    assert '@nu.udf(timeout="5s", buffer_capacity=5)\nasync def awaited' in text
    assert formatted(tmp_path / "made.py") == ""
    expected = in_notebook(cell, f"{OPERATIONS}\nfound = results(session, session.functions)")
    found = submit(
        tmp_path,
        f"{OPERATIONS}\n"
        "import json\n"
        "from pyspark.sql import SparkSession\n"
        "import made\n"
        "spark = SparkSession.builder.master('local[2]').getOrCreate()\n"
        "functions = made.register(spark)\n"
        "rows = results(nu.session(spark), functions)\n"
        "nu.session(spark).stop()\n"
        "spark.stop()\n"
        "print(json.dumps(rows))\n",
    )
    assert found == expected
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "made_test.py"],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=150,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
    assert "2 passed" in ran.stdout


def test_the_running_notebook_exports_itself(cell: Cell, tmp_path: Path) -> None:
    target = tmp_path / "mine.py"
    cell("FACTOR = 3")
    thrice = "def thrice(x: int) -> int:\n    return FACTOR * x"
    assert cell(f'%%udf --try "SELECT 14 AS x"\n{thrice}').ok
    failed = cell("%%udf\ndef thrice(x: int) -> nonsense:\n    return 4 * x")
    assert not failed.ok
    ran = cell(f"%udf export -o {target} --force")
    if not ran.ok:
        pytest.fail(str(ran.errors[0]["traceback"]))
    text = target.read_text()
    assert "return FACTOR * x" in text
    assert "4 * x" not in text
    assert '== " x thrice\\n14     42"' in (tmp_path / "mine_test.py").read_text()
    again = cell(f"%udf export -o {target}")
    assert not again.ok
    assert "--force overwrites" in str(again.errors)


def test_a_file_that_is_there_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notebook = save(tmp_path, ["%%udf\ndef one() -> int:\n    return 1"])
    target = tmp_path / "made.py"
    target.write_text("mine")
    assert main(["export", str(notebook), "-o", str(target)]) == 1
    assert "is there already; --force overwrites it" in capsys.readouterr().err
    assert target.read_text() == "mine"
    assert main(["export", str(notebook), "-o", str(target), "--force"]) == 0
    assert "def one() -> int:" in target.read_text()
