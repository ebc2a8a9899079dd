"""``nu.aggregate`` and ``nu.flat_aggregate``: aggregate functions for ``DataFrame.transform``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame

from notebook_udf.errors import PlanningError
from notebook_udf.kernel.active_session import current_session
from notebook_udf.kernel.function_names import column_names
from notebook_udf.planner.dataframe import grouped_aggregate
from notebook_udf.planner.faults import planning
from notebook_udf.planner.physical.aggregate import call_of


def aggregate(
    by: Any = (), change_column: str | None = None, **named_calls: Column
) -> Callable[[DataFrame], DataFrame]:
    """Groups rows and aggregates them, in two phases.

    Parameters
    ----------
    by
        A column, its name, or a list of them; none for one group of all rows.
    change_column
        On a stream, the name of the column that says what becomes of a row: ``+I`` and ``+U``
        (or ``insert``, ``update_postimage``) put it in, ``-U`` and ``-D`` (``update_preimage``,
        ``delete``) take it out again, which needs a ``retract``. Of Spark's own aggregates
        ``count``, ``count_if``, ``sum`` and ``avg`` of numbers can be undone.
    **named_calls
        Calls of registered aggregate functions, with ``.filter(condition)`` (a Column or SQL
        text) and ``.distinct()`` where wanted, and Spark's own aggregates; each becomes a column
        of that name.

    Returns
    -------
    callable
        For ``df.transform``. Of a stream the result holds each group that changed; where the
        query's output mode is ``append``, each group that the watermark has passed; where it is
        ``complete``, every group, for which Spark's own GROUP BY keeps the rows.

    Raises
    ------
    PlanningError
        If there are no calls, or one is no column; on a stream also for what cannot be kept in
        state.

    Notes
    -----
    Of a stream, the conf ``udf.state.ttl`` (as in ``1h``) says how long a group without rows is
    remembered; ``state.cache-size``, ``map-state.read-cache-size`` and
    ``map-state.write-cache-size``, each 1000 by default, how much of the state a worker holds.

    Examples
    --------
    >>> class Spread(nu.AggregateFunction):
    ...     def create_accumulator(self):
    ...         return []
    ...
    ...     def accumulate(self, acc, x: int):
    ...         acc.append(x)
    ...
    ...     def get_value(self, acc) -> int:
    ...         return max(acc) - min(acc)
    >>> spread = session.register_function("spread", nu.udaf(Spread))
    >>> rows = spark.range(10).withColumn("odd", F.expr("id % 2 = 1"))
    >>> by_odd = rows.transform(nu.aggregate(by="odd", spread=spread("id"), n=F.count("*")))
    >>> by_odd.orderBy("odd").collect()
    [Row(odd=False, spread=8, n=5), Row(odd=True, spread=8, n=5)]
    """
    if not named_calls:
        raise PlanningError("nu.aggregate needs at least one call, as in total=my_sum('v')")
    for name, call in named_calls.items():
        if not isinstance(call, Column):
            raise PlanningError(f"{name}={call!r} is no call on columns, as in {name}=my_sum('v')")
        found = call_of(call)
        if found is not None and found.record.definition.gives_rows:
            raise PlanningError(
                f"{found.record.name} gives several rows per group: use nu.flat_aggregate"
            )

    def transform(rows: DataFrame) -> DataFrame:
        keys = grouped_aggregate.group_keys(by)
        with planning("nu.aggregate"):
            session = current_session()
            return grouped_aggregate.aggregate(
                rows, keys, named_calls, session.planned, session.java.listed, change_column
            )

    return transform


def flat_aggregate(
    call: Column, names: Sequence[str] | str | None = None, by: Any = ()
) -> Callable[[DataFrame], DataFrame]:
    """Groups rows and gives each group the rows that a table aggregate function emits.

    Parameters
    ----------
    call
        A call of a registered ``TableAggregateFunction``.
    names
        Names of its columns; by default those given by ``.alias("value", ...)``, or else those of
        its result type.
    by
        As in ``nu.aggregate``. Of a stream, each group that changed gives its rows again.

    Returns
    -------
    callable
        For ``df.transform``. Its rows have the columns of ``by``, then those of the call.

    Raises
    ------
    PlanningError
        If ``call`` is no such call, or the number of names is not that of its columns.

    Notes
    -----
    Source: PyFlink's [Table.flat_aggregate][pyflink].

    Examples
    --------
    >>> class Two(nu.TableAggregateFunction):
    ...     def create_accumulator(self):
    ...         return []
    ...
    ...     def accumulate(self, acc, x: int):
    ...         acc.append(x)
    ...
    ...     def emit_value(self, acc):
    ...         for least in sorted(acc)[:2]:
    ...             yield (least,)
    >>> two = session.register_function("two", nu.udtaf(Two, result_type="least bigint"))
    >>> rows = spark.range(10).withColumn("odd", F.expr("id % 2 = 1"))
    >>> least = rows.transform(nu.flat_aggregate(two("id"), by="odd"))
    >>> least.where("odd").orderBy("least").collect()
    [Row(odd=True, least=1), Row(odd=True, least=3)]
    """
    found = call_of(call)
    if found is None or not found.record.definition.gives_rows:
        raise PlanningError(
            f"nu.flat_aggregate takes a call of a table aggregate function, not {call!r}"
        )
    chosen = column_names(found.record, names or found.names, does="emits")

    def transform(rows: DataFrame) -> DataFrame:
        keys = grouped_aggregate.group_keys(by)
        with planning("nu.flat_aggregate"):
            session = current_session()
            return grouped_aggregate.flat_aggregate(
                rows, keys, found, chosen, session.planned, session.java.listed
            )

    return transform
