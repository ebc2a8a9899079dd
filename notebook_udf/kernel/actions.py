"""What a session does for its functions: columns, values, rows to look at, history."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import ArrayType

from notebook_udf.errors import FailedRow, PlanningError, ResultError
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.kernel.async_conf import configured
from notebook_udf.kernel.calling import call_here
from notebook_udf.kernel.preview import Trial, try_rows
from notebook_udf.planner.analysis.arity import check
from notebook_udf.planner.dataframe import process_function, table_function
from notebook_udf.planner.physical import aggregate, scalar, table
from notebook_udf.registry import RegisteredFunction, fingerprint

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session


class SessionActions:
    """The door that records and definitions call."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._unnamed: dict[int, tuple[FunctionDefinition, RegisteredFunction]] = {}

    def column(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of a record, or of a definition that was never registered, on columns."""
        record = function if isinstance(function, RegisteredFunction) else self.adopted(function)
        if record.definition.kind == "process":
            raise PlanningError(
                f"{record.name} is a process function, which no column calls: give it to "
                f"df.transform(nu.process({record.name}))"
            )
        if not any(isinstance(arg, str) and arg.endswith("*") for arg in args):
            check(record, len(args) + len(kwargs), kwargs)
        record = configured(self._session.spark, record)
        if record.definition.is_aggregate:
            arguments = tuple(aggregate.arguments_of(record, args, kwargs))
            call = aggregate.ColumnCall(record, arguments)
            return aggregate.column(self._session.planned(record, "whole"), call)
        if record.definition.kind == "table":
            return table_function.call(self._session.planned(record, "table"), record, args, kwargs)
        return scalar.call(self._session.planned(record), record, args, kwargs)

    def evaluate(self, record: RegisteredFunction, args: Any, kwargs: Any) -> Any:
        """One call here, on plain values, held to the declared type.

        A table function's rows are given as a list.
        """
        from notebook_udf.worker.codec.encode import BadResult, encoder
        from notebook_udf.worker.codec.table_rows import rows_encoder

        # Errors name it as it was registered.
        definition = replace(record.definition, name=record.name)
        job_parameters = self._session.job_parameters
        result = call_here(definition, args, kwargs, job_parameters=job_parameters)
        if definition.func_type == "general":
            try:
                if definition.kind == "table":
                    rows_encoder(definition.declared_type)(result)
                else:
                    declared = definition.declared_type
                    if definition.kind == "table aggregate":
                        declared = ArrayType(declared)
                    encoder(declared)(result if definition.kind == "process" else [result])
            except BadResult as error:
                failed = FailedRow(record.name, record.version, "", "BadResult", str(error))
                raise ResultError(f"{record.name}: {error}", failed=failed) from None
        return result

    def try_rows(self, record: RegisteredFunction, rows: Any, n: int) -> Trial:
        """The first rows of a DataFrame or query with the function's result."""
        frame = self._session.sql(rows) if isinstance(rows, str) else rows
        if record.definition.kind == "process":
            few = frame.sparkSession.createDataFrame(frame.take(n), frame.schema)
            return Trial(record.name, process_function.process(few, record, ()).toPandas())
        return try_rows(record, frame, n)

    def explain(self, record: RegisteredFunction) -> str:
        """How calls of it run, and why."""
        if record.definition.is_aggregate:
            return aggregate.explain(record)
        if record.definition.kind == "process":
            return process_function.explain(record)
        if record.definition.kind == "table":
            return table.explain(record)
        return scalar.explain(configured(self._session.spark, record))

    def restore(self, record: RegisteredFunction) -> RegisteredFunction:
        """Registers an older version again, with the globals it had."""
        return self._session._record(
            record.name, record.definition, record.payload, replace=record.replaces_builtin
        )

    def history(self, name: str) -> tuple[RegisteredFunction, ...]:
        """Every version under a name."""
        return self._session.functions.history(name)

    def adopted(self, definition: FunctionDefinition) -> RegisteredFunction:
        """The record of a definition that was never registered."""
        from notebook_udf.functions.capture import freeze

        known = self._unnamed.get(id(definition))
        if known is not None and known[0] is definition:
            return known[1]
        payload = freeze(definition)
        record = RegisteredFunction(
            name=definition.name,
            # Version 0: in no history, and replaced by nothing.
            version=0,
            definition=definition,
            payload=payload,
            hash=fingerprint(payload, definition),
            actions=self,
        )
        self._unnamed[id(definition)] = definition, record
        return record
