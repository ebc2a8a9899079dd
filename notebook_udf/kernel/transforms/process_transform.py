"""``nu.process``: process functions for ``DataFrame.transform``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame

from notebook_udf.errors import PlanningError
from notebook_udf.functions.declare_process import is_process, process_function
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.kernel.active_session import current_session
from notebook_udf.planner.dataframe import process_function as planner
from notebook_udf.planner.dataframe.grouped_aggregate import group_keys
from notebook_udf.planner.faults import planning
from notebook_udf.registry import RegisteredFunction
from notebook_udf.types import resolve


def process(
    function: Any, key_by: Any = None, output_type: Any = None
) -> Callable[[DataFrame], DataFrame]:
    """Runs a process function over the rows of a DataFrame; what it collects becomes rows.

    Parameters
    ----------
    function
        A ``OneInputStreamProcessFunction`` class or instance, or one that was registered.
    key_by
        A column, its name, or a list of them: each key has states of its own, and its records
        come in the order of the input. Without it an instance takes a partition's rows.
    output_type
        Type of what the function collects: ``DataTypes``, a Spark type, a DDL string or an
        annotation; a type that is no ROW makes one column, ``value``. By default what the
        function declares.

    Returns
    -------
    callable
        For ``df.transform``. Two that follow each other, the second without ``key_by`` or keyed by
        the same columns, run in one worker pass, after one shuffle. If the second has the same
        keys, each record of the first has to keep the key of the record it is made of.

    Raises
    ------
    DeclarationError
        If the function is no process function.
    TypeDeclarationError
        If the type of its output is not known.
    PlanningError
        When it is applied, if rows and function do not fit.

    Notes
    -----
    On a stream instances live as long as the query in a worker, states are kept in its checkpoint,
    and the input ends, for ``end_input``, when ``session.drain`` ends the query. Without
    ``key_by`` states belong to a partition. A key's records come in the order of the source's
    partition that holds them.

    Examples
    --------
    >>> class Changes(nu.OneInputStreamProcessFunction):
    ...     def process_record(self, record, output: nu.Collector[int], ctx):
    ...         if record.id % 2:
    ...             output.collect(record.id * 10)
    >>> spark.range(4).transform(nu.process(Changes)).collect()
    [Row(value=10), Row(value=30)]
    """
    record = _record(function, output_type)
    keys = group_keys(key_by)

    def transform(rows: DataFrame) -> DataFrame:
        with planning("nu.process"):
            return planner.process(rows, record, keys, current_session().java.listed)

    return transform


def _record(function: Any, output_type: Any) -> RegisteredFunction:
    if is_process(function):
        return current_session().adopted(process_function(function, output_type=output_type))
    if isinstance(function, FunctionDefinition):
        function = current_session().adopted(function)
    if (
        not isinstance(function, RegisteredFunction)
        or function.definition.traits.takes != "records"
    ):
        raise PlanningError(
            f"nu.process takes a OneInputStreamProcessFunction, not {function!r}; derive a class "
            f"from it"
        )
    if output_type is None:
        return function
    result = resolve(output_type, what=f"what {function.name} collects")
    return replace(function, definition=replace(function.definition, declared_type=result))
