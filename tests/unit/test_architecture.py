"""The folders are the architecture: imports point one way, and the public door is complete."""

from __future__ import annotations

import ast
import functools
import importlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import notebook_udf as nu
from notebook_udf.functions.kind_traits import BUILT_IN
from notebook_udf.kernel.kinds import KINDS
from notebook_udf.plan.functions import _PASSES
from notebook_udf.telemetry.stacks import _FOLDERS, _WORK
from notebook_udf.worker.runtime.profiler import AWAITING

PACKAGE = Path(nu.__file__).resolve().parent

# Lowest first: a part may import itself and what stands before it.
LAYERS = [
    "sanitize",
    "errors",
    "code_origin",
    "local_clock",
    "source_excerpt",
    "render",
    "python_calls",
    "suggestion",
    "datatypes",
    "ddl",
    "annotations",
    "types",
    "functions",
    "compile",
    "registry",
    "specs",
    "telemetry",
    "worker",
    "launch",
    "host",
    "planner",
    "pool",
    "plan",
    "state",
    "bench",
    "profile",
    "widgets",
    "kernel",
    "samples",
    "export",
    "lab",
    "reports",
    "magics",
    "tutorials",
    "doctor",
    "cli",
]


# The same within the largest parts and folders of theirs. "" stands for the modules beside these
# folders; where it is missing, a module that stands in none of them comes after all that it
# imports, and before all that import it.
INSIDE = {
    "compile.java": [
        "writing",
        "documents",
        "times",
        "numbers",
        "objects",
        "iterating",
        "collections",
        "patterns",
        "texts",
        "standard_library",
        "calls",
        "columns",
        "bodies",
        "",
    ],
    "planner": ["syntax", "analysis", "physical", "streaming", "dataframe", "rules"],
    "worker": [
        "codec",
        "runtime",
        "call",
        "observed",
        "scalar",
        "aggregate",
        "table",
        "async_",
        "state",
        "process",
        "stream",
    ],
}


@functools.cache
def parsed(path: Path) -> ast.Module:
    """Its tree, which nobody may change."""
    return ast.parse(path.read_text("utf-8"))


def walked(node: ast.AST, typing: bool) -> Iterator[ast.AST]:
    """A node and all below it; without ``typing`` nothing below ``if TYPE_CHECKING``."""
    if not typing and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from walked(child, typing)


def imported(tree: ast.AST, typing: bool = True) -> Iterator[str]:
    """What a module imports from this package, wherever in it the import stands.

    Without ``typing`` not what only type checkers import.
    """
    for node in walked(tree, typing):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def imports(path: Path) -> set[str]:
    """Parts of the package that a module imports."""
    names = imported(parsed(path))
    found = {name.split(".")[1] for name in names if name.startswith("notebook_udf.")}
    return found - {"__version__"}


