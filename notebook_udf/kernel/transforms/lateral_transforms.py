"""``nu.join_lateral`` and ``nu.left_outer_join_lateral``: table functions for
``DataFrame.transform``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import DataFrame

from notebook_udf.errors import PlanningError
from notebook_udf.kernel.function_names import column_names
from notebook_udf.planner.dataframe.table_function import TableCall, joined
from notebook_udf.planner.faults import planning


def join_lateral(
    call: TableCall, names: Sequence[str] | str | None = None
) -> Callable[[DataFrame], DataFrame]:
    """Joins each row to the rows that a table function gives for it.

    Parameters
    ----------
    call
        A call of a registered table function on columns, as in ``split("text")``.
    names
        Names for its columns; by default those given by ``.alias("word", ...)``, or else those of
        its result type.

    Returns
    -------
    callable
        For ``df.transform``. Consecutive ones run in one pass over the rows where the arguments
        are columns, those of the earlier calls included.

    Raises
    ------
    PlanningError
        If ``call`` is no such call, or the number of names is not that of its columns.

    Notes
    -----
    Sources: PyFlink's [Table.join_lateral][pyflink]; that consecutive calls run in one pass,
    [FLIP-58][flip-58], "Correlate".

    Examples
    --------
    >>> @nu.udtf(result_types="string")
    ... def parts(text):
    ...     return text.split(",") if text else []
    >>> parts = session.register_function("parts", parts)
    >>> lines = spark.createDataFrame([("a,b",), ("",)], "line string")

    >>> lines.transform(nu.join_lateral(parts("line"), "part")).collect()
    [Row(line='a,b', part='a'), Row(line='a,b', part='b')]
    """
    return _joining(call, names, outer=False)


def left_outer_join_lateral(
    call: TableCall, names: Sequence[str] | str | None = None
) -> Callable[[DataFrame], DataFrame]:
    """Joins each row to the rows of a table function, and keeps rows that have none.

    As ``join_lateral``, but a row without rows stays, with NULL in the function's columns.

    Parameters
    ----------
    call, names
        As for ``join_lateral``.

    Returns
    -------
    callable
        For ``df.transform``.

    Raises
    ------
    PlanningError
        As ``join_lateral``.

    Notes
    -----
    Source: PyFlink's [Table.left_outer_join_lateral][pyflink].

    Examples
    --------
    >>> @nu.udtf(result_types="string")
    ... def parts(text):
    ...     return text.split(",") if text else []
    >>> parts = session.register_function("parts", parts)
    >>> lines = spark.createDataFrame([("a,b",), ("",)], "line string")

    >>> kept = lines.transform(nu.left_outer_join_lateral(parts("line"), "part"))
    >>> kept.where("part IS NULL").count()
    1
    """
    return _joining(call, names, outer=True)


def _joining(
    call: TableCall, names: Sequence[str] | str | None, *, outer: bool
) -> Callable[[DataFrame], DataFrame]:
    if not isinstance(call, TableCall):
        raise PlanningError(
            f"nu.join_lateral takes a call of a table function on columns, as in split('text'), "
            f"not {call!r}"
        )
    chosen = column_names(call.record, names or call.names, does="gives")

    def transform(rows: DataFrame) -> DataFrame:
        with planning("nu.join_lateral"):
            return joined(rows, call, chosen, outer=outer)

    return transform
