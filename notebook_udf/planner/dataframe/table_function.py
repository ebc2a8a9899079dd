"""Plans of ``nu.join_lateral``: table functions on DataFrames, and the operators they share.

A call is added to the operator that made a DataFrame, if there is one and nothing is in between.
``correlate`` plans the calls in queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.udtf import UserDefinedTableFunction

from notebook_udf.host.sessions import columns_of
from notebook_udf.planner.physical.aggregate import column_name
from notebook_udf.planner.physical.column_arguments import with_constants
from notebook_udf.planner.physical.in_java import Listed
from notebook_udf.planner.physical.table import CallChain
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.table_layout import TableStep


class TableCall:
    """A table function called on columns, for ``nu.join_lateral``.

    Anywhere else it is the DataFrame of its rows, as PySpark's own table functions are:
    ``df.lateralJoin(f(col("x").outer()))``, ``f(3).show()``.
    """

    def __init__(
        self,
        record: RegisteredFunction,
        arguments: Sequence[Any],
        named: dict[str, Any],
        function: UserDefinedTableFunction,
        listed: Listed,
        names: Sequence[str] = (),
    ) -> None:
        self.record = record
        self.listed = listed
        self.names = tuple(names)
        self.arguments = tuple(arguments)
        self.named = dict(named)
        self._function = function
        self._frame: DataFrame | None = None

    @property
    def values(self) -> list[Any]:
        """The arguments, those given by name last."""
        return [*self.arguments, *self.named.values()]

    def alias(self, *names: str) -> TableCall:
        """The call with names for its columns; one name is that of the DataFrame, as in PySpark."""
        return TableCall(
            self.record, self.arguments, self.named, self._function, self.listed, names
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._frame is None:
            frame = self._function(*self.arguments, **self.named)
            if len(self.names) == 1:
                frame = frame.alias(*self.names)
            elif self.names:
                frame = frame.toDF(*self.names)
            self._frame = frame
        return getattr(self._frame, name)

    def __repr__(self) -> str:
        shown = [_shown(value) for value in self.arguments]
        shown += [f"{name} => {_shown(value)}" for name, value in self.named.items()]
        return (
            f"<call {self.record.name}({', '.join(shown)}) of a table function: give it to "
            f"nu.join_lateral or df.lateralJoin>"
        )


def call(
    function: UserDefinedTableFunction,
    record: RegisteredFunction,
    listed: Listed,
    args: Any,
    kwargs: Any,
) -> TableCall:
    """A call on columns; a string is the name of a column, any other plain value a constant.

    Raises
    ------
    PlanningError
        If an argument is none of these, nor a DataFrame's ``asTable()``.
    """
    return TableCall(record, *with_constants(record, args, kwargs), function, listed)


def joined(rows: DataFrame, call: TableCall, names: Sequence[str], *, outer: bool) -> DataFrame:
    """Joins each row with the rows that the call returns for it.

    ``names`` are those of the call's columns; ``outer`` keeps a row for which the call returns
    none.
    """
    made = _added(rows, call, list(names), outer=outer)
    return made if made is not None else _begun(rows, call, list(names), outer=outer)


@dataclass(frozen=True)
class _Lineage:
    """The operator that a DataFrame came from: kept on it for calls that are added to it."""

    source: DataFrame
    listed: Listed
    arguments: tuple[Column, ...]
    # The calls: their functions, their arguments, and whether they are outer.
    records: tuple[RegisteredFunction, ...]
    # A place among the source's columns, the added arguments, or the columns of earlier calls.
    places: tuple[tuple[tuple[str, int], ...], ...]
    named: tuple[tuple[str, ...], ...]
    outer: tuple[bool, ...]
    names: tuple[str, ...]

    def frame(self) -> DataFrame:
        width, extra = len(self.source.columns), len(self.arguments)
        inner = [f"_nu_col{i}" for i in range(width)] + [f"_nu_arg{i}" for i in range(extra)]
        base = self.source.select("*", *self.arguments).toDF(*inner)
        starts = {"source": 0, "argument": width, "made": width + extra}
        chain = CallChain(base, self.listed)
        for record, places, named, outer in zip(
            self.records, self.places, self.named, self.outer, strict=True
        ):
            at = tuple(starts[kind] + place for kind, place in places)
            chain = chain.then(record, TableStep(at, named, outer))
        made = len(self.names) - width
        leaving = [*range(width), *range(width + extra, width + extra + made)]
        twice = len({name.lower() for name in self.names}) < len(self.names)
        names = [f"_nu_col{i}" for i in range(len(leaving))] if twice else self.names
        frame = chain.exploded(leaving, names)
        # Spark copies every row to give a column another name.
        frame = frame.toDF(*self.names) if twice else frame
        vars(frame)["_nu_lineage"] = self
        return frame


def _begun(rows: DataFrame, call: TableCall, names: list[str], *, outer: bool) -> DataFrame:
    empty = _Lineage(rows, call.listed, (), (), (), (), (), tuple(rows.columns))
    return _extended(empty, call, names, outer, made=[]).frame()


def _added(rows: DataFrame, call: TableCall, names: list[str], *, outer: bool) -> DataFrame | None:
    """The rows with the call in the operator they came from; None if it needs one of its own."""
    lineage = getattr(rows, "__dict__", {}).get("_nu_lineage")
    if not isinstance(lineage, _Lineage):
        return None
    made = list(lineage.names[len(lineage.source.columns) :])
    plain = [_plain_name(value) for value in call.values]
    lowered = [name.lower() for name in lineage.names]
    for name, value in zip(plain, call.values, strict=True):
        # An expression is computed by Spark, between two passes; a constant before the first.
        known = name is not None and lowered.count(name.lower()) == 1
        if not known and not _is_constant(value):
            return None
    return _extended(lineage, call, names, outer, made).frame()


def _extended(
    lineage: _Lineage, call: TableCall, names: list[str], outer: bool, made: list[str]
) -> _Lineage:
    places: list[tuple[str, int]] = []
    arguments = list(lineage.arguments)
    own = [name.lower() for name in lineage.source.columns]
    below = [name.lower() for name in made]
    for value in call.values:
        name = _plain_name(value)
        if name is not None and name.lower() in below:
            places.append(("made", below.index(name.lower())))
        elif name is not None and own.count(name.lower()) == 1:
            places.append(("source", own.index(name.lower())))
        else:
            column = F.col(value) if isinstance(value, str) else value
            places.append(("argument", len(arguments)))
            arguments.append(column.alias(f"_nu_arg{len(arguments)}"))
    return replace(
        lineage,
        arguments=tuple(arguments),
        records=(*lineage.records, call.record),
        places=(*lineage.places, tuple(places)),
        named=(*lineage.named, tuple(call.named)),
        outer=(*lineage.outer, outer),
        names=(*lineage.names, *names),
    )


def _plain_name(value: Any) -> str | None:
    """The name of a Column that is nothing but a name; None for any other expression."""
    if isinstance(value, str):
        return value.strip("`") if "." not in value else None
    return columns_of(value).attribute(value) if isinstance(value, Column) else None


def _is_constant(value: Any) -> bool:
    return isinstance(value, Column) and columns_of(value).is_constant(value)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else column_name(value)
