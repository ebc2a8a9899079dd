"""Options of async functions by conf, read when a query is planned.

``udf.exec.async-scalar.<catalog>.<db>.<function>.<option>`` comes before
``udf.exec.async-scalar.system.<function>.<option>``, which comes before the declaration. Catalog
and database are the current ones. Plain ``spark.sql`` gets what was last read for the function.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from notebook_udf.functions.async_options import CONF_PREFIX, AsyncOptions
from notebook_udf.planner import scalar
from notebook_udf.registry import RegisteredFunction

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from notebook_udf.kernel.core import Session

_KEY = re.compile(re.escape(CONF_PREFIX) + r"[^=,\s}]+(?==)")


def configured(spark: SparkSession, record: RegisteredFunction) -> RegisteredFunction:
    """The record with the options that hold now; itself if it is not async or has no conf.

    Raises
    ------
    DeclarationError
        For a conf that names no option, or has no value of one.
    """
    options = record.definition.options
    if not isinstance(options, AsyncOptions):
        return record
    keys = _keys(spark)
    if not keys:
        return record
    catalog = spark.catalog
    scopes = ("system", f"{catalog.currentCatalog()}.{catalog.currentDatabase()}")
    for scope in scopes:
        prefix = f"{CONF_PREFIX}{scope}.{record.name}.".lower()
        for key in keys:
            if key.lower().startswith(prefix):
                options = options.overridden(
                    {key[len(prefix) :]: spark.conf.get(key)}, what=f"conf {key}"
                )
    if options == record.definition.options:
        return record
    return replace(record, definition=replace(record.definition, options=options))


def in_force(session: Session, record: RegisteredFunction) -> RegisteredFunction:
    """The record with the options that hold now; Spark SQL calls it with those from now on."""
    found = configured(session.spark, record)
    key = record.name.lower(), record.version
    if session.options_in_force.get(key) != found.definition.options:
        scalar.register(session.spark, found)
        session.options_in_force[key] = found.definition.options
    return found


def _keys(spark: SparkSession) -> list[str]:
    """The confs of async functions that are set."""
    try:
        # One round trip: asking for each of some hundred confs takes as many.
        return sorted(set(_KEY.findall(spark.conf._jconf.getAllAsJava().toString())))
    except AttributeError:
        # Spark Connect hands them over as they are.
        return sorted(key for key in spark.conf.getAll if key.startswith(CONF_PREFIX))
