"""Spark's parser and planner in the JVM of a classic session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from notebook_udf.host.call_failures import CALL_FAILURES
from notebook_udf.host.classic.scala import items

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ALL_FIELDS = 2**31 - 1


class ClassicPlans:
    """See ``SparkPlans``."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def is_query(self, text: str) -> bool:
        """See ``SparkPlans``."""
        try:
            parsed = self._parse(text)
        except (PySparkException, *CALL_FAILURES):
            return True
        logical = "org.apache.spark.sql.catalyst.plans.logical"
        jvm: Any = self._spark._jvm
        loader = parsed.getClass().getClassLoader()
        running = [
            jvm.java.lang.Class.forName(f"{logical}.{name}", False, loader)
            for name in ("Command", "ParsedStatement")
        ]
        pending = [parsed]
        while pending:
            node = pending.pop()
            if any(kind.isInstance(node) for kind in running):
                return False
            pending += items(node.children())
        return True

    def parsed(self, query: str) -> str:
        """See ``SparkPlans``."""
        return str(self._parse(query).treeString(True, False, _ALL_FIELDS, False, False))

    def _parse(self, text: str) -> Any:
        return self._spark._jsparkSession.sessionState().sqlParser().parsePlan(text)

    def optimize(self, frame: DataFrame) -> bool:
        """See ``SparkPlans``."""
        frame._jdf.queryExecution().optimizedPlan()
        return True

    def runs_python(self, frame: DataFrame) -> bool:
        """See ``SparkPlans``."""
        # In the plan's text, because a command's class does not tell what it ran.
        return "EvalPython" in str(frame._jdf.queryExecution().executedPlan().toString())
