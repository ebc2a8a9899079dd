"""SQL confs by which the kernel tells the workers of a stream how it goes."""

from __future__ import annotations

# SQL conf that tells the workers the output mode of the query, which a plan does not know.
OUTPUT_MODE_CONF = "spark.notebookUdf.outputMode"


# The same, that the micro-batch is the last one; its value is the query's run.
DRAINING_CONF = "spark.notebookUdf.draining"


# The same, for what run instances are kept; if it is not set, for the query's own.
SCOPE_CONF = "spark.notebookUdf.scope"
