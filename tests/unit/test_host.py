"""The host: nothing else touches a Spark session's insides, and a session's class decides."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import notebook_udf as nu
from notebook_udf.host.sessions import columns_of, host_of

PACKAGE = Path(nu.__file__).resolve().parent
# What PySpark's classic classes hold of the JVM, and what leads there.
INSIDES = {
    "_gateway",
    "_jc",
    "_jconf",
    "_jdf",
    "_jq",
    "_jsc",
    "_jsparkSession",
    "_jsq",
    "_jvm",
    "_jwrite",
    "sparkContext",
    "SparkContext",
}
ALLOWED = ("host/classic", "host/call_failures.py")
MODULES = ("py4j", "pyspark.errors.exceptions.captured", "pyspark.java_gateway", "pyspark.core")


def named(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The names that a module uses, imports or asks for by their text, with their lines."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name):
                yield name, node.lineno
            case ast.Import(names=names):
                yield from ((alias.name, node.lineno) for alias in names)
            case ast.ImportFrom(module=module, names=names):
                yield from ((f"{module}.{alias.name}", node.lineno) for alias in names)
            case ast.Call(
                func=ast.Name(id="getattr" | "hasattr" | "setattr"),
                args=[_, ast.Constant(value=str(name)), *_],
            ):
                yield name, node.lineno


def touched(source: str) -> list[tuple[str, int]]:
    """The insides of a Spark session that a module touches."""
    return [
        (name, line)
        for name, line in named(ast.parse(source))
        if name.rpartition(".")[2] in INSIDES
        or any(name == module or name.startswith(f"{module}.") for module in MODULES)
    ]


def test_nothing_but_the_host_touches_the_insides_of_a_spark_session() -> None:
    found = {
        f"{path.relative_to(PACKAGE)}:{line}": name
        for path in sorted(PACKAGE.rglob("*.py"))
        if not any(path.is_relative_to(PACKAGE / allowed) for allowed in ALLOWED)
        for name, line in touched(path.read_text("utf-8"))
    }
    assert not found


def test_what_is_allowed_to_touch_them_does() -> None:
    for allowed in ALLOWED:
        paths = [PACKAGE / allowed, *(PACKAGE / allowed).rglob("*.py")]
        assert any(touched(path.read_text("utf-8")) for path in paths if path.is_file())


@pytest.mark.parametrize(
    "source",
    [
        "spark._jvm.java",
        "hasattr(frame, '_jdf')",
        "from py4j.protocol import Py4JError",
        "from pyspark import SparkContext",
        "from pyspark.errors.exceptions import captured",
        "import py4j",
        "spark.sparkContext.master",
    ],
)
def test_what_touches_them_is_found(source: str) -> None:
    assert touched(source)


def test_words_and_texts_touch_nothing() -> None:
    assert not touched("# spark._jvm\n'use spark.sparkContext.addPyFile'\njvm = 'py4j'")


class Elsewhere:
    """A class that is no Spark session."""


def test_a_session_of_an_unknown_class_is_refused_by_its_name() -> None:
    with pytest.raises(nu.SessionError, match=r"test_host\.Elsewhere: pass a session"):
        host_of(Elsewhere())


def test_a_column_of_an_unknown_class_is_refused_by_its_name() -> None:
    with pytest.raises(nu.SessionError, match=r"test_host\.Elsewhere: pass a column"):
        columns_of(Elsewhere())
