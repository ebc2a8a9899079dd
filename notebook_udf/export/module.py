"""The text of an exported module: imports, statements, functions, ``register``.

The user's code stays as it was written, comments included.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from notebook_udf import __version__
from notebook_udf.errors import DeclarationError
from notebook_udf.export.cells import ExportedStatement, Imported, first_line
from notebook_udf.export.closure import Needed
from notebook_udf.export.declared import Declared
from notebook_udf.export.imports import import_lines
from notebook_udf.functions.entry_point import listed
from notebook_udf.functions.options import FunctionOptions
from notebook_udf.kernel.kinds import KINDS
from notebook_udf.python_calls import LINE, PythonCall, quoted

_OWN = ("register", "session", "session_or_spark", "spark")
# The imports of ``register``, with their names if the notebook has no other name for them.
_SYS = Imported("sys", None, "sys")
_CLOUDPICKLE = Imported("pyspark", "cloudpickle", "cloudpickle")
_FUNCTIONS = Imported("pyspark.sql", "functions", "F")
_PACKAGE = Imported("notebook_udf", "", "nu")


@dataclass(frozen=True)
class Module:
    """An exported module; ``plain`` if Spark alone can run all of its functions."""

    notebook: str
    needed: Needed
    functions: tuple[Declared, ...]
    local: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether it does not need this package."""
        ours = any(each.module.partition(".")[0] == "notebook_udf" for each in self.needed.imports)
        return not ours and all(function.plain for function in self.functions)

    @property
    def text(self) -> str:
        """The module as Python.

        Raises
        ------
        DeclarationError
            If the notebook uses a name that the module needs for itself.
        """
        body = self._body()
        spelled = SpelledNames(self.needed)
        registering = self._register(spelled)
        imports = import_lines([*self.needed.imports, *spelled.imports], self.local)
        futures = ", ".join(self.needed.futures)
        head = [self._docstring(), f"from __future__ import {futures}" if futures else "", imports]
        parts = ["\n\n".join(part for part in head if part)]
        if body:
            first = self.needed.statements[0]
            parts.append(("\n\n\n" if first.defines else "\n\n") + body)
        forms = [form for f in self.functions if (form := f.form.plain) is not None]
        helpers = {form.helper[1] for form in forms} if self.plain else set()
        parts += [f"\n\n\n{text}" for text in sorted(helpers - {""})]
        return "".join([*parts, "\n\n\n", registering, "\n"])

    def _body(self) -> str:
        plain = (kind.export.plain for kind in KINDS.values())
        own = {*_OWN, *(form.helper[0] for form in plain if form is not None)}
        for statement in self.needed.statements:
            for name in statement.binds & own:
                raise DeclarationError(
                    f"{statement.where}: the module has its own {name!r}; give this one another "
                    f"name"
                )
        return body_text(self.needed, self._text)

    def _text(self, statement: ExportedStatement) -> str:
        text = statement.text
        own = [f for f in self.functions if f.chosen.statement.place == statement.place]
        decorator = next(filter(None, map(self._decorator, own)), "")
        if not decorator:
            return text
        (node,) = ast.parse(text).body
        lines = text.split("\n")
        lines.insert(first_line(node) - 1, decorator)
        return "\n".join(lines)

    def _decorator(self, function: Declared) -> str:
        """The decorator with a function's options; "" if ``register`` has them."""
        chosen, form = function.chosen, function.form
        declared = chosen.declared or function.adopted
        if self.plain or declared or not chosen.statement.defines:
            return ""
        options = {k: v for k, v in chosen.options.items() if k not in ("kind", "replace")}
        if not options or not form.decorator:
            return ""
        options |= {new: options.pop(old) for old, new in form.renamed.items() if old in options}
        arguments = [f"{key}={value}" for key, value in options.items()]
        name = f"{SpelledNames(self.needed).of(_PACKAGE)}.{form.decorator}"
        return "@" + PythonCall(name, tuple(arguments)).text(0, 1)

    def _docstring(self) -> str:
        listed = "\n".join(
            f"    {line}"
            for function in self.functions
            for line in textwrap.wrap(_signature(function), LINE - 4, subsequent_indent="    ")
        )
        if self.plain:
            needs = (
                "They run under any Spark 4.3, without notebook-udf. There Spark's own rules hold "
                "for types: a column comes as it is, and is not widened to the parameter's type."
            )
        else:
            needs = (
                "They need the package notebook-udf, but no notebook and none of its magics: "
                f"{_reason(self.functions)}. Given a SparkSession, ``register`` starts "
                "notebook-udf on it."
            )
        return (
            f'"""Functions for Spark, exported from {self.notebook} by notebook-udf {__version__}.'
            f"\n\n``register(spark)`` makes them known under their names in SQL:\n\n{listed}\n\n"
            f'{textwrap.fill(needs, LINE)}\n"""'
        )

    def _register(self, spelled: SpelledNames) -> str:
        """The text of the function ``register``."""
        names = listed(function.chosen.name for function in self.functions)
        title = f"Registers {names}."
        if len(title) > LINE - 8:
            title = "Registers the functions of this module under their names in SQL."
        cloudpickle, own_sys = spelled.of(_CLOUDPICKLE), spelled.of(_SYS)
        lines = [
            "def register(session_or_spark):",
            f'    """{title}',
            "",
            "    Parameters",
            "    ----------",
            "    session_or_spark",
            "        A SparkSession, or a session of notebook-udf.",
            "",
            "    Returns",
            "    -------",
            "    dict",
            "        What was registered, by its name in SQL, to be called on columns.",
            '    """',
            "    # Workers are sent the code itself: no file has to be shipped to them.",
            f"    {cloudpickle}.register_pickle_by_value({own_sys}.modules[__name__])",
        ]
        if self.plain:
            lines += [
                '    if hasattr(session_or_spark, "register_function"):',
                "        session = session_or_spark",
                *self._dictionary(8, self._in_session),
                "    spark = session_or_spark",
                *self._dictionary(4, lambda function: _in_spark(function, spelled)),
            ]
        else:
            lines += [
                "    session = session_or_spark",
                '    if not hasattr(session, "register_function"):',
                f"        session = {spelled.of(_PACKAGE)}.session(session)",
                *self._dictionary(4, self._in_session),
            ]
        return "\n".join(lines)

    def _dictionary(self, indent: int, call: Callable[[Declared], PythonCall]) -> list[str]:
        margin = " " * indent
        lines = [f"{margin}return {{"]
        for function in self.functions:
            key = f"{quoted(function.chosen.name)}: "
            lines.append(f"{margin}    {key}{call(function).text(indent + 4, len(key))},")
        return [*lines, f"{margin}}}"]

    def _in_session(self, function: Declared) -> PythonCall:
        chosen = function.chosen
        options = chosen.options
        if self._decorator(function):
            options = {k: v for k, v in options.items() if k == "replace"}
        given = (f"{key}={value}" for key, value in options.items())
        arguments = (quoted(chosen.name), chosen.variable, *given)
        return PythonCall("session.register_function", arguments)


