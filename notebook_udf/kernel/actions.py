"""What records and definitions ask of their session: calls, versions, history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.kernel.kinds import FunctionKind, kind_of
from notebook_udf.registry import RegisteredFunction, fingerprint

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session


class SessionActions:
    """The session's interface for records and definitions."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._unnamed: dict[int, tuple[FunctionDefinition, RegisteredFunction]] = {}

    def column(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A call on columns of a record, or of a definition that was never registered."""
        record = function if isinstance(function, RegisteredFunction) else self.adopted(function)
        return self.of_kind(record).column(args, kwargs)

    def of_kind(self, record: RegisteredFunction) -> FunctionKind:
        """The ``FunctionKind`` of a registered function."""
        return kind_of(self._session, record)

    def seen(self) -> list[RegisteredFunction]:
        """The last versions of every function, and those that were called without a name."""
        session = self._session
        named = [record for name in session.functions for record in self.history(name)]
        return [*named, *(record for _, record in self._unnamed.values())]

    def restore(self, record: RegisteredFunction) -> RegisteredFunction:
        """Registers an older version again, with the globals that it captured."""
        return self._session._record(
            record.name, record.definition, record.payload, replace=record.replaces_builtin
        )

    def history(self, name: str) -> tuple[RegisteredFunction, ...]:
        """The last versions under a name."""
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
