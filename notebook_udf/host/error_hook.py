"""The place where PySpark converts errors, with a translation around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from notebook_udf.host.spark_errors import RaisedError, Translation


def translating(
    module: Any, raised: Callable[..., RaisedError], translation: Translation
) -> Callable[[], None]:
    """Has a module's ``convert_exception`` return what a translation makes of each error.

    ``raised`` takes the function that stood there, and what it is called with. Returns what ends
    it.
    """
    original = module.convert_exception
    ended = False

    def convert(*args: Any, **kwargs: Any) -> Any:
        if ended:
            return original(*args, **kwargs)
        return translation(raised(original, *args, **kwargs))

    def end() -> None:
        nonlocal ended
        # Another one may be on top by now, and would put this one back when it ends.
        ended = True
        if module.convert_exception is convert:
            module.convert_exception = original

    module.convert_exception = convert
    return end
