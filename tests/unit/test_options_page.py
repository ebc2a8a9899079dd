"""The page of options names each, with its default."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest

import notebook_udf as nu
from notebook_udf.functions.async_options import AsyncOptions
from notebook_udf.functions.options import FunctionOptions

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "options.md"


def rows(heading: str) -> dict[str, str]:
    """The second cells of a section's tables, by the names in the first."""
    section = PAGE.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for name in re.findall(r"`([\w.]+)`", cells[0] if line.startswith("|") else ""):
            found[name] = cells[1]
    return found


def test_options_of_functions() -> None:
    told = rows("Of a function")
    options = {f.name for kind in (FunctionOptions, AsyncOptions) for f in fields(kind)}
    for kind in (nu.udf, nu.udtf, nu.udaf):
        options |= inspect.signature(kind).parameters.keys()
    # What is declared, other names, and the two that the page explains with the result's type.
    options -= {"f", "options", "acc_type", "result_types", "accumulator_type"}
    assert set(told) == options


@pytest.mark.parametrize("kind", [FunctionOptions, AsyncOptions])
def test_defaults_of_options(kind: type[FunctionOptions]) -> None:
    told = rows("Of a function")
    shared = {f.name for f in fields(FunctionOptions)} if kind is AsyncOptions else set()
    for field in fields(kind):
        if field.name in shared or field.name == "retry_on":
            continue
        value = field.default
        said = (
            "none" if value is None else f'`"{value}"`' if isinstance(value, str) else f"`{value}`"
        )
        assert told[field.name] == said, field.name


def test_arguments_of_a_session() -> None:
    assert set(rows("Of a session")) == set(inspect.signature(nu.session).parameters)


def test_confs_and_variables_are_read_somewhere() -> None:
    source = "\n".join(path.read_text("utf-8") for path in Path(nu.__file__).parent.rglob("*.py"))
    for name in (*rows("Confs"), *rows("Environment variables")):
        assert f'"{name}"' in source, name
