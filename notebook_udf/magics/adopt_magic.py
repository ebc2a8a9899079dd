"""``%udf adopt``: lists PySpark's function objects of a notebook, and registers those named.

What ``spark.udf.register`` was given is no longer to be had from Spark, which has it pickled: the
notebook's variables are looked through, and of the rest it is said how to register them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.adopted_function import spark_kind
from notebook_udf.functions.spark_objects import SparkObject, is_spark_object, spark_object
from notebook_udf.kernel.kinds import declare
from notebook_udf.magics.magic_options import UDF_ADOPT
from notebook_udf.registry import RegisteredFunction
from notebook_udf.render.display import Block, Displayed, Paragraph
from notebook_udf.render.tables import Table
from notebook_udf.sanitize import backquoted
from notebook_udf.suggestion import did_you_mean

if TYPE_CHECKING:
    from notebook_udf.kernel import Session

_HEADERS = ("name", "PySpark's", "here", "a result of another type")
_ERROR = "is an error here and in Spark"


@dataclass(frozen=True)
class Adoptable:
    """A function object of PySpark's in a notebook; ``refusal`` says why it has no equal."""

    name: str
    function: Any
    found: SparkObject
    here: str
    refusal: str

    @property
    def row(self) -> tuple[str, str, str, str]:
        """Its cells in the list."""
        kind = spark_kind(self.found)
        if self.refusal:
            return self.name, kind.name, "cannot be adopted", self.refusal
        return self.name, kind.name, self.here, kind.differs or _ERROR


@dataclass(frozen=True, repr=False)
class Adoptions(Displayed):
    """What can be adopted, and of what cannot be why. Displays as a table."""

    functions: tuple[Adoptable, ...]
    unreachable: tuple[str, ...]

    def _blocks(self) -> Iterable[Block]:
        rows = [each.row for each in self.functions]
        if rows:
            yield Table(_HEADERS, rows)
        else:
            yield Paragraph("no variable holds a function object of PySpark's to be adopted")
        if any(not each.refusal for each in self.functions):
            yield Paragraph(
                "%udf adopt NAME registers one, --all registers those that can be; a result of "
                "another type is then an error, and with --coerce what Spark makes of it"
            )
        yield from map(Paragraph, self.unreachable)


@dataclass(frozen=True, repr=False)
class Adopted(Displayed):
    """The functions that were registered, and those that have no equal. Displays as lines."""

    records: tuple[RegisteredFunction, ...]
    refused: tuple[Adoptable, ...] = ()

    def _blocks(self) -> Iterable[Block]:
        for record in self.records:
            yield Paragraph(f"registered {record.signature}, version {record.version}")
        for each in self.refused:
            yield Paragraph(f"not registered: {each.refusal}")
        if not self.records and not self.refused:
            yield Paragraph("there is nothing to adopt")


def adopt(running: Session, namespace: Mapping[str, Any], line: str) -> Adoptions | Adopted:
    """Lists function objects of PySpark's, or registers those that are named, or all.

    Raises
    ------
    DeclarationError
        If a name is none of them, or has no equal here.
    """
    names, everything, coerce = _read(line)
    offered = adoptable(running, namespace)
    if not names and not everything:
        return Adoptions(tuple(offered.values()), tuple(_unreachable(running, namespace, offered)))
    if everything:
        chosen = [each for each in offered.values() if not each.refusal]
    else:
        held = {**_objects(namespace), **offered}
        unknown = next((name for name in names if name not in held), None)
        if unknown is not None:
            known = ", ".join(offered) or "none"
            raise DeclarationError(
                f"no variable {unknown!r} holds a function object of PySpark's"
                f"{did_you_mean(unknown, held)}; there are: {known}"
            )
        chosen = [held[name] for name in names]
    records = [running.register_function(c.name, c.function, coerce=coerce) for c in chosen]
    refused = [each for each in offered.values() if each.refusal] if everything else []
    return Adopted(tuple(records), tuple(refused))


def adoptable(running: Session, namespace: Mapping[str, Any]) -> dict[str, Adoptable]:
    """The function objects of PySpark's in a notebook that are not registered, by name."""
    return {
        name: each for name, each in _objects(namespace).items() if name not in running.functions
    }


def _objects(namespace: Mapping[str, Any]) -> dict[str, Adoptable]:
    objects: dict[str, Adoptable] = {}
    for variable, value in list(namespace.items()):
        # Names that start so are IPython's: of what cells have displayed.
        if not variable.startswith("_") and is_spark_object(value):
            found = spark_object(value)
            assert found is not None
            objects[variable] = _adoptable(variable, value, found)
    return objects


def _adoptable(name: str, function: Any, found: SparkObject) -> Adoptable:
    try:
        definition = declare(function)
    except DeclarationError as error:
        return Adoptable(name, function, found, "", str(error))
    types = definition.signature.removeprefix(definition.name)
    return Adoptable(name, function, found, f"{definition.kind} {types}", "")


def _unreachable(
    running: Session, namespace: Mapping[str, Any], offered: Mapping[str, Adoptable]
) -> Iterable[str]:
    """What to do for functions of Spark SQL of which no variable holds the object."""
    held = {name.lower() for name in namespace if is_spark_object(namespace[name])}
    held |= {each.found.name.lower() for each in offered.values()}
    names = (row[0] for row in running.spark.sql("SHOW USER FUNCTIONS").collect())
    for name in sorted(names):
        ours = name in running.functions or name.startswith("_nu_")
        # Those of a catalog are no function of Python's.
        if ours or "." in name or name.lower() in held:
            continue
        yield (
            f"{name} is registered in Spark, which does not give its function object back, and no "
            f"variable holds it: keep what spark.udf.register returns, or register the function in "
            f"it, as in session.register_function({name!r}, {_call(running, name)})"
        )


def _call(running: Session, name: str) -> str:
    """Further arguments of ``register_function``, with the type that Spark knows of a function."""
    try:
        field = running.spark.sql(f"SELECT {backquoted(name)}()").schema.fields[0]
    except PySparkException:
        # A table function, or one that is not Python's and checks its arguments.
        return "function"
    return f"function, result_type={field.dataType.simpleString()!r}"


def _read(line: str) -> tuple[list[str], bool, bool]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise DeclarationError(f"{UDF_ADOPT.name}: {error} in: {line}") from None
    names = [word for word in words if not word.startswith("-")]
    arguments = UDF_ADOPT.parse(shlex.join(word for word in words if word.startswith("-")))
    if names and arguments.all:
        raise DeclarationError("%udf adopt takes names, or --all")
    return names, bool(arguments.all), bool(arguments.coerce)
