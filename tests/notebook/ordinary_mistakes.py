"""Mistakes that everybody makes, as cells, and what has to be said of each."""

from __future__ import annotations

from dataclasses import dataclass

DEFINE = """\
from pyspark.sql import functions as F
rows = [("UA", 5, 2.5), ("AA", 7, 3.5)]
spark.createDataFrame(rows, "carrier string, delay int, dist double") \\
    .createOrReplaceTempView("flights")
spark.createDataFrame([("UA", "United")], "carrier string, name string") \\
    .createOrReplaceTempView("airlines")
flights = spark.table("flights")

@nu.register
class MyMedian(nu.AggregateFunction):
    def create_accumulator(self) -> list[float]:
        return []
    def accumulate(self, accumulator, value: float):
        accumulator.append(value)
    def merge(self, accumulator, others):
        for other in others:
            accumulator.extend(other)
    def get_value(self, accumulator) -> float:
        return sorted(accumulator)[len(accumulator) // 2] if accumulator else None

@nu.register
def shout(s: str) -> str:
    return s.upper() + "!"
"""


@dataclass(frozen=True)
class Mistake:
    """A cell, the class of its error, what the card's first line says, and what it marks."""

    name: str
    cell: str
    error: str
    headline: str
    marked: str


MISTAKES = (
    Mistake(
        "unknown function",
        'session.sql("SELECT MyMedain(delay) FROM flights")',
        "AnalysisException",
        "there is no function MyMedain: did you mean MyMedian?",
        "MyMedain",
    ),
    Mistake(
        "unknown column",
        'session.sql("""\n    SELECT carrier,\n        shout(carier)\n    FROM flights\n""")',
        "AnalysisException",
        "there is no column carier: did you mean carrier?",
        "carier",
    ),
    Mistake(
        "unknown table",
        'session.sql("SELECT shout(carrier) FROM flihgts")',
        "AnalysisException",
        "there is no table or view flihgts: did you mean flights?",
        "flihgts",
    ),
    Mistake(
        "wrong number of arguments",
        'session.sql("SELECT carrier, shout(carrier, delay) FROM flights")',
        "PlanningError",
        "line 1, column 17: shout(s) takes 1 argument, and is given 2",
        "shout",
    ),
    Mistake(
        "wrong type",
        'session.sql("SELECT carrier, MyMedian(delay) + array(1) FROM flights GROUP BY carrier")',
        "AnalysisException",
        'Cannot resolve "(MyMedian(delay) + array(1))" due to data type mismatch',
        "MyMedian(delay) + array(1)",
    ),
    Mistake(
        "syntax error",
        'session.sql("SELECT MyMedian(delay) FORM flights")',
        "ParseException",
        "Syntax error at FORM: did you mean FROM?",
        "FORM",
    ),
    Mistake(
        "missing GROUP BY",
        'session.sql("SELECT carrier, MyMedian(delay) FROM flights")',
        "AnalysisException",
        "The query does not include a GROUP BY clause",
        "SELECT",
    ),
    Mistake(
        "ambiguous column",
        'session.sql("SELECT shout(carrier) FROM flights f JOIN airlines a USING (carrier) '
        "JOIN airlines b ON a.name = b.name WHERE name > 'A'\")",
        "AnalysisException",
        "Reference `name` is ambiguous, could be: [",
        "name",
    ),
    Mistake(
        "name of a built-in",
        'session.register_function("upper", lambda s: s, result_type="string")',
        "NameTakenError",
        "'upper' is the name of Spark's built-in function upper()",
        "upper",
    ),
    Mistake(
        "misspelt option",
        '@nu.udf(on_eror="null")\ndef safe(s: str) -> str:\n    return s',
        "DeclarationError",
        "safe: no option 'on_eror' (did you mean on_error?)",
        "on_eror",
    ),
)

