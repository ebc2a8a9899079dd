"""DuckDB's Python functions: of rows (``native``) and of columns (``arrow``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb

from benchmarks.rivals.cases import Case
from benchmarks.rivals.serving import PROCESSORS, Maker, NotThere, Query, serve

_TYPES = {
    "bigint": "BIGINT", "double": "DOUBLE", "string": "VARCHAR", "boolean": "BOOLEAN",
    "array<double>": "DOUBLE[]",
}  # fmt: skip


def _query(case: Case, folder: str, function: Any, kind: str) -> Query:
    if case.kind == "aggregate":
        raise NotThere("DuckDB has no aggregates in Python")
    result = _TYPES[case.result] + ("[]" if case.kind == "table" else "")
    connection = duckdb.connect()
    connection.execute(f"SET threads = {PROCESSORS}")
    types = [_TYPES[each] for each in case.columns.values()]
    connection.create_function("f", function, types, result, type=kind)
    call = f"f({', '.join(case.columns)})"
    # It has no table functions in Python either: a list for each row is what people write.
    made = f"unnest({call})" if case.kind == "table" else call
    sql = f"SELECT {case.aggregate} FROM (SELECT {made} AS r FROM '{folder}/*.parquet')"

    def run() -> list[Any]:
        row = connection.execute(sql).fetchone()
        assert row is not None
        return list(row)

    return run


def native(case: Case, folder: str) -> Query:
    function = case.by_row
    if case.kind == "table":
        return _query(case, folder, lambda text: list(function(text)), "native")
    return _query(case, folder, function, "native")


def arrow(case: Case, folder: str) -> Query:
    def run(*columns: Any) -> Any:
        return case.by_arrow(*(column.combine_chunks() for column in columns))

    # DuckDB counts parameters, and takes *columns for one.
    forms: dict[int, Callable[..., Any]] = {
        1: lambda a: run(a), 2: lambda a, b: run(a, b), 3: lambda a, b, c: run(a, b, c),
    }  # fmt: skip
    return _query(case, folder, forms[len(case.columns)], "arrow")


def open_makers() -> tuple[str, dict[str, Maker]]:
    return f"DuckDB {duckdb.__version__}", {"native": native, "arrow": arrow}


if __name__ == "__main__":
    serve(open_makers)
