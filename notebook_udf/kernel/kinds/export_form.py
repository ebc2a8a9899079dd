"""How functions of a kind are written in an exported module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.python_calls import PythonCall


@dataclass(frozen=True)
class PlainForm:
    """How a function without options is written for Spark alone.

    Attributes
    ----------
    register
        Writes the call that registers it, given the module's name for ``pyspark.sql.functions``,
        the definition, the SQL name as source text, and the variable that holds the function.
    select
        Writes a query that calls it for the rows of a table, given the definition, the SQL name,
        the text of the arguments, and the table.
    helper
        The name and the source of a definition that the call in ``register`` needs.
    """

    register: Callable[[str, FunctionDefinition, str, str], PythonCall]
    select: Callable[[FunctionDefinition, str, str, str], str]
    helper: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class ExportForm:
    """The decorator that takes a function's options, and options that it names differently;
    "" where ``register_function`` takes them."""

    decorator: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)
    plain: PlainForm | None = None
