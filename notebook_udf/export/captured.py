"""A file of tests from calls of a function: their arguments, and what it gives for them.

``kernel.known_calls`` finds the calls, ``function_source`` the function, ``literals`` writes the
values; ``green_run`` runs the file before it is kept.
"""

from __future__ import annotations

import datetime
import decimal
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from notebook_udf import __version__
from notebook_udf.errors import DeclarationError, NotebookUdfError, SessionError
from notebook_udf.export.cells import ExportedCell, Imported
from notebook_udf.export.function_source import FunctionSource, function_source
from notebook_udf.export.green_run import check_pytest, run_green
from notebook_udf.export.imports import import_lines
from notebook_udf.export.literals import Literals
from notebook_udf.export.masking import Mask
from notebook_udf.export.module import SpelledNames, body_text
from notebook_udf.functions.declare import udf
from notebook_udf.functions.options import ROW_TYPES
from notebook_udf.kernel import Session
from notebook_udf.kernel.kinds import FunctionKind, kind_of
from notebook_udf.kernel.kinds.call_form import HELPER
from notebook_udf.kernel.known_calls import BEFORE, KnownCall, known_calls
from notebook_udf.kernel.observed_failures import observed_function
from notebook_udf.python_calls import LINE, PythonCall
from notebook_udf.registry import RegisteredFunction
from notebook_udf.sanitize import one_line

ROWS = 5
_EQUAL = "same"
_SAME = '''\
def same(found, expected):
    """Whether two values are equal and of one type; NaN is equal to NaN."""
    fields = [list(getattr(value, "__fields__", ())) for value in (found, expected)]
    if type(found) is not type(expected) or fields[0] != fields[1]:
        return False
    if isinstance(found, float) or found != found:
        return repr(found) == repr(expected)
    if isinstance(found, (list, tuple)):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(found, dict):
        return found.keys() == expected.keys() and all(
            same(value, expected[key]) for key, value in found.items()
        )
    if hasattr(found, "__dataclass_fields__"):
        names = found.__dataclass_fields__
        return all(same(getattr(found, name), getattr(expected, name)) for name in names)
    return found == expected
'''
_MESSAGE = 300
_NAMED = 24
_COMMENT = 240
# What names of tests have as it is printed, and not as it is written.
_PLAIN = (datetime.date, datetime.time, datetime.timedelta, decimal.Decimal)


@dataclass(frozen=True)
class Captured:
    """The result of a capture: the file, its function, the number of tests, and notes."""

    file: Path
    function: str
    tests: int
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        tests = f"{self.tests} test{'s' * (self.tests != 1)}"
        return "\n".join([f"{self.file}: {tests} of {self.function}, green", *self.notes])


@dataclass(frozen=True)
class _Written:
    """The source of a value, of the items of a list, and what a name of a test has of it."""

    text: str
    shown: str
    items: tuple[str, ...] = ()

    def at(self, indent: int) -> str:
        """The source on a line of that indentation; a list on several if it is long."""
        if not self.items or indent + len(self.text) < LINE:
            return self.text
        margin = " " * (indent + 4)
        lines = [margin.removesuffix(" ")]
        for item in self.items:
            if len(lines[-1]) + len(item) + 2 > LINE and lines[-1].strip():
                lines.append(margin.removesuffix(" "))
            lines[-1] += f" {item},"
        return "\n".join(["[", *lines, f"{margin[4:]}]"])


@dataclass(frozen=True)
class _Outcome:
    """What a call gives: its result, or what it raised."""

    value: _Written | None = None
    error: BaseException | None = None

    def words(self, other: str = "a ") -> str:
        """What it was; without the values, which may have to be masked."""
        if self.error is not None:
            return f"raised {type(self.error).__name__}"
        return f"gave {other or 'a '}result"


