"""The catalog of a classic session, in its JVM."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from notebook_udf.host.catalog import DEFAULT_DATABASE, VIEW, KeptTable, TableLocation
from notebook_udf.host.classic.scala import items, texts
from notebook_udf.sanitize import sql_string

# Properties that only Spark itself may set.
_RESERVED = ("owner", "collation")


class ClassicCatalog:
    """See ``SparkCatalog``."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def built_in_aggregates(self) -> frozenset[str]:
        """See ``SparkCatalog``."""
        return self._aggregates

    @cached_property
    def _aggregates(self) -> frozenset[str]:
        # Takes some calls of the JVM for each of Spark's functions.
        jvm: Any = self._spark._jvm
        registry = jvm.org.apache.spark.sql.catalyst.analysis.FunctionRegistry
        names = []
        expressions = registry.builtin().listFunction().iterator()
        while expressions.hasNext():
            identifier = expressions.next()
            info = registry.builtin().lookupFunction(identifier)
            if info.isDefined() and info.get().getGroup() == "agg_funcs":
                names.append(str(identifier.funcName()).lower())
        return frozenset(names)

    @cached_property
    def tables(self) -> ClassicTables:
        """See ``SparkCatalog``."""
        return ClassicTables(self._spark)


class ClassicTables:
    """See ``TableCatalog``."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    @property
    def _session_catalog(self) -> Any:
        """The ``SessionCatalog`` of Spark's session, a JVM object."""
        return self._spark._jsparkSession.sessionState().catalog()

    def entries(self) -> Iterator[KeptTable]:
        """See ``TableCatalog``."""
        catalog = self._session_catalog.externalCatalog()
        for database in texts(catalog.listDatabases()):
            if database != DEFAULT_DATABASE:
                yield KeptTable(database, state=self._clauses(catalog.getDatabase(database)))
            for name in texts(catalog.listTables(database)):
                table = catalog.getTable(database, name)
                kind = str(table.tableType().name())
                within = texts(table.viewCatalogAndNamespace())[1:] if kind == VIEW else []
                yield KeptTable(database, name, str(table.toString()), kind, "".join(within))

    def _clauses(self, database: Any) -> str:
        """The clauses of a database's CREATE statement, after its name."""
        found = [f"COMMENT {sql_string(str(database.description()))}"]
        location = str(self._path_of(database.locationUri()).toString())
        found.append(f"LOCATION {sql_string(location)}")
        pairs = [
            p.productElement(at) for p in items(database.properties().toSeq()) for at in (0, 1)
        ]
        said = ", ".join(
            f"{sql_string(str(key))} = {sql_string(str(value))}"
            for key, value in zip(pairs[::2], pairs[1::2], strict=True)
            if key not in _RESERVED
        )
        if said:
            found.append(f"WITH DBPROPERTIES ({said})")
        return " ".join(found)

    def _path_of(self, uri: Any) -> Any:
        """The Hadoop path of a location, whose text is not URI-encoded, as SQL takes it."""
        jvm: Any = self._spark._jvm
        return jvm.org.apache.hadoop.fs.Path(uri)

    def location(self, table: KeptTable) -> TableLocation:
        """See ``TableCatalog``."""
        jvm: Any = self._spark._jvm
        identifier = jvm.org.apache.spark.sql.catalyst.TableIdentifier(
            table.name, jvm.scala.Option.apply(table.database)
        )
        path = self._path_of(self._session_catalog.defaultTablePath(identifier))
        return TableLocation(Path(str(path.toUri().getPath())), str(path.toString()))

    def tracks_partitions(self, table: KeptTable) -> bool:
        """See ``TableCatalog``."""
        found = self._session_catalog.externalCatalog().getTable(table.database, table.name)
        return bool(found.tracksPartitionsInCatalog()) and not (
            found.partitionColumnNames().isEmpty()
        )

    def manage(self, table: KeptTable) -> None:
        """See ``TableCatalog``."""
        jvm: Any = self._spark._jvm
        catalog = self._session_catalog.externalCatalog()
        found = catalog.getTable(table.database, table.name)
        kinds = jvm.org.apache.spark.sql.catalyst.catalog.CatalogTableType
        fields = [found.productElement(place) for place in range(found.productArity())]
        names = [str(found.productElementName(place)) for place in range(len(fields))]
        fields[names.index("tableType")] = kinds.MANAGED()
        catalog.alterTable(found.copy(*fields))
