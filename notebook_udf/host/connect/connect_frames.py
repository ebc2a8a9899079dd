"""DataFrames of a Connect session, which Spark analyses again at each action.

So a view that a query needs has to travel inside it, and a DataFrame whose functions are to stay
what they are is pinned: a temporary view keeps its analysed plan on the server, under a name that
is dropped after the last DataFrame here that is made of it.
"""

from __future__ import annotations

import itertools
import uuid
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql.connect import functions as F
from pyspark.sql.connect.dataframe import DataFrame as ConnectFrame
from pyspark.sql.connect.plan import SQL, CachedRelation, SubqueryAlias
from pyspark.sql.connect.sql_formatter import SQLStringFormatter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Names of pins: of this process, since several may share a session on the server.
PIN = "_nu_pin_"
_PROCESS = uuid.uuid4().hex[:8]
_numbers = itertools.count(1)
# Where a plan has those that it was made of and does not say so: as long as it is there, they are.
MADE_OF = "_nu_made_of"


class ConnectFrames:
    """See ``SparkFrames``."""

    frame_class: type | None = ConnectFrame

    def __init__(self, spark: Any) -> None:
        self._spark = spark
        # Finalizers run wherever memory is collected, in the middle of a call of Spark as well:
        # they only note the name.
        self._released: deque[str] = deque()

    def named(self) -> CommandViews:
        """See ``SparkFrames``."""
        return CommandViews(self._spark)

    def steady(self, frame: DataFrame) -> DataFrame:
        """See ``SparkFrames``."""
        self.release()
        if not frame.columns:
            # A command, which has run.
            return frame
        name = f"{PIN}{_PROCESS}_{next(_numbers)}"
        frame.createOrReplaceTempView(name)
        made = self._spark.table(name)
        setattr(made._plan, MADE_OF, [frame._plan])
        # The plan and not the DataFrame: what is derived from it holds plans.
        weakref.finalize(made._plan, self._released.append, name).atexit = False
        pinned: DataFrame = made
        return pinned

    def hold(self, frame: DataFrame, others: Sequence[DataFrame]) -> None:
        """See ``SparkFrames``."""
        held: Any = frame
        setattr(held._plan, MADE_OF, [*getattr(held._plan, MADE_OF, ()), *map(_plan, others)])

    def release(self) -> None:
        """Drops the pins that nothing here needs any more."""
        while self._released:
            try:
                self._spark.catalog.dropTempView(self._released.popleft())
            except PySparkException:
                # The server has forgotten the session, and its views.
                return


def _plan(frame: Any) -> Any:
    return frame._plan


class CommandViews:
    """See ``NamedFrames``: the views are part of each query's command."""

    def __init__(self, spark: Any) -> None:
        self._spark = spark
        self._formatter = SQLStringFormatter(spark)
        self._frames: dict[str, DataFrame] = {}

    def format(self, query: str, values: Mapping[str, Any]) -> str:
        """See ``NamedFrames``."""
        if not values:
            return query
        text = str(self._formatter.format(query, **values))
        self._frames |= {name: frame for frame, name in self._formatter._temp_views}
        return text

    def name(self, frame: DataFrame, name: str) -> None:
        """See ``NamedFrames``."""
        self._frames[name] = frame

    def query(self, text: str, parameters: Any = None) -> DataFrame:
        """See ``NamedFrames``."""
        positional = [F.lit(value) for value in parameters] if isinstance(parameters, list) else []
        by_name = (
            {name: F.lit(value) for name, value in parameters.items()}
            if isinstance(parameters, dict)
            else {}
        )
        views = [
            SubqueryAlias(frame._plan, name) for name, frame in self._frames.items() if name in text
        ]
        command = SQL(text, positional, by_name, views)
        client = self._spark.client
        _, properties, ran = client.execute_command(command.command(client))
        if "sql_command_result" not in properties:
            made: DataFrame = ConnectFrame(command, self._spark)
            return made
        made = ConnectFrame(CachedRelation(properties["sql_command_result"]), self._spark)
        # What came back is only a message; a pin among the views must not be dropped before it.
        setattr(made._plan, MADE_OF, [command])
        made._execution_info = ran
        return made

    def clear(self) -> None:
        """See ``NamedFrames``."""
        self._frames = {}
