"""The commands behind the magics: what ``%%udf``, ``%%sparksql`` and ``%udf`` do."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import DeclarationError, SessionError
from notebook_udf.functions.entry_point import choose
from notebook_udf.magics import measure_magics
from notebook_udf.magics.live_cells import LiveCells
from notebook_udf.magics.magic_options import (
    OF_A_FUNCTION,
    SPARKSQL_CELL,
    SUBCOMMANDS,
    UDF_CAPTURE,
    UDF_CELL,
    UDF_EXPORT,
    UDF_LINE,
    unquoted,
)
from notebook_udf.suggestion import did_you_mean
from notebook_udf.widgets.captures import captures
from notebook_udf.widgets.rows import RowsTable

if TYPE_CHECKING:
    from notebook_udf.kernel import Session

_ROWS = 20


class Commands:
    """The magics of one shell."""

    def __init__(self, shell: Any, live: LiveCells) -> None:
        self._shell = shell
        self._live = live
        # The output of a cell's example, for its test when the functions are exported.
        self._tried: dict[str, str] = {}

    def install(self) -> None:
        """Registers the magics with the shell."""
        manager = self._shell.magics_manager
        manager.register_function(self._magic(self.udf_cell, UDF_CELL.usage), "cell", "udf")
        manager.register_function(
            self._magic(self.sparksql_cell, SPARKSQL_CELL.usage), "cell", "sparksql"
        )
        manager.register_function(self._magic(self.udf_line, UDF_LINE.usage), "line", "udf")
        captures.write = self._captured

    def uninstall(self) -> None:
        """Removes the magics from the shell."""
        captures.write = None
        magics = self._shell.magics_manager.magics
        for kind, name in (("cell", "udf"), ("cell", "sparksql"), ("line", "udf")):
            magics[kind].pop(name, None)

    @staticmethod
    def _magic(method: Callable[..., Any], usage: str) -> Callable[..., Any]:
        def magic(*words: str) -> Any:
            __tracebackhide__ = True
            return method(*words)

        magic.__doc__ = usage
        # Otherwise IPython fills the braces of a query or a type before we see them.
        magic._ipython_magic_no_var_expand = True  # type: ignore[attr-defined]
        return magic

    def udf_cell(self, line: str, cell: str) -> None:
        """``%%udf``: runs the cell, registers the functions it defines and displays them."""
        __tracebackhide__ = True
        from notebook_udf.magics import defining

        arguments = UDF_CELL.parse(line)
        options = defining.function_options(arguments)
        found = defining.run(self._shell, line, cell)
        chosen = choose(found, arguments.name)
        from notebook_udf.kernel import session

        running = session()
        for choice in chosen:
            registered = defining.register(
                running, choice, options, replace=bool(arguments.replace)
            )
            defining.bind(self._shell.user_ns, choice, registered.record)
            self._show(registered)
            if arguments.query:
                trial = registered.record.try_(arguments.query)
                self._tried[cell.strip()] = repr(trial)
                self._show(trial)

    def sparksql_cell(self, line: str, cell: str) -> None:
        """``%%sparksql``: runs the statements and shows the first rows of the last one."""
        __tracebackhide__ = True
        arguments = SPARKSQL_CELL.parse(line)
        limit = _ROWS if arguments.limit is None else arguments.limit
        if limit < 0:
            raise DeclarationError(f"--limit {limit} is not a number of rows")
        name = arguments.name
        if name is not None and not name.isidentifier():
            raise DeclarationError(f"{name!r} cannot be the name of a variable")
        from notebook_udf.kernel import session
        from notebook_udf.magics.cell_statements import statements
        from notebook_udf.magics.query import run_statements

        prepared = statements(cell, self._shell.user_ns)
        running = session()
        with self._live.query(live=not arguments.no_live) as live:
            result = run_statements(running, prepared, limit)
            if result.uses_python:
                live.expect_functions()
            live.result = result.table
        if name is not None:
            self._shell.user_ns[name] = result.frame
        if arguments.plan:
            self._show(running.plan(result.frame))

    def udf_line(self, line: str) -> Any:
        """``%udf``: returns what a subcommand asks of the session, to be displayed."""
        __tracebackhide__ = True
        what, _, query = line.strip().partition(" ")
        if what == "plan":
            return self._plan(query.strip())
        if what == "state":
            return self._state(query.strip())
        if what == "bench":
            return measure_magics.bench(_running(), self._shell, query)
        if what == "profile":
            return measure_magics.profile(_running(), self._shell, query)
        if what == "export":
            return self._export(query)
        if what == "capture":
            return self._capture(query)
        if what == "adopt":
            return self._adopt(query)
        arguments = UDF_LINE.parse(line)
        what, name = arguments.what, arguments.name
        if what not in SUBCOMMANDS:
            said = f"%udf {what} is unknown" if what else "%udf alone shows nothing"
            said += did_you_mean(what or "", SUBCOMMANDS)
            raise DeclarationError(f"{said}; there are: {', '.join(SUBCOMMANDS)}")
        if (name is not None) != (what in OF_A_FUNCTION):
            wanted = "the name of a function" if name is None else "no further word"
            raise DeclarationError(f"%udf {what} takes {wanted}")
        chosen = {option.dest: getattr(arguments, option.dest) for option in UDF_LINE.options}
        if what != "logs" and any(value is not None for value in chosen.values()):
            flags = ", ".join(option.flag for option in UDF_LINE.options)
            raise DeclarationError(f"{flags} belong to %udf logs")
        running = _running()
        match what:
            case "functions":
                return running.functions
            case "pool":
                return running.pool
            case "metrics":
                return running.metrics()
            case "logs":
                return running.logs(**chosen)
            case "errors":
                return self._errors(running, name)
            case "drop":
                return _drop(running, name)
            case _:
                if not running.store.failures(name):
                    _known(running, name)
                return running.replay(name)

    def _plan(self, query: str) -> Any:
        """The plan of a query given as text, or of a variable's DataFrame."""
        __tracebackhide__ = True
        one, against, other = query.partition(" --against ")
        if against:
            return self._plan(one.strip()).compare(self._plan(other.strip()))
        if not query:
            raise DeclarationError(
                "%udf plan takes a query, or the variable of a DataFrame; with --against and "
                "another one, it shows both side by side"
            )
        query = unquoted(query)
        running = _running()
        if not query.isidentifier():
            return running.plan(query)
        if query not in self._shell.user_ns:
            raise DeclarationError(f"there is no variable {query!r}, and it is no query either")
        return running.plan(self._shell.user_ns[query])

    def _state(self, query: str) -> Any:
        """The state of a query by its variable, its name in Spark or the path of its checkpoint."""
        __tracebackhide__ = True
        running = _running()
        names = [each.name for each in running.spark.streams.active if each.name]
        query = unquoted(query)
        if not query:
            known = f"; queries that run: {', '.join(names)}" if names else ""
            raise DeclarationError(
                f"%udf state takes the variable of a streaming query, its name, or the path of its "
                f"checkpoint{known}"
            )
        if query in self._shell.user_ns:
            return running.state(self._shell.user_ns[query])
        for each in running.spark.streams.active:
            if query in (each.name, str(each.id)):
                return running.state(each)
        if query.isidentifier():
            raise DeclarationError(
                f"there is no variable {query!r} and no query of that name that runs; a checkpoint "
                f"in this folder is ./{query}"
            )
        return running.state(query)

    def _export(self, line: str) -> Any:
        """Exports the functions of the cells that were run as a module."""
        __tracebackhide__ = True
        from notebook_udf.magics.exporting import export_session

        arguments = UDF_EXPORT.parse(line)
        target = Path(arguments.output or "functions.py")
        sources = {name: each.source for name, each in _running().functions.items()}
        return export_session(
            self._shell, sources, self._tried, target, force=bool(arguments.force)
        )

    def _capture(self, line: str) -> Any:
        """Writes tests from calls of a function."""
        __tracebackhide__ = True
        given = UDF_CAPTURE.parse(line)
        if given.name is None:
            raise DeclarationError(
                f"%udf capture takes the name of a function\n\n{UDF_CAPTURE.usage}"
            )
        return self._tests_of(
            given.name,
            Path(given.output or f"test_{given.name.lower()}.py"),
            rows=given.rows,
            failed=bool(given.failed),
            mask=bool(given.mask),
            force=bool(given.force),
        )

    def _captured(self, name: str, failed: bool) -> str:
        """Writes tests for a button of a panel, into a file that is not there yet."""
        stem = f"test_{name.lower()}"
        names = (f"{stem}{f'_{number}' if number > 1 else ''}.py" for number in count(1))
        target = next(path for path in map(Path, names) if not path.exists())
        return repr(self._tests_of(name, target, failed=failed))

    def _tests_of(self, name: str, target: Path, **options: Any) -> Any:
        from notebook_udf.export.captured import capture
        from notebook_udf.magics.exporting import cells_of

        cells = cells_of(self._shell, self._tried)
        return capture(_running(), cells, name, target, **options)

    def _adopt(self, line: str) -> Any:
        """Lists function objects of PySpark's, or registers them."""
        __tracebackhide__ = True
        from notebook_udf.magics.adopt_magic import adopt

        return adopt(_running(), self._shell.user_ns, line)

    def _errors(self, running: Session, name: str) -> Any:
        _known(running, name)
        return RowsTable.of(running.errors(name), _ROWS)

    def _show(self, thing: Any) -> None:
        from IPython.display import display

        display(thing)


def _running() -> Session:
    from notebook_udf.kernel import active_session

    running = active_session()
    if running is None:
        raise SessionError("there is no session yet: start one with nu.session()")
    return running


def _drop(running: Session, name: str) -> None:
    _known(running, name)
    record = running.functions[name]
    running.drop_function(name)
    print(f"dropped {record.signature}")


def _known(running: Session, name: str) -> None:
    if name not in running.functions:
        raise DeclarationError(running.functions.unknown(name))
