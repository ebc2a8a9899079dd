"""What a chain of process functions consists of, as the planner tells a worker."""

from __future__ import annotations

from dataclasses import dataclass

from notebook_udf.functions.process import Attributes
from notebook_udf.functions.process_states import StateDeclaration
from notebook_udf.worker.records import Shape


@dataclass(frozen=True)
class Step:
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
    waits
        Whether it is opened only when the functions before it are through.
    reuses
        Whether its records are those that the function before it has collected.
    place
        Where it stands in the chain, in words; "" where there is only one function.
    """

    attributes: Attributes
    shape: Shape
    states: tuple[StateDeclaration, ...] = ()
    keyed: bool = False
    waits: bool = False
    reuses: bool = False
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
    steps: tuple[Step, ...]
    names: tuple[str, ...]
    title: str
    bounded: bool = True