class SpelledNames:
    """Names for the module's own imports that do not clash with the notebook's.

    ``reserved`` are further names that none of them may have.
    """

    def __init__(self, needed: Needed, reserved: Iterable[str] = ()) -> None:
        self._existing = {(each.module, each.name): each.bound for each in needed.imports}
        self._taken = {name for statement in needed.statements for name in statement.binds}
        self._taken |= {each.bound for each in needed.imports} | set(reserved)
        self._used: dict[str, Imported] = {}

    @property
    def imports(self) -> Iterable[Imported]:
        """The imports that were asked for and that the notebook does not have."""
        return self._used.values()

    def of(self, wanted: Imported) -> str:
        """The name of one of the module's own imports."""
        existing = self._existing.get((wanted.module, wanted.name))
        if existing is not None:
            return existing
        mine = next((each for each in self._used.values() if _same(each, wanted)), None)
        if mine is not None:
            return mine.bound
        name, bound = wanted.name, wanted.bound
        while bound in self._taken:
            bound += "_"
        if name is None and bound != wanted.module:
            name = ""
        self._taken.add(bound)
        self._used[bound] = Imported(wanted.module, name, bound)
        return bound

    def knows(self, name: str) -> bool:
        """Whether the notebook, or an import, binds a name."""
        return name in self._taken


def _same(one: Imported, other: Imported) -> bool:
    """Whether two imports are of one thing, a module under a name of its own included."""
    return (one.module, one.name or None) == (other.module, other.name or None)


def _in_spark(function: Declared, spelled: SpelledNames) -> PythonCall:
    """The registration of a function with Spark itself."""
    chosen, form = function.chosen, function.form.plain
    assert form is not None
    return form.register(
        spelled.of(_FUNCTIONS), function.definition, quoted(chosen.name), chosen.variable
    )


def body_text(needed: Needed, text_of: Callable[[ExportedStatement], str]) -> str:
    """The statements of a module, with as many blank lines between them as formatters leave."""
    texts: list[str] = []
    before: ExportedStatement | None = None
    for statement in needed.statements:
        if before is not None:
            texts.append(_between(before, statement))
        texts.append(text_of(statement))
        before = statement
    return "".join(texts)


def _between(before: ExportedStatement, statement: ExportedStatement) -> str:
    if before.defines or statement.defines:
        return "\n\n\n"
    end = before.node.end_lineno or before.line
    together = before.cell == statement.cell and statement.line - end <= 1
    return "\n" if together else "\n\n"


def _signature(function: Declared) -> str:
    definition = function.definition
    return definition.signature.replace(definition.name, function.chosen.name, 1)


def _reason(functions: Sequence[Declared]) -> str:
    """Why Spark alone cannot run the functions."""
    reasons = []
    for function in functions:
        name, definition = function.chosen.name, function.definition
        if function.plain:
            continue
        if function.adopted:
            reasons.append(f"{name} is adopted from PySpark by it")
        elif function.form.plain is None:
            reasons.append(f"{name} is {definition.traits.articled} function")
        elif definition.options != FunctionOptions():
            reasons.append(f"{name} has options that Spark does not know")
        else:
            reasons.append(f"{name} is declared with it")
    return ", ".join(reasons) or "their code imports it"


def first_text(needed: Needed) -> str:
    """The text of the module before its functions are declared: without ``register``."""
    imports = import_lines(needed.imports)
    future = f"from __future__ import {', '.join(needed.futures)}" if needed.futures else ""
    texts = [statement.text for statement in needed.statements]
    return "\n\n".join(text for text in (future, imports, *texts) if text) + "\n"
