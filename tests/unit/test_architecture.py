"""The folders are the architecture: imports point one way, and the public door is complete."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import notebook_udf as nu

PACKAGE = Path(nu.__file__).resolve().parent

# Lowest first: a part may import itself and what stands before it.
LAYERS = [
    "errors",
    "code_origin",
    "excerpt",
    "colours",
    "tables",
    "text",
    "suggestion",
    "datatypes",
    "typetext",
    "annotations",
    "types",
    "functions",
    "registry",
    "specs",
    "telemetry",
    "worker",
    "planner",
    "pool",
    "launch",
    "plan",
    "state",
    "bench",
    "profile",
    "widgets",
    "kernel",
    "samples",
    "export",
    "lab",
    "magics",
    "tutorials",
    "doctor",
    "cli",
]


def imports(path: Path) -> set[str]:
    """Parts of the package a module imports, wherever in it the import stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            names = [node.module or ""]
            if node.module == "notebook_udf":
                names = [f"notebook_udf.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("notebook_udf."):
                found.add(name.split(".")[1])
    return found - {"__version__"}


def part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    own = LAYERS.index(part(path))
    for name in imports(path):
        assert name in LAYERS, f"{name} has no place in LAYERS"
        assert LAYERS.index(name) <= own, f"{path.name} in {LAYERS[own]} imports {name}"


def test_every_public_name_is_there_and_listed_in_order() -> None:
    assert nu.__all__ == sorted(nu.__all__)
    for name in nu.__all__:
        assert getattr(nu, name) is not None
    assert set(nu.__all__) == set(nu._HOMES)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = nu.nothing


def test_names_of_the_door_exist_for_type_checkers_too() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text("utf-8"))
    guarded = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.If)
        for statement in node.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    assert guarded == set(nu.__all__)


def test_errors_form_one_tree() -> None:
    errors = importlib.import_module("notebook_udf.errors")
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, Exception):
            assert issubclass(value, nu.NotebookUdfError), name
            assert name in (errors.__doc__ or "") or name == "RemoteError"


def test_importing_the_door_starts_nothing() -> None:
    code = (
        "import sys, notebook_udf\n"
        "heavy = {'pyspark', 'pandas', 'pyarrow', 'zmq', 'IPython', 'sqlglot'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)


def test_files_stay_small() -> None:
    long = {
        str(path.relative_to(PACKAGE)): count
        for path in MODULES
        if (count := len(path.read_text("utf-8").splitlines())) > 480
    }
    assert not long