# Other ways to make the same mistakes.
OTHERS = (
    Mistake(
        "aggregate in spark.sql",
        'spark.sql("SELECT carrier, MyMedian(delay) FROM flights GROUP BY carrier")',
        "AnalysisException",
        "Spark alone does not know the aggregate function MyMedian",
        "MyMedian",
    ),
    Mistake(
        "column left out of GROUP BY",
        'session.sql("SELECT MyMedian(delay), delay FROM flights GROUP BY carrier")',
        "AnalysisException",
        'The non-aggregating expression "delay" is based on columns which are not participating',
        "delay",
    ),
    Mistake(
        "aggregate in WHERE",
        'session.sql("SELECT shout(carrier) FROM flights WHERE MyMedian(delay) > 1")',
        "AnalysisException",
        'The WHERE condition "(MyMedian(delay) > 1)" contains invalid expressions: '
        "MyMedian(flights.delay)",
        "MyMedian(delay) > 1",
    ),
    Mistake(
        "built-in misspelt in spark.sql",
        'spark.sql("SELECT uper(carrier) FROM flights")',
        "AnalysisException",
        "there is no function uper: did you mean upper?",
        "uper",
    ),
    Mistake(
        "table of a magic",
        "%%sparksql\nSELECT shout(carrier)\nFROM flihgts",
        "AnalysisException",
        "there is no table or view flihgts: did you mean flights?",
        "flihgts",
    ),
    Mistake(
        "column of a method",
        '(flights\n    .groupBy("carrier")\n    .agg(F.sum("dely")))',
        "AnalysisException",
        "there is no column dely: did you mean delay?",
        "dely",
    ),
    Mistake(
        "column of a condition",
        'flights.filter("dely > 3")',
        "AnalysisException",
        "there is no column dely: did you mean delay?",
        "dely",
    ),
    Mistake(
        "column of an operator",
        'flights.transform(nu.aggregate(by="carrier", m=MyMedian("dely")))',
        "AnalysisException",
        "there is no column dely: did you mean delay?",
        "dely",
    ),
    Mistake(
        "table of a method",
        'spark.table("flihgts")',
        "AnalysisException",
        "there is no table or view flihgts: did you mean flights?",
        "flihgts",
    ),
    Mistake(
        "table to drop",
        'spark.sql("DROP TABLE flihgts")',
        "AnalysisException",
        "there is no table or view default.flihgts: did you mean default.flights?",
        "flihgts",
    ),
    Mistake(
        "schema",
        'spark.sql("USE defalt")',
        "AnalysisException",
        "there is no schema defalt: did you mean default?",
        "defalt",
    ),
    Mistake(
        "data source",
        'spark.read.format("parqet").load("/tmp")',
        "Py4JJavaError",
        "there is no data source parqet: did you mean parquet?",
        "parqet",
    ),
    Mistake(
        "arguments of a method",
        'flights.select(shout("carrier", "delay"))',
        "PlanningError",
        "shout(s) takes 1 argument, and is given 2",
        "shout",
    ),
    Mistake(
        "arguments of a built-in",
        'spark.sql("SELECT 1, upper(carrier, 1) FROM flights")',
        "AnalysisException",
        "The `upper` requires 1 parameters but the actual number is 2",
        "upper(carrier, 1)",
    ),
    Mistake(
        "a type that a function does not take",
        'session.sql("SELECT MyMedian(carrier) FROM flights").show()',
        "DeclarationError",
        "MyMedian declares value as DOUBLE and was given a column of type string",
        "MyMedian",
    ),
    Mistake(
        "keyword",
        'spark.sql("SELEC 1")',
        "ParseException",
        "Syntax error at SELEC: did you mean SELECT?",
        "SELEC",
    ),
    Mistake(
        "value",
        "session.sql(\"SELECT 1, CAST('a' AS INT)\").show()",
        "NumberFormatException",
        'The value \'a\' of the type "STRING" cannot be cast to "INT"',
        "CAST('a' AS INT)",
    ),
    Mistake(
        "option of a magic",
        "%%udf --on-eror null\ndef safe(s: str) -> str:\n    return s",
        "DeclarationError",
        "unrecognized arguments: --on-eror (did you mean --on-error?)",
        "",
    ),
    Mistake(
        "subcommand",
        "%udf metrcs",
        "DeclarationError",
        "%udf metrcs is unknown (did you mean metrics?)",
        "",
    ),
    Mistake(
        "function of a command",
        "%udf errors shuot",
        "DeclarationError",
        "no function 'shuot' is registered (did you mean shout?)",
        "",
    ),
)
