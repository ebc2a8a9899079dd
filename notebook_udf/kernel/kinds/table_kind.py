"""Table functions: any number of rows for a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from notebook_udf.functions.base import TableFunction
from notebook_udf.functions.declare_table import returns_one, udtf, yields_rows
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.kind_traits import TABLE
from notebook_udf.kernel.kinds.export_form import ExportForm, PlainForm
from notebook_udf.kernel.kinds.function_kind import RESULT, Candidate, FunctionKind, opened
from notebook_udf.planner.dataframe import table_function
from notebook_udf.planner.physical import table
from notebook_udf.python_calls import Call, quoted
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.roles import Role
from notebook_udf.types import ddl
from notebook_udf.worker.codec.table_rows import rows_encoder
from notebook_udf.worker.table.generate import rows_in

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from notebook_udf.kernel.notebook_session import Session

_HELPER = '''\
def _table(function, names):
    """A class as Spark wants a table function: its rows are tuples of the columns."""

    class Table:
        def eval(self, *arguments):
            rows = function(*arguments)
            single = isinstance(rows, (str, bytes, tuple, dict))
            if single or not hasattr(rows, "__iter__"):
                rows = [] if rows is None else [rows]
            for row in rows:
                if isinstance(row, tuple):
                    yield row
                elif isinstance(row, dict):
                    yield tuple(row[name] for name in names)
                elif len(names) == 1 and not hasattr(row, names[0]):
                    yield (row,)
                else:
                    yield tuple(getattr(row, name) for name in names)

    return Table'''


def _register(functions: str, definition: FunctionDefinition, name: str, variable: str) -> Call:
    columns = definition.result_type
    names = ", ".join(quoted(name) for name in columns.names)
    rows = quoted(ddl(columns).removeprefix("STRUCT<").removesuffix(">"))
    made = Call("_table", (variable, f"[{names}]"))
    return Call(
        "spark.udtf.register", (name, Call(f"{functions}.udtf", (made, f"returnType={rows}")))
    )


def _select(definition: FunctionDefinition, name: str, arguments: str, table: str) -> str:
    names = ", ".join(f"`{column}`" for column in definition.result_type.names)
    return f"SELECT * FROM {table} LEFT JOIN LATERAL {name}({arguments}) AS made({names}) ON TRUE"


class TableKind(FunctionKind):
    """Declared by ``udtf``; its rows are made in a pass over the rows beside which they stand."""

    traits = TABLE
    base = TableFunction
    export = ExportForm(
        "udtf",
        renamed={"result_type": "result_types"},
        plain=PlainForm(_register, _select, ("_table", _HELPER)),
    )

    def claims(self, candidate: Candidate) -> bool:
        own, function = candidate.own, candidate.function
        if own is not None and own.takes != "row":
            return False
        return (
            super().claims(candidate)
            or "result_types" in candidate.options
            or yields_rows(function)
            or (candidate.wanted == self.traits.option and not returns_one(function))
        )

    def declare(self, function: Any, **options: Any) -> FunctionDefinition:
        if "result_type" in options:
            options["result_types"] = options.pop("result_type")
        definition: FunctionDefinition = udtf(function, **options)
        return definition

    def spark_function(self, record: RegisteredFunction, role: Role) -> Any:
        return table.spark_function(record)

    def register(self, session: Session, record: RegisteredFunction) -> None:
        session.spark.udtf.register(record.name, session.planned(record, "table"))

    def spark_names(self, record: RegisteredFunction) -> tuple[str, ...]:
        return (record.name,)

    def called(self, session: Session, record: RegisteredFunction, args: Any, kwargs: Any) -> Any:
        return table_function.call(session.planned(record, "table"), record, args, kwargs)

    def explain(self, session: Session, record: RegisteredFunction) -> str:
        return table.explain(record)

    def evaluate(
        self, definition: FunctionDefinition, args: Any, kwargs: Any, parameters: Mapping[str, str]
    ) -> Any:
        """All rows of the call, in a list."""
        __tracebackhide__ = True
        with opened(definition, parameters):
            return list(rows_in(definition.call(*args, **kwargs)))

    def encode(self, definition: FunctionDefinition, result: Any) -> object:
        return rows_encoder(definition.declared_type)(result)

    def beside(
        self, rows: DataFrame, record: RegisteredFunction, columns: Sequence[Column], name: str
    ) -> DataFrame:
        """Each row beside each of its rows; one for which there is none stands beside NULLs."""
        names = record.definition.result_type.names
        return table_function.joined(rows, record(*columns), names, outer=True)

    def results(
        self,
        rows: DataFrame,
        record: RegisteredFunction,
        columns: Sequence[Column],
        keys: Sequence[Column],
    ) -> DataFrame:
        names = [f"{RESULT}{i}" for i in range(len(record.definition.result_type.names))]
        return table_function.joined(rows, record(*columns), names, outer=True).select(*names)
