"""Declares what a session is given to register, and says what differs for PySpark's own objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.adopted_function import spark_kind
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.spark_objects import SparkObject, spark_object
from notebook_udf.functions.spark_results import SETTINGS
from notebook_udf.kernel.kinds import declare
from notebook_udf.registry import RegisteredFunction

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

_DIFFERS = (
    "functions adopted from PySpark, {name} first: a result that is not of the declared type is an "
    "error here that names the value, where Spark gives NULL or converts it; coerce=True converts "
    "it as Spark does"
)


def declared(
    session: Session, name: str, function: Any, kind: str | None, options: Mapping[str, Any]
) -> FunctionDefinition:
    """The definition of what a session is to register under a name.

    Raises
    ------
    DeclarationError
        If the declaration is wrong, or options are given for a function declared already.
    """
    if isinstance(function, RegisteredFunction):
        function = function.definition
    if isinstance(function, FunctionDefinition) and options:
        raise DeclarationError(
            f"{name} is declared already; give {', '.join(options)} where it is declared"
        )
    found = spark_object(function)
    if found is not None and options.get("coerce"):
        _check_settings(session, name)
    definition = declare(function, kind=kind, **options)
    if found is not None and not options.get("coerce"):
        _say_what_differs(session, name, found)
    return definition


def _check_settings(session: Session, name: str) -> None:
    for setting, meant in SETTINGS.items():
        value = session.spark.conf.get(setting, meant)
        if value is not None and value.lower() != meant:
            raise DeclarationError(
                f"{name}: coerce=True converts results as Spark does with {setting}={meant}, and "
                f"it is {value} here: reset it, or leave coerce out"
            )


def _say_what_differs(session: Session, name: str, found: SparkObject) -> None:
    beginning, _, end = _DIFFERS.partition("{name}")
    if spark_kind(found).differs and not any(note.endswith(end) for note in session.notes):
        session.notes.append(f"{beginning}{name}{end}")
