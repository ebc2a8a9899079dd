"""Finds the kinds and types of a module's functions, by running the module once.

It is run as ``import`` would run it, in this process, and removed again.
"""

from __future__ import annotations

import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from notebook_udf.errors import DeclarationError, NotebookUdfError
from notebook_udf.export.cells import ExportedStatement
from notebook_udf.export.chosen import Chosen
from notebook_udf.functions.base import UserDefinedFunction
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.options import FunctionOptions
from notebook_udf.functions.spark_objects import is_spark_object
from notebook_udf.kernel.kinds import KINDS, declare
from notebook_udf.kernel.kinds.export_form import ExportForm
from notebook_udf.types import contains_year_month

_MODULE = "_notebook_udf_exported"
# An import that takes longer is no module's; packages such as pandas take a few seconds.
_MOST_SECONDS = 60


@dataclass(frozen=True)
class Declared:
    """A function to export, and its definition; ``adopted`` says that it is an object of PySpark's,
    which is registered as it is."""

    chosen: Chosen
    definition: FunctionDefinition
    adopted: bool = False

    @property
    def form(self) -> ExportForm:
        """The form in which functions of its kind are exported."""
        return KINDS[self.definition.kind].export

    @property
    def plain(self) -> bool:
        """Whether Spark alone can run it: it has functions of the kind, but not our options."""
        definition = self.definition
        types = (*(definition.input_types or ()), definition.result_type)
        return (
            self.form.plain is not None
            and not self.chosen.declared
            and not self.adopted
            and not isinstance(definition.function, UserDefinedFunction)
            and definition.options == FunctionOptions()
            and "replace" not in self.chosen.options
            and not any(t is not None and contains_year_month(t) for t in types)
        )


def declared(
    text: str,
    chosen: Sequence[Chosen],
    statements: Sequence[ExportedStatement],
    folder: Path | None,
) -> list[Declared]:
    """Runs a module's text and declares the functions in it.

    ``folder`` is the notebook's folder, with the modules beside it.

    Raises
    ------
    DeclarationError
        If the text does not run by itself, or a function's declaration is wrong.
    """
    with _running(text, statements, folder) as namespace:
        found = []
        for each in chosen:
            options = {
                key: eval(value, namespace)
                for key, value in each.options.items()
                if key != "replace"
            }
            try:
                function = namespace[each.variable]
                definition = declare(function, **options)
            except NotebookUdfError as error:
                raise DeclarationError(f"{each.statement.where}: {error}") from None
            found.append(Declared(each, definition, is_spark_object(function)))
        return found


@contextmanager
def _running(
    text: str, statements: Sequence[ExportedStatement], folder: Path | None
) -> Iterator[dict[str, Any]]:
    module = ModuleType(_MODULE)
    # Dataclasses and text annotations look up their module.
    sys.modules[_MODULE] = module
    before = list(sys.path)
    if folder is not None:
        sys.path.insert(0, str(folder))
    try:
        try:
            with _limit():
                exec(compile(text, "<exported>", "exec", dont_inherit=True), module.__dict__)
        except (Exception, SystemExit, _TooLong) as error:
            raise DeclarationError(_blame(error, text, statements)) from error
        yield module.__dict__
    finally:
        sys.path[:] = before
        del sys.modules[_MODULE]


class _TooLong(BaseException):
    """Not an Exception, so that code that runs without end does not swallow it."""


@contextmanager
def _limit() -> Iterator[None]:
    """Ends a block that takes too long, in the main thread; others cannot be interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise _TooLong(f"it takes more than {_MOST_SECONDS} s; open() of a class runs in workers")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(_MOST_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _blame(error: BaseException, text: str, statements: Sequence[ExportedStatement]) -> str:
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__)
             if f.filename == "<exported>" and f.name == "<module>"]  # fmt: skip
    line = text.split("\n")[lines[-1] - 1].strip() if lines and lines[-1] else ""
    where = next((s.where for s in statements if line and line in s.text), "its imports")
    hint = "; install it, and export again" if isinstance(error, ModuleNotFoundError) else ""
    what = str(error) if isinstance(error, _TooLong) else f"{type(error).__name__}: {error}"
    return f"the module does not run by itself: {where}: {what}{f': {line}' if line else ''}{hint}"
