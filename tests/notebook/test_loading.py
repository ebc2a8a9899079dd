"""Loading the magics: fast, light, and taken back whole."""

from __future__ import annotations

import ast

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from notebook_kernel import Kernel

HEAVY = ("pyspark", "pandas", "pyarrow", "numpy", "sqlglot", "ipywidgets", "rich")
LOAD = f"""
import sys, time
before = set(sys.modules)
began = time.perf_counter()
get_ipython().run_line_magic("load_ext", "notebook_udf")
took = time.perf_counter() - began
print((took, [m for m in {HEAVY!r} if m in sys.modules and m not in before]))
"""


def test_load_is_fast_and_imports_nothing_heavy(bare: Kernel) -> None:
    took, heavy = ast.literal_eval(bare.run(LOAD).stream())
    assert heavy == []
    assert took < 0.5


def test_load_twice_and_unload(bare: Kernel) -> None:
    ran = bare.run(
        "%reload_ext notebook_udf\n"
        "shell = get_ipython()\n"
        "count = len(shell.Completer.custom_matchers)\n"
        "from notebook_udf import load_ipython_extension\n"
        "load_ipython_extension(shell)\n"
        "assert len(shell.Completer.custom_matchers) == count\n"
        "%unload_ext notebook_udf\n"
        "assert len(shell.Completer.custom_matchers) == count - 1\n"
        "assert shell.custom_exceptions == ()\n"
        "assert shell.find_cell_magic('udf') is None\n"
        "assert shell.find_line_magic('udf') is None\n"
        "assert not [c for c in shell.events.callbacks['post_run_cell']\n"
        "            if 'notebook_udf' in c.__module__]\n"
        "%load_ext notebook_udf\n"
        "assert shell.find_cell_magic('udf') is not None"
    )
    assert ran.ok, ran.errors


def test_help_lists_every_option(bare: Kernel) -> None:
    ran = bare.run("print(get_ipython().find_cell_magic('udf').__doc__)")
    for flag in ("--returns", "--on-error fail | null | quarantine", "--try"):
        assert flag in ran.stream()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("%%udf\n1 / 0", "ZeroDivisionError"),
        ("%%udf\ndef f(x: int) -> int:\n    return (", "SyntaxError"),
        ("%%udf --on-error explode\ndef f(x: int) -> int:\n    return x", "invalid choice"),
        ("%udf nonsense", "functions, pool, metrics, logs, errors, replay, state, plan"),
    ],
)
def test_a_failing_cell_fails_the_notebook(bare: Kernel, source: str, said: str) -> None:
    ran = bare.run(source)
    assert ran.reply["status"] == "error"
    assert len(ran.errors) == 1
    text = "\n".join([ran.errors[0]["ename"], *ran.errors[0]["traceback"]])
    assert said in text


def test_nbclient_sees_the_failure() -> None:
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("%load_ext notebook_udf"),
            nbformat.v4.new_code_cell("%udf nonsense"),
            nbformat.v4.new_code_cell("print('not reached')"),
        ]
    )
    with pytest.raises(CellExecutionError, match="nonsense is unknown"):
        NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    assert notebook.cells[2].outputs == []
    kinds = [output.output_type for output in notebook.cells[1].outputs]
    assert kinds == ["display_data", "error"]
    assert set(notebook.cells[1].outputs[0].data) == {"text/html", "text/plain"}


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("%%udf --on-e", ["--on-error"]),
        ("%%udf name --on-error ", ["fail", "null", "quarantine"]),
        ("%%udf --func-type p", ["pandas"]),
        ("%%udf --kind scalar --me", ["--memory"]),
        ("%%sparksql --", ["--limit", "--no-live", "--plan"]),
        ("%udf re", ["replay"]),
        (
            "%udf ",
            [
                "adopt",
                "bench",
                "capture",
                "drop",
                "errors",
                "export",
                "functions",
                "logs",
                "metrics",
                "plan",
                "pool",
                "profile",
                "replay",
                "state",
            ],
        ),
        ("%udf export --", ["--force"]),
        ("%udf capture f --f", ["--failed", "--force"]),
        ("%udf logs --level W", ["WARNING"]),
    ],
)
def test_tab(bare: Kernel, typed: str, offered: list[str]) -> None:
    bare.run("%load_ext notebook_udf")
    assert bare.complete(typed) == offered


def test_tab_leaves_the_body_of_a_cell_alone(bare: Kernel) -> None:
    assert "--kind" not in bare.complete("%%udf\ndef f(x):\n    return x --")
