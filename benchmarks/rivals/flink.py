"""PyFlink's functions of rows (``udf``, ``udtf``) and of pandas columns, in batch mode.

Its Parquet format is not among its Python packages: it makes the same rows by itself.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import pyarrow.parquet as pq
from pyflink.table import EnvironmentSettings, TableEnvironment
from pyflink.table.udf import udaf, udf, udtf

from benchmarks.rivals.cases import GROUPS, Case
from benchmarks.rivals.serving import PROCESSORS, Maker, NotThere, Query, serve

_QUARTERS = ", ".join(f"CAST(MOD(id, 100) + {place * 0.25} AS DOUBLE)" for place in range(8))
# The same rows as in ``rows``.
_ROWS = {
    "product": "id AS a, MOD(id, 1000) AS b",
    "text": "'hello world ' || CAST(id AS STRING) AS s",
    "ordinary": (
        "CASE MOD(id, 5) WHEN 0 THEN 'DE' WHEN 1 THEN 'FR' WHEN 2 THEN 'IT' WHEN 3 THEN 'US' "
        "ELSE 'PL' END AS country, MOD(id, 41) AS weight, MOD(id, 3) = 0 AS express"
    ),
    "array": f"ARRAY[{_QUARTERS}] AS v",
    "table": (
        "'alpha' || CAST(id AS STRING) || ' beta gamma' || CAST(MOD(id, 7) AS STRING) || ' delta' "
        "AS s"
    ),
    "aggregate": (
        f"MOD(id, {GROUPS}) AS k, CAST(MOD(id, 997) * 0.25 AS DOUBLE) AS v, "
        "CAST(MOD(id, 13) * 0.5 + 0.5 AS DOUBLE) AS w"
    ),
}


def by_row(case: Case, folder: str) -> Query:
    if case.kind == "aggregate":
        raise NotThere("PyFlink has no aggregates of rows in batch mode")
    if case.kind == "table":
        return _query(case, folder, udtf(case.by_row, result_types=["STRING"]))
    return _query(case, folder, udf(case.by_row, result_type=_result(case)))


def by_pandas(case: Case, folder: str) -> Query:
    if case.kind == "table":
        raise NotThere("PyFlink has no table functions of pandas columns")
    declare = udaf if case.kind == "aggregate" else udf
    return _query(
        case, folder, declare(case.by_pandas, result_type=_result(case), func_type="pandas")
    )


def _result(case: Case) -> str:
    return case.result.upper()


def _query(case: Case, folder: str, function: Any) -> Query:
    count = pq.ParquetDataset(folder).read(columns=[]).num_rows
    environment = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    environment.get_config().set("parallelism.default", str(PROCESSORS))
    environment.create_temporary_system_function("f", function)
    environment.execute_sql(
        "CREATE TEMPORARY TABLE ids (id BIGINT) WITH ('connector' = 'datagen', "
        # Ten thousand a second without it.
        "'rows-per-second' = '1000000000', "
        f"'number-of-rows' = '{count}', 'fields.id.kind' = 'sequence', "
        f"'fields.id.start' = '0', 'fields.id.end' = '{count - 1}')"
    )
    rows = f"(SELECT {_ROWS[case.name]} FROM ids) AS t"
    call = f"f({', '.join(case.columns)})"
    if case.kind == "table":
        results = f"SELECT x.r FROM {rows}, LATERAL TABLE({call}) AS x(r)"
    elif case.kind == "aggregate":
        results = f"SELECT {call} AS r FROM {rows} GROUP BY k"
    else:
        results = f"SELECT {call} AS r FROM {rows}"
    aggregate = case.aggregate.replace("length(", "char_length(")
    sql = f"SELECT {aggregate} FROM ({results})"

    def run() -> list[Any]:
        with environment.execute_sql(sql).collect() as answers:
            return list(next(iter(answers)))

    return run


def open_makers() -> tuple[str, dict[str, Maker]]:
    return f"PyFlink {version('apache-flink')}", {"udf": by_row, "pandas": by_pandas}


if __name__ == "__main__":
    serve(open_makers)
