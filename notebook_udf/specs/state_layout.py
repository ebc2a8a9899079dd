"""What stands where in a stream's rows and in its state."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql.types import LongType, StructField, StructType

from notebook_udf.specs.aggregate_layout import AggregatePart

# The state variables. Of types nothing is stored but the schema, which is compared.
ACCUMULATORS = "accumulators"
TYPES = "types"
VIEWS = "views"
# What belongs to no key of the partition.
PARTITION = "partition"

# Marks, in a change column, of rows that are put in and of those that are taken out again.
INSERTS = ("+I", "+U", "insert", "update_postimage")
DELETES = ("-U", "-D", "update_preimage", "delete")


@dataclass(frozen=True)
class StateVariables:
    """What a pass keeps in the state.

    Attributes
    ----------
    types
        Types of what is kept, to be compared with what a checkpoint holds; ``functions`` is the
        first, with a field per function.
    ttl
        After how many milliseconds a key without rows is forgotten, or None.
    partition
        Whether something is kept that belongs to no key.
    """

    types: StructType
    ttl: int | None = None
    partition: bool = False


@dataclass(frozen=True)
class StreamLayout:
    """What stands where in the rows of a stream's aggregation.

    Attributes
    ----------
    keys, key_types
        Names, for messages, of the key columns, which come first; and their types.
    parts
        Each function's share; of partial accumulators, the one column they are in.
    merges
        Whether rows carry partial accumulators.
    distinct
        Which functions take each row of arguments once.
    changes
        Place of the change column, or None.
    event
        Place among the keys of the event time, or None.
    shapes
        Type of each function's accumulator, by the function's column.
    ttl
        After how many milliseconds a key without rows is forgotten, or None.
    cached_keys, cached_reads, cached_writes
        How many keys are held at a time, and how many entries of their large views, those that
        were read and those that wait to be written.
    """

    keys: tuple[str, ...]
    key_types: StructType
    parts: tuple[AggregatePart, ...]
    merges: bool
    distinct: tuple[bool, ...]
    shapes: StructType
    changes: int | None = None
    event: int | None = None
    ttl: int | None = None
    cached_keys: int = 1000
    cached_reads: int = 1000
    cached_writes: int = 1000

    @property
    def variables(self) -> StateVariables:
        """What is kept of a group."""
        fields = [StructField("functions", self.shapes)]
        if self.changes is not None:
            fields.append(StructField("rows", LongType()))
        return StateVariables(StructType(fields), self.ttl)
