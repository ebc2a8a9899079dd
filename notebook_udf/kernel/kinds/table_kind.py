"""Table functions: any number of rows for a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import Column, DataFrame

from notebook_udf.functions.base import TableFunction
from notebook_udf.functions.declare_table import returns_one, udtf, yields_rows
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.hints import yields
from notebook_udf.functions.kind_traits import TABLE
from notebook_udf.kernel.kinds.call_form import CallForm, Spell, opened
from notebook_udf.kernel.kinds.export_form import ExportForm, PlainForm
from notebook_udf.kernel.kinds.function_kind import RESULT, Candidate, FunctionKind, Variants
from notebook_udf.kernel.kinds.java_words import (
    LINELESS,
    calls_in_words,
    java_variants,
    why_in_workers,
)
from notebook_udf.planner.dataframe import table_function
from notebook_udf.planner.physical import table
from notebook_udf.python_calls import PythonCall, quoted
from notebook_udf.specs.roles import Role
from notebook_udf.types import ddl
from notebook_udf.worker.codec.table_rows import rows_encoder
from notebook_udf.worker.table.generate import rows_in

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


def _register(
    functions: str, definition: FunctionDefinition, name: str, variable: str
) -> PythonCall:
    columns = definition.result_type
    names = ", ".join(quoted(name) for name in columns.names)
    rows = quoted(ddl(columns).removeprefix("STRUCT<").removesuffix(">"))
    made = PythonCall("_table", (variable, f"[{names}]"))
    return PythonCall(
        "spark.udtf.register", (name, PythonCall(f"{functions}.udtf", (made, f"returnType={rows}")))
    )


def _select(definition: FunctionDefinition, name: str, arguments: str, table: str) -> str:
    names = ", ".join(f"`{column}`" for column in definition.result_type.names)
    return f"SELECT * FROM {table} LEFT JOIN LATERAL {name}({arguments}) AS made({names}) ON TRUE"


def _declare(function: Any, **options: Any) -> Any:
    if "result_type" in options:
        options["result_types"] = options.pop("result_type")
    return udtf(function, **options)


class TableKind(FunctionKind):
    """Makes its rows in a pass over the rows that they are joined to."""

    traits = TABLE
    base = TableFunction
    declare = staticmethod(_declare)
    export = ExportForm(
        "udtf",
        renamed={"result_type": "result_types"},
        plain=PlainForm(_register, _select, ("_table", _HELPER)),
    )

    @classmethod
    def claims(cls, candidate: Candidate) -> bool:
        own, function = candidate.own, candidate.function
        if own is not None and own.takes != "row":
            return False
        return (
            super().claims(candidate)
            or "result_types" in candidate.options
            or yields_rows(function)
            or (candidate.wanted == cls.traits.option and not returns_one(function))
        )

    def spark_function(self, role: Role) -> Any:
        return table.spark_function(self.record)

    def register(self) -> None:
        made = self.session.planned(self.record, "table")
        self.session.spark.udtf.register(self.record.name, made)
        self.session.java.lists.serve(self.record)

    def spark_names(self) -> tuple[str, ...]:
        return (self.record.name,)

    def call(self, args: Any, kwargs: Any) -> Any:
        made = self.session.planned(self.record, "table")
        return table_function.call(made, self.record, self.session.java.listed, args, kwargs)

    def explain(self) -> str:
        java, record = self.session.java, self.record
        said = calls_in_words(java, record)
        if java.runs(record):
            return table.explain(record, java.class_name(record), *said)
        return table.explain(record, "", *(said or [why_in_workers(java, record)]))

    def variants(self, inputs: Sequence[Any]) -> Variants:
        found = java_variants(self.session.java, self.record, inputs)
        return found if found.own else replace(found, own="general")

    def lineless(self) -> str:
        return LINELESS if self.session.java.has_class(self.record) else ""

    def run(self, args: Any, kwargs: Any) -> Any:
        """All rows of the call, in a list."""
        __tracebackhide__ = True
        with self.opened():
            return list(rows_in(self.definition.call(*args, **kwargs)))

    def call_form(self, target: str, spell: Spell) -> CallForm:
        form = super().call_form(target, spell)
        if not yields(self.definition.call):
            return form
        if not form.helper:
            return CallForm(f"list({form.before}", "))")
        # The rows are drawn before it is closed.
        body = ["return list(function.eval(*arguments))"]
        made = opened(self.definition.function, self.record.name, target, spell, body)
        return replace(form, helper=made)

    def answer(self, arguments: tuple[Any, ...]) -> Any:
        __tracebackhide__ = True
        with self.opened():
            made = self.definition.call(*arguments)
            drawn = made is not None and yields(self.definition.call)
            return list(made) if drawn else made

    def encode(self, result: Any) -> object:
        return rows_encoder(self.definition.declared_type)(result)

    def beside(self, rows: DataFrame, columns: Sequence[Column], name: str) -> DataFrame:
        """Joins each row to the function's rows for it; to NULLs where there are none."""
        names = self.definition.result_type.names
        return table_function.joined(rows, self.record(*columns), names, outer=True)

    def results(
        self, rows: DataFrame, columns: Sequence[Column], keys: Sequence[Column]
    ) -> DataFrame:
        names = [f"{RESULT}{i}" for i in range(len(self.definition.result_type.names))]
        call = self.record(*columns)
        return table_function.joined(rows, call, names, outer=True).select(*names)
