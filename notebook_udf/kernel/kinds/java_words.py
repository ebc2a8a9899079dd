"""What is said of a function that runs in Spark's JVM, or may, and what it is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import DataType

from notebook_udf.kernel.kinds.function_kind import Variants

if TYPE_CHECKING:
    from notebook_udf.kernel.java_calls import JavaCalls
    from notebook_udf.registry import RegisteredFunction

LINELESS = "it runs in Spark's JVM; declare it with compile=False to see it line by line"


def calls_in_words(java: JavaCalls, record: RegisteredFunction) -> list[str]:
    """How calls with arguments of the types that are known run, a line each."""
    said = []
    for types, why in sorted(java.called(record), key=str):
        where = f"in Spark's JVM where it is called with {types}"
        said.append(where if why is None else f"not {where}: {why}")
    return said


def why_in_workers(
    java: JavaCalls, record: RegisteredFunction, types: tuple[DataType, ...] = ()
) -> str:
    """Why no call of a function, or none of these types, runs in Spark's JVM."""
    return f"not in Spark's JVM: {java.why_not(record, types) or 'its compiler is not ready yet'}"


def java_variants(java: JavaCalls, record: RegisteredFunction, inputs: Sequence[Any]) -> Variants:
    """A function in a worker beside itself in Spark's JVM; ``own`` is "" if it is not there."""
    definition = record.definition
    if java.runs(record, tuple(inputs)):
        in_worker = replace(definition, options=replace(definition.options, compile=False))
        others = [("compile=False", "general, compile=False", in_worker)]
        return Variants("general, in Spark's JVM", others)
    why = java.why_not(record, tuple(inputs))
    notes = [] if why is None else [f"{definition.name} cannot run in Spark's JVM: {why}"]
    return Variants("", notes=notes)
