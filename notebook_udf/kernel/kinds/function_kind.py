"""``FunctionKind``: all that is special about a kind of function, and what most kinds share.

``KINDS`` beside this module has one class for each. What a worker does for a kind is the business
of the operators that ``spark_function`` names; where a query calls it, that of ``planner``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark.sql import Column, DataFrame

from notebook_udf.errors import FailedRow, ResultError
from notebook_udf.functions.base import UserDefinedFunction, endings
from notebook_udf.functions.context import FunctionContext
from notebook_udf.functions.definition import FunctionDefinition, doorway
from notebook_udf.functions.kind_traits import KindTraits
from notebook_udf.kernel.kinds.export_form import ExportForm
from notebook_udf.kernel.preview import Trial, columns_of, matching
from notebook_udf.planner.analysis.arity import check
from notebook_udf.planner.physical.udf import spark_function
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.roles import Role
from notebook_udf.worker.codec.encode import BadResult, encoder

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

RESULT = "result"


@dataclass(frozen=True)
class Candidate:
    """What is to be declared: the function, the kind that its class is of, the kind that the user
    says it is, and what else the user says."""

    function: Any
    own: KindTraits | None
    wanted: str | None
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Variants:
    """Ways to run a function: in words as it is, and what can be derived from it, each with a word,
    words and a definition; with what to know about that."""

    own: str
    others: Sequence[tuple[str, str, FunctionDefinition]] = ()
    notes: Sequence[str] = ()


class FunctionKind(ABC):
    """A function of a kind in a session: how it is planned, called, looked at and measured.

    Attributes
    ----------
    traits
        What is common to functions of the kind wherever they are.
    base
        What classes of the kind derive from.
    declare
        The definition of what a user wrote, and the options of it.
    is_measurable
        Whether ``session.bench`` compares ways to run them.
    export
        What becomes of them in an exported module.
    """

    traits: ClassVar[KindTraits]
    base: ClassVar[type[UserDefinedFunction]]
    declare: ClassVar[Callable[..., Any]]
    is_measurable: ClassVar[bool] = True
    export: ClassVar[ExportForm] = ExportForm()

    def __init__(self, session: Session, record: RegisteredFunction) -> None:
        self.session = session
        self.record = record
        # Errors name it as it was registered.
        self.definition = replace(record.definition, name=record.name)

    # Declaring -------------------------------------------------------------------------------

    @classmethod
    def claims(cls, candidate: Candidate) -> bool:
        """Whether something is a function of this kind, by its code or by what the user says."""
        return candidate.own is not None and candidate.own.name == cls.traits.name

    # In Spark --------------------------------------------------------------------------------

    def spark_function(self, role: Role) -> Any:
        """The function as Spark takes it in a role; ``session.planned`` keeps it."""
        return spark_function(self.record, role)

    def register(self) -> None:  # noqa: B027
        """Makes it known to Spark SQL under its name, where Spark can call it."""

    def spark_names(self) -> tuple[str, ...]:
        """The names that ``register`` takes in Spark SQL."""
        return ()

    def in_force(self) -> RegisteredFunction:
        """The record as a query that is planned now is to call it."""
        return self.record

    def column(self, args: Any, kwargs: Any) -> Any:
        """A call on columns."""
        if not any(isinstance(arg, str) and arg.endswith("*") for arg in args):
            check(self.record, len(args) + len(kwargs), kwargs)
        return self.call(args, kwargs)

    @abstractmethod
    def call(self, args: Any, kwargs: Any) -> Any:
        """The same, of as many arguments as the function takes."""

    @abstractmethod
    def explain(self) -> str:
        """How calls of it run, and why."""

    # Here, on plain values -------------------------------------------------------------------

    def evaluate(self, args: Any, kwargs: Any) -> Any:
        """One call here, held to the declared type.

        Raises
        ------
        ResultError
            If the type cannot hold the result.
        """
        result = self.run(args, kwargs)
        if self.definition.func_type != "general":
            return result
        try:
            self.encode(result)
        except BadResult as error:
            failed = FailedRow(self.record.name, self.record.version, "", "BadResult", str(error))
            raise ResultError(f"{self.record.name}: {error}", failed=failed) from None
        return result

    def run(self, args: Any, kwargs: Any) -> Any:
        """One call, between ``open`` and ``close``; raises what the function raises."""
        __tracebackhide__ = True
        with self.opened():
            return self.definition.call(*args, **kwargs)

    def encode(self, result: Any) -> object:
        """What a call gave, as it would leave a worker."""
        return encoder(self.definition.declared_type)([result])

    def replay(self, method: str, arguments: Any) -> Any:
        """The call that failed in a worker, made here; ``method`` is "" for that of the rows."""
        __tracebackhide__ = True
        return self.run(arguments, {})

    @property
    def context(self) -> FunctionContext:
        """What the function is opened with here."""
        parameters = self.session.job_parameters
        return FunctionContext(function=self.record.name, job_parameters=parameters)

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """The function as a worker would have it, between ``open`` and ``close``."""
        function = self.definition.function
        with doorway.as_in_worker():
            if not isinstance(function, UserDefinedFunction):
                yield function
                return
            function.open(self.context)
            graceful = False
            try:
                yield function
                graceful = True
            finally:
                *told, (_, close) = endings(function).methods(graceful=graceful)
                try:
                    for _, method in told:
                        method()
                finally:
                    close()

    # On rows ---------------------------------------------------------------------------------

    def preview(self, rows: DataFrame | str, n: int) -> Trial:
        """The first rows of a DataFrame or query with the function's result beside them.

        Raises
        ------
        PlanningError
            If the columns match the parameters neither by name nor by number.
        """
        import pandas as pd

        few, name = self.few(rows, n), self.record.name
        columns = columns_of(matching(self.record, few.columns))
        result = self.beside(few, columns, name if name not in few.columns else f"{name}(…)")
        tuples = [tuple(row) for row in result.collect()]
        return Trial(name, pd.DataFrame(tuples, columns=result.columns, dtype=object))

    def few(self, rows: DataFrame | str, n: int) -> DataFrame:
        """The first rows, by themselves: Spark could try the function on others."""
        frame = self.session.sql(rows) if isinstance(rows, str) else rows
        return frame.sparkSession.createDataFrame(frame.take(n), frame.schema)

    def beside(self, rows: DataFrame, columns: Sequence[Column], name: str) -> DataFrame:
        """Rows, and the function's result for each under that name."""
        return rows.select("*", self.record(*columns).alias(name))

    def results(
        self, rows: DataFrame, columns: Sequence[Column], keys: Sequence[Column]
    ) -> DataFrame:
        """The function's results alone; ``keys`` are those of groups, where it takes groups."""
        return rows.select(self.record(*columns).alias(RESULT))

    # Measuring -------------------------------------------------------------------------------

    def variants(self, inputs: Sequence[Any]) -> Variants:
        """What the function can be compared with; ``inputs`` are the types of its arguments."""
        return Variants(self.record.definition.func_type)

    def lineless(self) -> str:
        """Why a profile has no lines of the function, in words; "" if it should have some."""
        return ""
