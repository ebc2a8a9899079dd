"""What a chain of process functions consists of, as the planner tells a worker."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql.types import StructField, StructType

from notebook_udf.functions.process import Attributes
from notebook_udf.functions.process_states import StateDeclaration
from notebook_udf.specs.record_shape import RecordShape
from notebook_udf.specs.state_layout import StateVariables


@dataclass(frozen=True)
class ChainStep:
    """One function of a chain.

    Attributes
    ----------
    attributes
        As they are in this chain, which may say more than the function alone.
    shape
        Of its records.
    states
        What it may ask for.
    keyed
        Whether it has states per key.
    keeps
        Whether the states of a key are asked for again when other keys have come.
    ends
        Whether it has something to do at the end of the input.
    waits
        Whether it is opened only when the functions before it are through.
    reuses
        Whether its records are those that the function before it has collected.
    untouched
        Fields of such a record that the function before it has left as it got them.
    place
        Where it stands in the chain, in words; "" where there is only one function.
    """

    attributes: Attributes
    shape: RecordShape
    states: tuple[StateDeclaration, ...] = ()
    keyed: bool = False
    keeps: bool = False
    ends: bool = False
    waits: bool = False
    reuses: bool = False
    untouched: tuple[str, ...] = ()
    place: str = ""


@dataclass(frozen=True)
class ProcessLayout:
    """A chain.

    Attributes
    ----------
    keys
        Names of the key columns, which come first.
    steps
        The functions.
    names
        Of the columns that leave.
    title
        The chain in words, for Spark's plans.
    bounded
        Whether the input has an end that the functions are to be told of.
    """

    keys: tuple[str, ...]
    steps: tuple[ChainStep, ...]
    names: tuple[str, ...]
    title: str
    bounded: bool = True


@dataclass(frozen=True)
class StreamedLayout:
    """A chain over a stream, and its state.

    Attributes
    ----------
    chain
        The chain. Without keys of its own its rows come with the number of a partition.
    key_types
        Types of the key columns, under the names that the state shows.
    shapes
        Types of the states of each function that has them per key; without keys, of the functions.
    partition
        With keys, the same of functions whose states belong to no key; empty if there are none.
    lists
        Whether the keys are listed, to be gone through at the end of the input.
    ttl
        After how many milliseconds a key without rows is forgotten, or None.
    cached_keys, cached_reads, cached_writes
        How many keys are held at a time, and how many entries of large lists and mappings, those
        that were read and those that wait to be written.
    """

    chain: ProcessLayout
    key_types: StructType
    shapes: StructType
    partition: StructType
    lists: bool = False
    ttl: int | None = None
    cached_keys: int = 1000
    cached_reads: int = 1000
    cached_writes: int = 1000

    @property
    def variables(self) -> StateVariables:
        """What is kept."""
        fields = [StructField("functions", self.shapes)]
        if self.partition.fields:
            fields.append(StructField("partition", self.partition))
        return StateVariables(StructType(fields), self.ttl, partition=bool(self.partition.fields))
