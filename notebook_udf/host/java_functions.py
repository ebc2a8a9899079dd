"""``JavaFunctions``: functions that Spark calls in its own JVM."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pyspark.sql.types import DataType, StructType

from notebook_udf.compile.java.java_class import JavaClass


@dataclass(frozen=True)
class JavaFunction:
    """A function in Java, and the same in Python.

    Attributes
    ----------
    name
        What plans call it.
    identity
        A word that no other version of it has, for accounts of calls that do not fit it.
    header
        What is known of it where its call is found in a plan, as in a payload of a worker's.
    java_classes
        By how many arguments a call gives, for those whose types are declared. Other calls have a
        class by their types, see ``JavaFunctions.add``.
    nested
        The declared types of the first parameters that are arrays, maps or rows, None for others: a
        call with others of these has a class by its types.
    arity
        How many arguments it takes: at least, and at most.
    in_python
        PySpark's function object; calls that name arguments are of this one. None for one that is
        only called where ``compiles`` has said that it can be.
    folds
        Of one that folds rows into accumulators, what a group has in the end: calls are of an
        aggregate of Spark's then, which calls it.
    self_check
        The share of calls that is told with what a task has counted, with the answers.
    """

    name: str
    identity: str
    header: Mapping[str, Any]
    java_classes: Mapping[int, JavaClass]
    nested: Sequence[DataType | None]
    arity: tuple[int, int]
    result_type: DataType
    in_python: Any
    self_check: float = 0.0
    folds: StructType | None = None


class JavaFunctions(Protocol):
    """The classes of such functions, and their names in SQL."""

    @property
    def compiler(self) -> str:
        """A text that tells apart compilers, which may make other classes of one source."""

    def load(self, source: Callable[[], str], jar: Path) -> None:
        """Brings the classes that functions call to Spark and its executors.

        They are in the jar; where there is no such file they are compiled, and it is made.
        """

    def has_libm(self, name: str) -> bool:
        """Whether a function of the C library answers in Spark's Java as in Python; ``load`` has
        to be done."""

    @property
    def has_own_zone(self) -> bool:
        """Whether Python workers are in the time zone of this process."""

    def measure(self, take: Callable[[Sequence[Sequence[str]]], None]) -> None:
        """Has ``take`` called with what the functions of a task have counted, when it has ended:
        for each what ``PyMeter`` says, as texts. A call of which Spark computes the row while it
        plans is told at once, with the name of the class only."""

    def refuse(self, name: str, why: str) -> None:
        """Has the call of a class that ``measure`` tells of at this moment fail."""

    def fail(self, stage: int, why: str) -> bool:
        """Has the jobs of a stage fail, of which a task's end is told at this moment; whether there
        is one that now fails for certain."""

    def end(self) -> None:
        """Ends what ``measure`` began."""

    def register(self, name: str, function: JavaFunction, table: Any = None) -> None:
        """Makes a function known to Spark SQL under a name, in place of an earlier one.

        Its class is compiled by the first call; calls are of the function in Python if it cannot.
        With PySpark's object of a ``table`` function it is one, and takes its rows from the list
        that the function gives.
        """

    def unregister(self, name: str) -> None:
        """Has Spark SQL forget a function that ``register`` has made known."""

    def add(
        self, identity: str, calls: str, java_class: JavaClass, self_check: float = 0.0
    ) -> None:
        """Gives a function a class for calls of these types, as ``wanted`` tells them, or with so
        many arguments; ``self_check`` as in ``JavaFunction``."""

    def text_of(self, types: Sequence[DataType]) -> str:
        """The types of a call, as ``wanted`` tells them."""

    def compiles(self, identity: str, calls: str, count: int) -> bool:
        """Whether there is a class for such calls, see ``add``, and Java's compiler takes it; it is
        asked now. They give ``count`` arguments."""

    def wanted(self, identity: str) -> Sequence[str]:
        """The types with which a function was called since the last time, and for which it has no
        class: lists in JSON."""

    def hold(self, identity: str, *, begins: bool) -> None:
        """Has calls of a function be of that in Python, until each beginning has an end."""

    def is_in_python(self, rows: Any, names: Collection[str]) -> bool:
        """Whether a DataFrame calls one of the functions of these names in Python."""

    def calls(self, operator: Any) -> Sequence[tuple[str, Mapping[str, Any]]]:
        """The calls of such functions in an operator of a plan: Spark's texts, and the headers."""

    def failure(self, identity: str, calls: str) -> str:
        """Why a class of a function could not be compiled, see ``add``; "" if it could, or was not
        asked for yet."""
