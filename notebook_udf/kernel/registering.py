"""``@nu.register``: declares and registers a function as ``%%udf`` does."""

from __future__ import annotations

import functools
from typing import Any

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
        A function, a class, or what ``udf`` returned.
    name
        Another name to register it under.
    replace
        Allows the name of one of Spark's built-ins.
    **options
        As for ``udf``.

    Returns
    -------
    RegisteredFunction
        Or a decorator, if ``f`` is left out.
    """
    if f is None:
        return functools.partial(register, name=name, replace=replace, **options)
    definition = declare(f, **options)
    record: RegisteredFunction = session().register_function(
        name or definition.name, definition, replace=replace
    )
    return record
