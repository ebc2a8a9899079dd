"""Which part of a stream's state belongs to which function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, IntegerType, StructField, StructType

from notebook_udf.specs.state_layout import ACCUMULATORS, PARTITION

_PARTITION_KEY = (StructField("partition", IntegerType()),)


@dataclass(frozen=True)
class StateShare:
    """The part of the state that one function keeps.

    Attributes
    ----------
    variable, place
        The state variable, and the position among the pickled values in it.
    keys
        The columns that identify a row: those of the key, or the number of a partition.
    """

    variable: str
    place: int
    keys: tuple[StructField, ...]

    @property
    def columns(self) -> list[Column]:
        """The columns of ``keys``, from rows as Spark reads them."""
        if self.variable == PARTITION:
            return [F.col("partition_id").alias(self.keys[0].name)]
        return [F.col(f"key.`{f.name}`").alias(f.name) for f in self.keys]


def shares_of(keys: Sequence[StructField], types: StructType) -> dict[str, StateShare]:
    """The shares by the functions' names, from the types that a query stores in its state."""
    functions = types["functions"].dataType.names
    found = {name: StateShare(ACCUMULATORS, at, tuple(keys)) for at, name in enumerate(functions)}
    partition = types["partition"].dataType.fields if "partition" in types.names else []
    for at, field in enumerate(partition):
        # Functions without states have nothing to show.
        if not isinstance(field.dataType, BinaryType):
            name = field.name
            while name in found:
                name = f"{name}_{PARTITION}"
            found[name] = StateShare(PARTITION, at, _PARTITION_KEY)
    return found
