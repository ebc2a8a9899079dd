"""``FunctionKind``: all that is special about a kind of function, and what most kinds share.

``KINDS`` has one class for each. What a worker does for a kind is in the operators that
``spark_function`` names; how calls in a query are planned, in ``planner``.
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
from notebook_udf.functions.options import ROW_TYPES
from notebook_udf.kernel.kinds.call_form import (
    HELPER,
    CallForm,
    Spell,
    needs_no_opening,
    opened,
)
from notebook_udf.kernel.kinds.export_form import ExportForm
from notebook_udf.kernel.preview import Trial, by_name, columns_of, matching, shown
from notebook_udf.planner.analysis.aggregate_calls import mentions
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
    """What is to be declared: the function, its class's kind if any, the kind that the user names,
    and the options."""

    function: Any
    own: KindTraits | None
    wanted: str | None
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Variants:
    """Ways to run a function: a description of the function as it is, variants as (short name,
    description, definition), and notes on them."""

    own: str
    others: Sequence[tuple[str, str, FunctionDefinition]] = ()
    notes: Sequence[str] = ()


class FunctionKind(ABC):
    """A registered function in its session: how it is planned, called, previewed and measured.

    Attributes
    ----------
    traits
        What all functions of the kind have in common.
    base
        The base class of the kind's classes.
    declare
        Makes a definition of a user's code and options.
    is_measurable
        Whether ``session.bench`` compares ways to run them.
    export
        How they are written in an exported module.
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
        """Whether a candidate is of this kind, by its code or by what the user says."""
        return candidate.own is not None and candidate.own.name == cls.traits.name

    # In Spark --------------------------------------------------------------------------------

    def spark_function(self, role: Role) -> Any:
        """The function as PySpark's object for a role; ``session.planned`` caches it."""
        return spark_function(self.record, role)

    def register(self) -> None:  # noqa: B027
        """Registers it in Spark SQL under its name, if Spark can call it."""

    def spark_names(self) -> tuple[str, ...]:
        """The names that ``register`` registers in Spark SQL."""
        return ()

    def in_force(self) -> RegisteredFunction:
        """The record that a query planned now has to call."""
        return self.record

    def column(self, args: Any, kwargs: Any) -> Any:
        """A call on columns, with the number of arguments checked."""
        if not any(isinstance(arg, str) and arg.endswith("*") for arg in args):
            check(self.record, len(args) + len(kwargs), kwargs)
        return self.call(args, kwargs)

    @abstractmethod
    def call(self, args: Any, kwargs: Any) -> Any:
        """A call on columns; the number of arguments is right."""

    @abstractmethod
    def explain(self) -> str:
        """How calls of it run, and why."""

    # In the kernel, on plain values ----------------------------------------------------------

    def evaluate(self, args: Any, kwargs: Any) -> Any:
        """Makes one call in the kernel and checks the result against the declared type.

        Raises
        ------
        ResultError
            If the type cannot hold the result.
        """
        result = self.run(args, kwargs)
        if self.definition.func_type not in ROW_TYPES:
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
        """Encodes the result of a call as a worker would."""
        return encoder(self.definition.declared_type)([result])

    def replay(self, method: str, arguments: Any) -> Any:
        """Repeats a failed call in the kernel; ``method`` is "" for the call for rows."""
        __tracebackhide__ = True
        return self.run(arguments, {})

    @property
    def context(self) -> FunctionContext:
        """The context that the function is opened with in the kernel."""
        parameters = self.session.job_parameters
        return FunctionContext(function=self.record.name, job_parameters=parameters)

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """The function between ``open`` and ``close``, called as a worker would call them."""
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

    # In a test -------------------------------------------------------------------------------

    def call_form(self, target: str, spell: Spell) -> CallForm:
        """How a test calls the function; ``target`` is the text of it, or makes an instance.

        Raises
        ------
        DeclarationError
            If no test of one call can be made of functions of the kind.
        """
        function = self.definition.function
        if not isinstance(function, UserDefinedFunction):
            return CallForm(f"{target}(")
        if needs_no_opening(function):
            return CallForm(f"{target}.eval(")
        body = ["return function.eval(*arguments)"]
        return CallForm(
            f"{HELPER}(", helper=opened(function, self.record.name, target, spell, body)
        )

    def sampled_calls(self, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """The arguments of calls in a test, of the rows that a worker has called it for."""
        return rows

    def failed_call(self, method: str, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The same of a call that failed; None if a test cannot repeat it."""
        return arguments

    def answer(self, arguments: tuple[Any, ...]) -> Any:
        """What the call in a test gives; raises what the function raises."""
        return self.run(arguments, {})

    # On rows ---------------------------------------------------------------------------------

    def preview(self, rows: DataFrame | str, n: int) -> Trial:
        """The first rows of a DataFrame or query with the function's result beside them.

        Of a query that calls the function itself, and has no columns of its parameters' names,
        the first rows.

        Raises
        ------
        PlanningError
            If the columns match the parameters neither by name nor by number.
        """
        few, name = self.few(rows, n), self.record.name
        calls = isinstance(rows, str) and mentions(rows, {name.lower(): self.record})
        if calls and by_name(self.record, few.columns) is None:
            return shown(name, few)
        columns = columns_of(matching(self.record, few.columns))
        result = self.beside(few, columns, name if name not in few.columns else f"{name}(…)")
        return shown(name, result)

    def few(self, rows: DataFrame | str, n: int) -> DataFrame:
        """The first rows as a DataFrame of their own: Spark could call the function on others."""
        frame = self.session.sql(rows) if isinstance(rows, str) else rows
        return frame.sparkSession.createDataFrame(frame.take(n), frame.schema)

    def beside(self, rows: DataFrame, columns: Sequence[Column], name: str) -> DataFrame:
        """Adds the function's result for each row, as a column of that name."""
        return rows.select("*", self.record(*columns).alias(name))

    def results(
        self, rows: DataFrame, columns: Sequence[Column], keys: Sequence[Column]
    ) -> DataFrame:
        """The function's results alone; ``keys`` are those of groups, where it takes groups."""
        return rows.select(self.record(*columns).alias(RESULT))

    # Measuring -------------------------------------------------------------------------------

    def variants(self, inputs: Sequence[Any]) -> Variants:
        """The variants that a benchmark compares; ``inputs`` are the types of the arguments."""
        return Variants(self.record.definition.func_type)

    def lineless(self) -> str:
        """Why a profile has no lines of the function, in words; "" if it should have some."""
        return ""
