"""Options of async functions from the conf, read when a query is planned.

``udf.exec.async-scalar.<scope>.<option>``: the narrowest scope wins, and all override the
declaration. Scopes are those of ``conf_scopes``; catalog and database are the current ones. Plain
``spark.sql`` uses what was last read for the function.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import SparkSession

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.async_options import (
    CONF_PREFIX,
    AsyncOptions,
    conf_option,
    conf_scopes,
)
from notebook_udf.host.host import Host
from notebook_udf.registry import RegisteredFunction
from notebook_udf.suggestion import nearest


def configured(host: Host, record: RegisteredFunction) -> RegisteredFunction:
    """The record with the conf's present options; itself if it is not async or has no conf.

    Raises
    ------
    DeclarationError
        For a conf with an unknown option, an impossible scope or a value that the option does not
        take, or one that sets an option again that its scope sets by another name.
    """
    options = record.definition.options
    if not isinstance(options, AsyncOptions):
        return record
    settings = _settings(host)
    if not settings:
        return record
    catalog = host.spark.catalog
    scopes = conf_scopes(catalog.currentCatalog(), catalog.currentDatabase(), record.name)
    for scope in scopes:
        for option, key in settings.get(scope.lower(), {}).items():
            options = options.overridden({option: host.spark.conf.get(key)}, what=f"conf {key}")
    if options == record.definition.options:
        return record
    return replace(record, definition=replace(record.definition, options=options))


def _settings(host: Host) -> dict[str, dict[str, str]]:
    """The keys of the confs that are set, by scope in lower case and by option."""
    found: dict[str, dict[str, str]] = {}
    for key in host.settings.sql.beginning(CONF_PREFIX):
        option, scope = conf_option(key), key[len(CONF_PREFIX) :].rpartition(".")[0]
        _check_scope(host.spark, key, scope)
        options = found.setdefault(scope.lower(), {})
        if option in options:
            raise DeclarationError(
                f"confs {options[option]} and {key} set the same option; unset one of them"
            )
        options[option] = key
    return found


def _check_scope(spark: SparkSession, key: str, scope: str) -> None:
    """Refuses a scope that no function can be in, which would be ignored silently."""
    first, *rest = scope.lower().split(".")
    if not first or (first == "system" and len(rest) < 2):
        return
    if first == "system":
        instead = f"system.{rest[-1]}"
        raise DeclarationError(f"conf {key}: write {key.replace(scope, instead)} for a function")
    catalogs = [str(catalog.name) for catalog in spark.catalog.listCatalogs()]
    lazily = spark.conf.get(f"spark.sql.catalog.{first}", None) is not None
    if lazily or first in (name.lower() for name in catalogs):
        return
    option = key.rpartition(".")[2]
    meant = nearest(first, ["system", *catalogs])
    if meant is not None:
        hint = f"did you mean {CONF_PREFIX}{'.'.join([meant, *rest])}.{option}?"
    elif not rest:
        hint = f"for a function of that name write {CONF_PREFIX}system.{scope}.{option}"
    else:
        hint = f"there are {', '.join(catalogs)}, and system for functions of any"
    raise DeclarationError(f"conf {key}: there is no catalog {first!r}; {hint}")
