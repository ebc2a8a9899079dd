"""The registry of a session's functions: name → frozen record, with earlier versions.

A ``RegisteredFunction`` is data; the ``Actions`` of its session make columns and previews of it.
Nothing in here talks to Spark.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.definition import FunctionDefinition, doorway
from notebook_udf.functions.options import FunctionOptions
from notebook_udf.render.display import Block, Displayed, Paragraph
from notebook_udf.render.markup import code, markup, small
from notebook_udf.render.tables import Table
from notebook_udf.sanitize import one_line
from notebook_udf.suggestion import did_you_mean

# So many versions of a function can be restored and replayed; of earlier ones nothing is kept.
MOST_VERSIONS = 100

_HEADERS = ("function", "kind", "version", "on error")


class Actions(Protocol):
    """The operations of a session on the records of its registry."""

    def of_kind(self, record: RegisteredFunction) -> Any: ...

    def restore(self, record: RegisteredFunction) -> RegisteredFunction: ...

    def history(self, name: str) -> tuple[RegisteredFunction, ...]: ...


@dataclass(frozen=True, repr=False)
class RegisteredFunction:
    """One version of a registered function.

    Attributes
    ----------
    name, version
        The SQL name, and 1 for the first function registered under it.
    definition
        The declaration: code, types and options.
    payload
        The function, pickled as it was when registered, globals included.
    hash
        A hash of payload, types and options: two versions with the same hash behave alike.
    replaces_builtin
        Whether it has taken the name of one of Spark's own functions.

    Examples
    --------
    >>> half = session.register_function("half", lambda x: x / 2, result_type="double")
    >>> spark.range(2).select(half("id").alias("h")).collect()
    [Row(h=0.0), Row(h=0.5)]
    >>> half.kind, half.signature, [each.version for each in half.history]
    ('scalar', 'half(x) -> double', [1])
    >>> print(half.source)
    half = session.register_function("half", lambda x: x / 2, result_type="double")
    """

    name: str
    version: int
    definition: FunctionDefinition
    payload: bytes = field(repr=False)
    hash: str
    actions: Actions = field(repr=False, compare=False)
    replaces_builtin: bool = False

    @property
    def kind(self) -> str:
        """The kind of the function, such as ``scalar``."""
        return self.definition.kind

    @property
    def source(self) -> str:
        """The source code of the function or class; "" if it could not be found."""
        return self.definition.source.text

    @property
    def history(self) -> tuple[RegisteredFunction, ...]:
        """The last versions under this name, oldest first, later ones included."""
        return self.actions.history(self.name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function on columns, as a Column; a string is the name of a column."""
        if doorway.inside_worker:
            return self.definition.call(*args, **kwargs)
        return self.actions.of_kind(self).column(args, kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        # A function that calls this one is pickled with it for a worker, which has no session.
        return _as_definition, (self.definition,)

    def eval(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the function here, in the kernel, on plain values, between ``open`` and ``close``.

        The result is checked against the declared type as in a query: use it for unit tests.

        Parameters
        ----------
        *args, **kwargs
            A value for each parameter. Of an aggregate each is a list of a group's values. Of a
            process function the first is a list of records.

        Returns
        -------
        object
            The result; a list of rows where the function gives rows.

        Raises
        ------
        ResultError
            If the declared type cannot hold the result.

        Examples
        --------
        >>> half = session.register_function("half", lambda x: x / 2, result_type="double")
        >>> half.eval(3)
        1.5
        """
        return self.actions.of_kind(self).evaluate(args, kwargs)

    def try_(self, df: Any, n: int = 5) -> Any:
        """Shows the first rows of a DataFrame with the function's result beside them.

        Parameters
        ----------
        df
            A DataFrame or a query. Its columns are matched to the parameters by name. They are
            matched by position where the names do not match and the count does. Of a query that
            calls the function itself, without columns of such names, the rows are shown.
        n
            How many rows.

        Returns
        -------
        Trial
            Displays as a table.

        Examples
        --------
        >>> half = session.register_function("half", lambda x: x / 2, result_type="double")
        >>> trial = half.try_("SELECT id AS x FROM range(3)", n=2)
        """
        return self.actions.of_kind(self).preview(df, n)

    def explain(self) -> str:
        """Explains how calls of the function run, and why.

        Returns
        -------
        str
            A line for each thing that decides it.

        Examples
        --------
        >>> half = session.register_function("half", lambda x: x / 2, result_type="double")
        >>> "half" in half.explain()
        True
        """
        text: str = self.actions.of_kind(self).explain()
        return text

    def restore(self) -> RegisteredFunction:
        """Registers this version again, as the newest version.

        Returns
        -------
        RegisteredFunction
            The new version, with the code of this one.

        Examples
        --------
        >>> first = session.register_function("half", lambda x: x / 2, result_type="double")
        >>> second = session.register_function("half", lambda x: x / 2 + 1, result_type="double")
        >>> second.history[0].restore().eval(3)
        1.5
        """
        return self.actions.restore(self)

    @property
    def identity(self) -> tuple[str, int, str, FunctionOptions]:
        """What a plan with calls of the function depends on.

        The hash distinguishes functions that were never registered, which all have version 0; the
        options distinguish async functions, whose options depend on conf at planning time.
        """
        return self.name.lower(), self.version, self.hash, self.definition.options

    @property
    def signature(self) -> str:
        """``name(parameter TYPE, ...) -> TYPE``."""
        return replace(self.definition, name=self.name).signature

    def __repr__(self) -> str:
        name = one_line(self.signature)
        return f"<{self.kind} function {name}, version {self.version}, {self.hash[:8]}>"

    def _repr_html_(self) -> str:
        return markup(code(self.signature), " ", small(f"{self.kind}, version {self.version}"))


def _as_definition(definition: FunctionDefinition) -> FunctionDefinition:
    return definition


def fingerprint(payload: bytes, definition: FunctionDefinition) -> str:
    """A hash of a function's payload, types and options."""
    digest = hashlib.sha256(payload)
    types = [t.json() if t else "" for t in definition.input_types or ()]
    for part in (*types, definition.declared_type.json(), repr(definition.options)):
        digest.update(part.encode())
    return digest.hexdigest()


class Registry(Displayed, Mapping[str, RegisteredFunction]):
    """The current record of every name; names ignore letter case, as in Spark."""

    def __init__(self) -> None:
        self._versions: dict[str, list[RegisteredFunction]] = {}
        # The last version of every name there ever was: a name that is dropped and used again goes
        # on from it, or metrics and plans of the old function would be shown as the new one's.
        self._last: dict[str, int] = {}
        # The version with which the function began that now has the name.
        self._first: dict[str, int] = {}

    def add(
        self,
        name: str,
        definition: FunctionDefinition,
        payload: bytes,
        actions: Actions,
        *,
        replaces_builtin: bool = False,
    ) -> RegisteredFunction:
        """Records ``definition`` as the newest version under ``name``.

        Raises
        ------
        DeclarationError
            If the name is empty or not text.
        """
        if not isinstance(name, str) or not name.strip():
            raise DeclarationError(f"{name!r} cannot be a function's name")
        self._last[name.lower()] = version = self._last.get(name.lower(), 0) + 1
        if name.lower() not in self._versions:
            self._first[name.lower()] = version
        versions = self._versions.setdefault(name.lower(), [])
        record = RegisteredFunction(
            name=name,
            version=version,
            definition=definition,
            payload=payload,
            hash=fingerprint(payload, definition),
            actions=actions,
            replaces_builtin=replaces_builtin,
        )
        versions.append(record)
        del versions[:-MOST_VERSIONS]
        return record

    def discard(self, record: RegisteredFunction) -> None:
        """Undoes an ``add`` that Spark then refused."""
        versions = self._versions[record.name.lower()]
        versions.remove(record)
        self._last[record.name.lower()] = record.version - 1
        if not versions:
            del self._versions[record.name.lower()]

    def remove(self, name: str) -> tuple[RegisteredFunction, ...]:
        """Removes a name; returns its versions, oldest first."""
        return tuple(self._versions.pop(name.lower(), ()))

    def history(self, name: str) -> tuple[RegisteredFunction, ...]:
        """The last versions under a name, oldest first."""
        return tuple(self._versions.get(name.lower(), ()))

    def version(self, name: str, number: int) -> RegisteredFunction | None:
        """A version of a function; None if it is not kept."""
        return next((r for r in self.history(name) if r.version == number), None)

    def first_version(self, name: str) -> int:
        """The number of the first version of a function, whether that is kept or not."""
        return self._first.get(name.lower(), 1)

    def __getitem__(self, name: str) -> RegisteredFunction:
        versions = self._versions.get(name.lower())
        if not versions:
            raise KeyError(self.unknown(name))
        return versions[-1]

    def unknown(self, name: str) -> str:
        """The message about a name that no function has."""
        known = ", ".join(sorted(self)) or "none yet"
        meant = did_you_mean(name, self)
        return f"no function {name!r} is registered{meant}; there are: {known}"

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._versions

    def __iter__(self) -> Iterator[str]:
        return iter([versions[-1].name for versions in self._versions.values()])

    def __len__(self) -> int:
        return len(self._versions)

    def _blocks(self) -> list[Block]:
        rows = [
            (r.signature, r.kind, str(r.version), r.definition.options.on_error)
            for r in self.values()
        ]
        return [Table(_HEADERS, rows) if rows else Paragraph("no functions are registered")]