def capture(
    session: Session,
    cells: Sequence[ExportedCell],
    name: str,
    target: Path,
    *,
    rows: int | None = None,
    failed: bool = False,
    mask: bool = False,
    force: bool = False,
) -> Captured:
    """Writes a pytest file that repeats calls of a function, run green before it is kept.

    It holds the calls that failed, with the exception, and those of the first rows of slow bundles,
    with the result. What a test expects is what the newest version gives here, in the kernel; where
    that is not what was seen, a comment in the test says so.

    Parameters
    ----------
    cells
        The cells that were run, for a function that no module holds.
    name
        Of a registered scalar, async, table or aggregate function that takes rows; or of one of
        PySpark's own API, called row by row, that has failed.
    target
        The file, named as pytest finds it.
    rows
        How many calls of each of the two to take at most, newest first; 5 by default.
    failed
        Whether only those that failed are taken.
    mask
        Whether texts and bytes are replaced by others of equal length and the same kinds of
        characters. Numbers, dates, truth values and keys of maps stay.
    force
        Whether a file that is there may be overwritten.

    Raises
    ------
    DeclarationError
        If there is no such function, or no test can be made of it.
    SessionError
        If the session knows no call of it, or there is no pytest.
    NotebookUdfError
        If the file exists already or cannot be written, or if its tests are not green.
    """
    record = _record(session, name)
    _check(target, rows, force=force)
    if record.definition.func_type not in ROW_TYPES:
        raise DeclarationError(
            f"no test can be captured of {record.name}: it takes batches of rows, and what it "
            f"gives for a row may depend on the others. Write a batch down instead, as in assert "
            f"{record.name}.eval(...)"
        )
    check_pytest()
    source = function_source(record, cells)
    file = _TestFile(kind_of(session, record), source, mask=mask)
    calls, notes = known_calls(session, record, rows=ROWS if rows is None else rows, failed=failed)
    for call in calls:
        try:
            file.add(call)
        except DeclarationError as error:
            notes.append(f"1 left out: {error}")
    if not file.tests:
        raise SessionError(
            "\n".join([f"no call of {record.name} can be repeated by a test", *notes])
        )
    text = file.text
    run_green(text, target, record.name)
    try:
        target.write_text(text, "utf-8")
    except OSError as error:
        raise NotebookUdfError(f"{target} cannot be written: {error.strerror}") from error
    return Captured(target, record.name, len(file.tests), tuple(notes))


def _record(session: Session, name: str) -> RegisteredFunction:
    if name in session.functions:
        return session.functions[name]
    function = observed_function(session.store, name)
    if function is None:
        raise DeclarationError(session.functions.unknown(name))
    if isinstance(function, type):
        raise DeclarationError(
            f"no test can be captured of the table function {name} as it is: register it with "
            f"session.register_function({name!r}, {name}), and run the query again"
        )
    # It is called as it is: what Spark makes of its result is not part of the test.
    return session.adopted(udf(function, result_type="string", name=name))


def _check(target: Path, rows: int | None, *, force: bool) -> None:
    named = target.name.startswith("test_") or target.stem.endswith("_test")
    if target.suffix != ".py" or not named or not target.stem.isidentifier():
        raise NotebookUdfError(
            f"pytest would not find {target}: name it like a module of tests, as -o test_NAME.py"
        )
    if rows is not None and rows < 1:
        raise DeclarationError(f"--rows {rows} is no number of calls: give 1 or more")
    if target.exists() and not force:
        raise NotebookUdfError(f"{target} is there already; --force overwrites it")
    if not target.parent.is_dir():
        raise NotebookUdfError(f"{target.parent} is no folder: make it first")


