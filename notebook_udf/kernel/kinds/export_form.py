"""What becomes of a kind's functions in an exported module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.python_calls import Call


@dataclass(frozen=True)
class PlainForm:
    """How Spark alone has functions of a kind, of which no options are given.

    Attributes
    ----------
    register
        The call that registers one: of the name that stands for ``pyspark.sql.functions``, the
        definition, its SQL name as source text, and the variable that holds the function.
    select
        The query that calls one beside the rows of a table: of the definition, its SQL name, the
        text of the arguments, and the name of the table.
    helper
        What the module has to define for ``register``: its name, and its text.
    """

    register: Callable[[str, FunctionDefinition, str, str], Call]
    select: Callable[[FunctionDefinition, str, str, str], str]
    helper: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class ExportForm:
    """What a module says of functions of a kind.

    Attributes
    ----------
    decorator
        Of this package, which carries options; "" where ``register_function`` is given them.
    renamed
        Options that the decorator calls otherwise.
    plain
        None where Spark alone has no such functions.
    """

    decorator: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)
    plain: PlainForm | None = None


__all__ = ["ExportForm", "PlainForm"]
