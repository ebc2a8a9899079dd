"""What a session does for its functions: columns, values, rows to look at, history."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.kernel.kinds import kind_of
from notebook_udf.kernel.preview import Trial
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
        return kind_of(record.definition).column(self._session, record, args, kwargs)

    def evaluate(self, record: RegisteredFunction, args: Any, kwargs: Any) -> Any:
        """One call here, on plain values, held to the declared type."""
        # Errors name it as it was registered.
        definition = replace(record.definition, name=record.name)
        kind = kind_of(definition)
        result = kind.evaluate(definition, args, kwargs, self._session.job_parameters)
        return kind.checked(record, result)

    def try_rows(self, record: RegisteredFunction, rows: Any, n: int) -> Trial:
        """The first rows of a DataFrame or query with the function's result."""
        frame = self._session.sql(rows) if isinstance(rows, str) else rows
        # Rows are taken before the call, or Spark could try the function on other rows.
        few = frame.sparkSession.createDataFrame(frame.take(n), frame.schema)
        return kind_of(record.definition).preview(record, few)

    def explain(self, record: RegisteredFunction) -> str:
        """How calls of it run, and why."""
        return kind_of(record.definition).explain(self._session, record)

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
