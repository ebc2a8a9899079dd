"""Spark's parser and planner on a Connect server, asked with EXPLAIN, which runs nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pyspark.errors import ParseException

from notebook_udf.host.connect.connect_frames import CommandViews
from notebook_udf.host.sql_confs import with_confs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The words that a query begins with; a command may begin with WITH and FROM as well.
_QUERY = re.compile(
    r"(?is)\A(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/|\()*(?:select|from|values|table|with|map|reduce)\b"
)
_COMMAND = re.compile(
    r"(?m)^[\s:|+-]*'?(?:\w*(?:Command|Statement)|Insert\w*|Merge\w*|Update\w*|Delete\w*|Append\w*"
    r"|Overwrite\w*)\b"
)
_PARSED = re.compile(r"(?s)\A== Parsed Logical Plan ==\n(.*?)\n\n== Analyzed Logical Plan ==")
_CUT = re.compile(r"\.\.\. \d+ more fields")
_ALL_FIELDS = {"spark.sql.debug.maxToStringFields": str(2**31 - 1)}
# A script of several statements, which EXPLAIN does not take.
_SCRIPT = re.compile(r"(?i)\bbegin\b")


class ConnectPlans:
    """See ``SparkPlans``."""

    def __init__(self, spark: Any) -> None:
        self._spark = spark

    def is_query(self, text: str) -> bool:
        """See ``SparkPlans``."""
        try:
            parsed = self._explained(text)
        except ParseException:
            # No command either: those that EXPLAIN does not take are scripts.
            return _SCRIPT.search(text) is None
        return _QUERY.match(text) is not None and _COMMAND.search(parsed) is None

    def parsed(self, query: str) -> str:
        """See ``SparkPlans``."""
        try:
            return self._explained(query)
        except ParseException:
            if _SCRIPT.search(query) is None:
                # It does not parse alone either, and then Spark's error is about this text.
                CommandViews(self._spark).query(query)
            raise

    def _explained(self, query: str) -> str:
        """The parser's plan; the planner's errors are in the rest of the answer."""
        explain = f"EXPLAIN EXTENDED {query}"
        answer = self._answer(explain)
        if _CUT.search(answer):
            with with_confs(self._spark.conf, _ALL_FIELDS):
                answer = self._answer(explain)
        found = _PARSED.match(answer)
        return found[1] if found is not None else answer

    def _answer(self, explain: str) -> str:
        return str(CommandViews(self._spark).query(explain).collect()[0][0])

    def optimize(self, frame: DataFrame) -> bool:
        """See ``SparkPlans``."""
        # The extended text has the optimizer's error in it; of this one it is raised.
        frame._explain_string(mode="simple")
        return True

    def runs_python(self, frame: DataFrame) -> bool:
        """See ``SparkPlans``."""
        return "EvalPython" in frame._explain_string(mode="simple")