def part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def module_name(path: Path) -> str:
    """Its name below the package's, with dots."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")


@functools.cache
def graph() -> dict[str, set[str]]:
    """Which modules each module imports once it is loaded, or later."""
    names = {module_name(path) for path in MODULES}
    arrows: dict[str, set[str]] = {}
    for path in MODULES:
        ours = imported(parsed(path), typing=False)
        found = [name.partition(".")[2] for name in ours if name.startswith("notebook_udf.")]
        whole = {name if name in names else name.rpartition(".")[0] for name in found}
        arrows[module_name(path)] = whole & names - {module_name(path)}
    return arrows


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    own = LAYERS.index(part(path))
    for name in imports(path):
        assert name in LAYERS, f"{name} has no place in LAYERS"
        assert LAYERS.index(name) <= own, f"{path.name} in {LAYERS[own]} imports {name}"


def folder_in(whole: str, name: str) -> str | None:
    """Which of its folders a module stands in; "" if beside them, None if elsewhere."""
    before, _, rest = name.partition(f"{whole}.")
    if before or not rest:
        return None
    first, _, module = rest.partition(".")
    return first if module or first in INSIDE[whole] else ""


def test_folders_inside_a_part_have_an_order_too() -> None:
    upwards = {
        (name, other)
        for whole, folders in INSIDE.items()
        for name, found in graph().items()
        for other in found
        if (own := folder_in(whole, name)) in folders
        and (its := folder_in(whole, other)) in folders
        if folders.index(its) > folders.index(own)
    }
    assert not upwards


def test_every_folder_of_the_compiler_to_java_has_its_place() -> None:
    assert {folder_in("compile.java", name) for name in graph()} == {None, *INSIDE["compile.java"]}


def test_no_two_modules_import_each_other() -> None:
    arrows = graph()
    try:
        list(TopologicalSorter(arrows).static_order())
    except CycleError as error:
        pytest.fail(f"modules import each other: {error.args[1]}")


def test_the_way_of_a_call_is_told_with_files_that_there_are() -> None:
    told = (PACKAGE.parent / "ARCHITECTURE.md").read_text("utf-8")
    files = set(
        re.findall(r"(?<![\w/])(?!docs/|tests/|notebook_udf/)\w+(?:/\w+)*(?:\.py|/(?=`))", told)
    )
    assert len(files) > 50
    assert not [file for file in files if not (PACKAGE / file).exists()]


def test_symptoms_lead_to_files_that_there_are() -> None:
    _, _, told = (PACKAGE.parent / "ARCHITECTURE.md").read_text("utf-8").partition("From a symptom")
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| (`[^|]+) \|$", told, re.MULTILINE)
    assert len(rows) >= 10
    for symptom, files in rows:
        named = re.findall(r"`([^`]+)`", files)
        assert len(named) > 1, symptom
        assert not [name for name in named if not (PACKAGE / name).is_file()], symptom


def test_tables_of_names_name_what_there_is() -> None:
    for key in (*_WORK, ":".join(AWAITING)):
        file, _, function = key.partition(":")
        source = (PACKAGE / file).read_text("utf-8")
        assert not function or f"def {function}(" in source, f"{file} has no {function}"
    for folder in _FOLDERS:
        assert (PACKAGE / folder).is_dir(), folder
    classes = {
        node.name
        for path in MODULES
        if part(path) == "worker"
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef)
    }
    assert set(_PASSES) <= classes


def test_no_two_modules_have_one_name() -> None:
    names = Counter(path.name for path in MODULES if path.name != "__init__.py")
    assert not [name for name, count in names.items() if count > 1]


def test_no_two_files_of_tests_have_one_name() -> None:
    """pytest refuses to collect them together, as ``make thorough`` does."""
    names = Counter(path.name for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert len(names) > 200
    assert not [name for name, count in names.items() if count > 1]


def test_each_folder_of_tests_is_a_marker(request: pytest.FixtureRequest) -> None:
    """By which its tests are chosen; without one, pytest collects none of them."""
    known = {line.partition(":")[0] for line in request.config.getini("markers")}
    tests = Path(__file__).parents[1]
    folders = {path.relative_to(tests).parts[0] for path in tests.glob("*/**/test_*.py")}
    assert folders <= known


def test_no_two_public_classes_have_one_name() -> None:
    names = Counter(
        node.name
        for path in MODULES
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert len(names) > 500
    assert not [name for name, count in names.items() if count > 1]


def test_the_daemon_has_every_module_of_the_worker_before_it_forks() -> None:
    code = (
        "import sys\n"
        "from notebook_udf.pool.daemon import preload\n"
        "preload()\n"
        "print(*(name for name in sys.modules if name.startswith('notebook_udf.worker.')))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], check=True, timeout=60, capture_output=True, text=True
    )
    needed = {f"notebook_udf.{module_name(p)}" for p in MODULES if part(p) == "worker"}
    assert needed - {"notebook_udf.worker"} <= set(ran.stdout.split())


def test_the_kinds_are_those_that_the_magics_know_without_the_kernel() -> None:
    assert tuple(kind.traits for kind in KINDS.values()) == BUILT_IN


def test_a_kind_of_function_is_told_by_its_name_nowhere() -> None:
    # Nodes of a plan have a kind as well, of which one is called "aggregate".
    names = KINDS.keys() - {"aggregate"}
    told = [
        f"{module_name(path)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Compare) and getattr(node.left, "attr", "") == "kind"
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and each.value in names
    ]
    assert not told


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
        if (count := lines_beside_docstrings(path.read_text("utf-8"))) > 450
    }
    assert not long


def lines_beside_docstrings(source: str) -> int:
    """The lines of a module without its docstrings: examples make no file two things."""
    found = len(source.splitlines())
    for node in ast.walk(ast.parse(source)):
        documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            first = node.body[0]
            found -= (first.end_lineno or first.lineno) - first.lineno + 1
    return found
