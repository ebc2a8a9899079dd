"""What becomes of a kind's functions in an exported module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.python_calls import PythonCall


@dataclass(frozen=True)
class PlainForm:
    """How Spark alone has functions of a kind, where they are given no options.

    Attributes
    ----------
    register
        The call that registers one: of what stands for ``pyspark.sql.functions``, the definition,
        the SQL name as source text, and the variable that holds the function.
    select
        The query that calls one beside the rows of a table: of the definition, the SQL name, the
        text of the arguments, and the table.
    helper
        The name and the text of what ``register`` needs in the module.
    """

    register: Callable[[str, FunctionDefinition, str, str], PythonCall]
    select: Callable[[FunctionDefinition, str, str, str], str]
    helper: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class ExportForm:
    """The decorator of this package that carries a function's options, with those it calls
    otherwise; "" where ``register_function`` is given them."""

    decorator: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)
    plain: PlainForm | None = None