class _TestFile:
    """The tests of one function, and the text of the file that they make."""

    def __init__(self, kind: FunctionKind, source: FunctionSource, *, mask: bool) -> None:
        self._kind = kind
        self._needed = source.needed
        self._mask = Mask() if mask else None
        self._names = SpelledNames(source.needed, (_EQUAL, HELPER))
        self._literals = Literals(self._spell, self._binds)
        for name in (_EQUAL, HELPER):
            if self._binds(name):
                raise DeclarationError(
                    f"a captured test has its own {name!r}, and {kind.record.name} needs another: "
                    f"rename that one"
                )
        self._form = kind.call_form(source.target, self._spell)
        self.tests: dict[str, str] = {}

    def _spell(self, module: str, name: str | None) -> str:
        return self._names.of(Imported(module, name, name or module))

    def _binds(self, name: str) -> bool:
        imported = (each.bound for each in self._needed.imports)
        return name in {*imported, *(n for s in self._needed.statements for n in s.binds)}

    def add(self, call: KnownCall) -> None:
        """Adds the test of a call.

        Raises
        ------
        DeclarationError
            If its arguments or its result cannot be written, or it does not do again what it did.
        """
        comments = [call.where]
        record, arguments = self._kind.record, call.arguments
        # Written down first: the function may change what it is given.
        given = list(map(self._written, arguments))
        masked = None if self._mask is None else tuple(map(self._mask.of, arguments))
        if masked is not None:
            given = list(map(self._written, masked))
        seen = self._outcome(arguments)
        raised = type(seen.error).__name__ if seen.error is not None else ""
        if call.raised and raised != call.raised:
            if call.version == record.version:
                raise DeclarationError(
                    f"it raised {call.raised} as it ran, and {seen.words()} here: it depends on "
                    f"more than its arguments"
                )
            was = f"Version {call.version} of the function"
            now = f"version {record.version} gives"
            if call.version == BEFORE:
                was, now = "Before it was changed the function", "it gives now"
            comments.append(f"{was} raised {call.raised}; this is what {now}.")
        outcome = seen if masked is None else self._outcome(masked)
        if (outcome.value, type(outcome.error)) != (seen.value, type(seen.error)):
            other = "another " * (outcome.error is None and seen.error is None)
            comments.append(f"Its texts are masked: with its own the call {seen.words(other)}.")
        name = self._name(outcome, given)
        lines = [f"def {name}():"]
        lines += [f"    # {one_line(comment, _COMMENT)}" for comment in comments]
        self.tests[name] = "\n".join([*lines, *self._body(outcome, given)])

    def _outcome(self, arguments: tuple[Any, ...]) -> _Outcome:
        try:
            value = self._kind.answer(arguments)
        except (Exception, SystemExit) as error:
            return _Outcome(error=error)
        return _Outcome(self._written(value))

    def _written(self, value: Any) -> _Written:
        text = self._literals.text(value)
        items = tuple(map(self._literals.text, value)) if type(value) is list else ()
        return _Written(text, str(value) if isinstance(value, _PLAIN) else text, items)

    def _body(self, outcome: _Outcome, given: list[_Written]) -> list[str]:
        name, behind = self._form.before.removesuffix("("), self._form.after.removeprefix(")")

        def call(indent: int) -> PythonCall:
            return PythonCall(name, tuple(each.at(indent + 4) for each in given), behind)

        if outcome.value is not None:
            result = call(4).text(4, len("result = "))
            checked = PythonCall(f"assert {_EQUAL}", ("result", outcome.value.at(8))).text(4)
            return [f"    result = {result}", f"    {checked}"]
        expected = [self._literals.class_name(type(outcome.error))]
        message = str(outcome.error)[:_MESSAGE]
        if message:
            escaped = f"{self._spell('re', None)}.escape({self._literals.text(message)})"
            expected.append(f"match={escaped}")
        raises = PythonCall(f"{self._spell('pytest', None)}.raises", tuple(expected))
        return [f"    with {raises.text(4, len('with :'))}:", f"        {call(8).text(8)}"]

    def _name(self, outcome: _Outcome, given: list[_Written]) -> str:
        """A name that says what the test is of, that no other one has."""
        if outcome.value is not None:
            gives = f"gives_{_word(outcome.value.shown)}"
        else:
            gives = f"raises_{_snake(type(outcome.error).__name__)}"
        arguments = _word("_".join(each.shown for each in given))
        name = f"test_{_word(self._kind.record.name)}_{gives}_for_{arguments}"
        others = (f"{name}_{number}" for number in range(2, len(self.tests) + 3))
        return next(each for each in (name, *others) if each not in self.tests)

    @property
    def text(self) -> str:
        """The file."""
        needed, name = self._needed, self._kind.record.name
        futures = ", ".join(needed.futures)
        tests = "\n\n\n".join(self.tests.values())
        imports = import_lines([*needed.imports, *self._names.imports])
        said = f"Tests of {name}, captured from its calls by notebook-udf {__version__}."
        if self._mask is not None:
            said += "\n\nTexts in the arguments are masked.\n"
        head = [f'"""{said}"""', f"from __future__ import {futures}" if futures else "", imports]
        parts = ["\n\n".join(part for part in head if part)]
        body = body_text(needed, lambda statement: statement.text)
        if body and not needed.statements[0].defines:
            parts[0] += f"\n\n{body}"
        else:
            parts.append(body)
        parts.append(self._form.helper)
        if f"{_EQUAL}(" in tests:
            parts.append(_SAME.rstrip())
        return "\n\n\n".join(part for part in [*parts, tests] if part) + "\n"


def _word(text: str) -> str:
    """A text as a part of a name."""
    text = re.sub(r"(?<!\w)-(?=[\d.])", "minus_", text)
    word = re.sub(r"[^0-9A-Za-z]+", "_", text).strip("_")[:_NAMED].strip("_").lower()
    return word or "empty"


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
