"""``FunctionKind``: all that is special about a kind of function, and what most kinds share.

``KINDS`` beside this module holds one of each. What a worker does for a kind is the business of
the operators that ``spark_function`` names; where calls of a query stand, that of ``planner``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from notebook_udf.errors import FailedRow, ResultError
from notebook_udf.functions.base import UserDefinedFunction, endings
from notebook_udf.functions.context import FunctionContext
from notebook_udf.functions.definition import FunctionDefinition, doorway
from notebook_udf.functions.kind_traits import KindTraits
from notebook_udf.kernel.kinds.export_form import ExportForm
from notebook_udf.kernel.preview import Trial, columns_of, matching
from notebook_udf.planner.analysis.arity import check
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.roles import Role
from notebook_udf.worker.codec.encode import BadResult, encoder

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from notebook_udf.kernel.notebook_session import Session


@dataclass(frozen=True)
class Candidate:
    """What is to be declared.

    Attributes
    ----------
    function
        Anything a user may register.
    own
        The kind that its class is of; None where it is of none.
    wanted
        The kind that the user says it is.
    options
        What else the user says of it.
    """

    function: Any
    own: KindTraits | None
    wanted: str | None
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Variants:
    """Other ways to run a function that can be derived from it.

    Attributes
    ----------
    own
        In words, which way it runs as it is.
    others
        A word for each, words for each, and its definition.
    notes
        What to know about them.
    """

    own: str
    others: Sequence[tuple[str, str, FunctionDefinition]] = ()
    notes: Sequence[str] = field(default=())


class FunctionKind(ABC):
    """A kind of function: how it is declared, planned, called, looked at, measured, exported.

    Attributes
    ----------
    traits
        What is common to its functions wherever they are.
    base
        What classes of the kind derive from.
    is_measurable
        Whether ``session.bench`` compares ways to run it.
    export
        What becomes of its functions in an exported module.
    """

    traits: ClassVar[KindTraits]
    base: ClassVar[type[UserDefinedFunction]]
    is_measurable: ClassVar[bool] = True
    export: ClassVar[ExportForm] = ExportForm()

    # Declaring -------------------------------------------------------------------------------

    def claims(self, candidate: Candidate) -> bool:
        """Whether something is a function of this kind by its code, or for want of another."""
        return candidate.own is not None and candidate.own.name == self.traits.name

    @abstractmethod
    def declare(self, function: Any, **options: Any) -> FunctionDefinition:
        """The definition of what a user wrote."""

    # In Spark --------------------------------------------------------------------------------

    @abstractmethod
    def spark_function(self, record: RegisteredFunction, role: Role) -> Any:
        """The function as Spark takes it in a role; sessions keep it."""

    def register(  # noqa: B027
        self, session: Session, record: RegisteredFunction
    ) -> None:
        """Makes it known to Spark SQL under its name, where Spark can call it."""

    def spark_names(self, record: RegisteredFunction) -> tuple[str, ...]:
        """The names under which ``register`` has made it known."""
        return ()

    def in_force(self, session: Session, record: RegisteredFunction) -> RegisteredFunction:
        """The record as a query that is planned now is to call it."""
        return record

    def column(self, session: Session, record: RegisteredFunction, args: Any, kwargs: Any) -> Any:
        """A call on columns."""
        if not any(isinstance(arg, str) and arg.endswith("*") for arg in args):
            check(record, len(args) + len(kwargs), kwargs)
        return self.called(session, record, args, kwargs)

    @abstractmethod
    def called(self, session: Session, record: RegisteredFunction, args: Any, kwargs: Any) -> Any:
        """The same, of as many arguments as the function takes."""

    @abstractmethod
    def explain(self, session: Session, record: RegisteredFunction) -> str:
        """How calls of it run, and why."""

    # Here, on plain values -------------------------------------------------------------------

    def evaluate(
        self, definition: FunctionDefinition, args: Any, kwargs: Any, parameters: Mapping[str, str]
    ) -> Any:
        """One call on plain values, between ``open`` and ``close``; raises what the function
        raises."""
        __tracebackhide__ = True
        with opened(definition, parameters):
            return definition.call(*args, **kwargs)

    def checked(self, record: RegisteredFunction, result: Any) -> Any:
        """What a call gave, held to the declared type.

        Raises
        ------
        ResultError
            If the type cannot hold it.
        """
        if record.definition.func_type != "general":
            return result
        try:
            self.encode(record.definition, result)
        except BadResult as error:
            failed = FailedRow(record.name, record.version, "", "BadResult", str(error))
            raise ResultError(f"{record.name}: {error}", failed=failed) from None
        return result

    def encode(self, definition: FunctionDefinition, result: Any) -> object:
        """What a call gave, as it would leave a worker."""
        return encoder(definition.declared_type)([result])

    def replay(
        self,
        definition: FunctionDefinition,
        method: str,
        arguments: Any,
        parameters: Mapping[str, str],
    ) -> Any:
        """The call that failed in a worker, made here; ``method`` is "" for that of the rows."""
        __tracebackhide__ = True
        return self.evaluate(definition, arguments, {}, parameters)

    # On rows ---------------------------------------------------------------------------------

    def preview(self, record: RegisteredFunction, rows: DataFrame) -> Trial:
        """A few rows with the function's result beside them.

        Raises
        ------
        PlanningError
            If the columns match the parameters neither by name nor by number.
        """
        import pandas as pd

        columns = columns_of(matching(record, rows.columns))
        name = record.name if record.name not in rows.columns else f"{record.name}(…)"
        result = self.beside(rows, record, columns, name)
        collected: list[Any] = result.collect()
        tuples = [tuple(row) for row in collected]
        frame = pd.DataFrame(tuples, columns=result.columns, dtype=object)
        return Trial(record.name, frame)

    def beside(
        self, rows: DataFrame, record: RegisteredFunction, columns: Sequence[Column], name: str
    ) -> DataFrame:
        """Rows, and the function's result for each in a column of that name."""
        return rows.select("*", record(*columns).alias(name))

    def results(
        self,
        rows: DataFrame,
        record: RegisteredFunction,
        columns: Sequence[Column],
        keys: Sequence[Column],
    ) -> DataFrame:
        """The function's results alone; ``keys`` are those of the groups, where it takes groups."""
        return rows.select(record(*columns).alias(RESULT))

    # Measuring -------------------------------------------------------------------------------

    def variants(
        self, record: RegisteredFunction, definition: FunctionDefinition, inputs: Sequence[Any]
    ) -> Variants:
        """What the function can be compared with; ``inputs`` are the types of its arguments."""
        return Variants(definition.func_type)

    def lineless(self, definition: FunctionDefinition) -> str:
        """Why a profile has no lines of the function, in words; "" if it should have some."""
        return ""


RESULT = "result"


@contextmanager
def opened(definition: FunctionDefinition, parameters: Mapping[str, str]) -> Iterator[Any]:
    """A function as a worker would have it, between ``open`` and ``close``."""
    function = definition.function
    with doorway.as_in_worker():
        if not isinstance(function, UserDefinedFunction):
            yield function
            return
        function.open(FunctionContext(function=definition.name, job_parameters=parameters))
        graceful = False
        try:
            yield function
            graceful = True
        finally:
            told: Sequence[tuple[str, Callable[[], None]]]
            *told, (_, close) = endings(function).methods(graceful=graceful)
            try:
                for _, method in told:
                    method()
            finally:
                close()


__all__ = ["RESULT", "Candidate", "FunctionKind", "Variants", "opened"]
