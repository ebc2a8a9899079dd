"""``@nu.register``: declares and registers a function as ``%%udf`` does."""

from __future__ import annotations

import functools
from typing import Any

from notebook_udf.functions.spark_objects import spark_object
from notebook_udf.kernel.kinds import declare
from notebook_udf.kernel.open_session import session
from notebook_udf.registry import RegisteredFunction


def register(
    f: Any = None, name: str | None = None, *, replace: bool = False, **options: Any
) -> Any:
    """Declares and registers a function or class in the session, under its own name.

    Parameters
    ----------
    f
        A function, a class, what ``udf`` returned, or a function object of PySpark's own.
    name
        Another name to register it under.
    replace
        Allows the name of one of Spark's built-ins.
    **options
        As for ``udf``; for an object of PySpark's ``coerce`` as well, see
        ``Session.register_function``.

    Returns
    -------
    RegisteredFunction
        Or a decorator, if ``f`` is left out.

    Raises
    ------
    DeclarationError, CaptureError, NameTakenError
        As ``Session.register_function``.

    Examples
    --------
    >>> @nu.register
    ... def shout(text: str) -> str:
    ...     return text.upper()
    >>> session.sql("SELECT shout('hello') AS loud").first()
    Row(loud='HELLO')
    """
    if f is None:
        return functools.partial(register, name=name, replace=replace, **options)
    found = spark_object(f)
    if found is not None:
        return session().register_function(name or found.name, f, replace=replace, **options)
    definition = declare(f, **options)
    record: RegisteredFunction = session().register_function(
        name or definition.name, definition, replace=replace
    )
    return record
