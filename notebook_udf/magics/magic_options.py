"""The options of the magics as data, for parsing, help and completion."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.kind_traits import BUILT_IN
from notebook_udf.suggestion import did_you_mean

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def _kinds() -> tuple[str, ...]:
    # Only if it is loaded already: loading the extension must not load what only its cells need.
    loaded = sys.modules.get("notebook_udf.kernel.kinds")
    traits = BUILT_IN if loaded is None else [kind.traits for kind in loaded.KINDS.values()]
    return tuple(dict.fromkeys(each.option for each in traits))


@dataclass(frozen=True)
class Option:
    """One option of a magic.

    Attributes
    ----------
    flag
        The option with its dashes.
    dest
        The name of its value in the code.
    value
        The name of its value in the help; "" for an option without one.
    choices
        The allowed values, or a function that returns them; empty for any.
    suggestions
        Values offered for completion, where others are allowed, too.
    """

    flag: str
    dest: str
    help: str
    value: str = ""
    choices: tuple[str, ...] | Callable[[], tuple[str, ...]] = ()
    suggestions: tuple[str, ...] = ()
    number: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """The values that are allowed now; empty for any."""
        return self.choices() if callable(self.choices) else self.choices


@dataclass(frozen=True)
class Magic:
    """A magic with its options; ``names`` are its positional words, all of them optional."""

    name: str
    help: str
    options: tuple[Option, ...]
    names: tuple[str, ...] = ()

    @property
    def usage(self) -> str:
        """The help text, which ``?`` shows."""
        words = [self.name, *(f"[{name}]" for name in self.names)]
        words += [f"[{option.flag}{' ' * bool(option.value)}{option.value}]"
                  for option in self.options]  # fmt: skip
        lines = [self.help, "", " ".join(words), ""]
        for option in self.options:
            values = f" {' | '.join(option.values) or option.value}"
            lines.append(f"  {option.flag}{values.rstrip()}: {option.help}")
        return "\n".join(lines).rstrip() + "\n"

    def parse(self, line: str) -> argparse.Namespace:
        """Parses the words and options of a line; quotes around a value are removed.

        Raises
        ------
        DeclarationError
            If an option or a value is wrong or missing, or there is a word too many.
        """
        parser = _Parser(self)
        for name in self.names:
            parser.add_argument(name.lower(), nargs="?")
        for option in self.options:
            settings: dict[str, Any] = {"dest": option.dest, "help": option.help}
            if not option.value:
                settings["action"] = "store_true"
            else:
                settings["metavar"] = option.value
                settings["choices"] = option.values or None
                settings["type"] = int if option.number else str
            parser.add_argument(option.flag, **settings)
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise DeclarationError(f"{self.name}: {error} in: {line}") from None
        return parser.parse_args(words)


def unquoted(text: str) -> str:
    """Removes the quotes around a text, if it has any."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if quoted else text


class _Parser(argparse.ArgumentParser):
    def __init__(self, magic: Magic) -> None:
        super().__init__(prog=magic.name, add_help=False, allow_abbrev=False)
        self._magic = magic

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments"):
            words = message.partition(": ")[2].split()
            flags = [option.flag for option in self._magic.options]
            meant = "".join(did_you_mean(word, flags) for word in words[:1] if word.startswith("-"))
            message += meant or " (a value with spaces needs quotes)"
        raise DeclarationError(f"{message}\n{self._magic.name}? shows what it takes")


UDF_CELL = Magic(
    "%%udf",
    "Runs the cell and registers the function or class it defines.",
    (
        Option("--kind", "kind", "confirms what the code says", "KIND", _kinds),
        Option(
            "--returns", "returns", "type of the result, if it is not annotated", "TYPE",
            suggestions=("BIGINT", "BOOLEAN", "DATE", "DOUBLE", "INT", "STRING", "TIMESTAMP"),
        ),
        Option("--input-types", "input_types", "types of the parameters, by comma", "TYPES"),
        Option("--nondeterministic", "nondeterministic", "equal arguments, different results"),
        Option(
            "--on-error", "on_error", "what a row that raises leads to", "WHAT",
            ("fail", "null", "quarantine"),
        ),
        Option(
            "--memory", "memory", "what a worker may take", "SIZE",
            suggestions=("256m", "512m", "1g", "2g"),
        ),
        Option(
            "--timeout", "timeout", "what one call may take", "TIME",
            suggestions=("1s", "10s", "30s", "1min"),
        ),
        Option(
            "--self-check", "self_check", "share of rows computed in Python as well", "SHARE",
            suggestions=("0.001", "0.01", "1.0"),
        ),
        Option(
            "--buffer-capacity", "buffer_capacity", "async: calls in flight in a worker", "N",
            suggestions=("10", "100", "1000"), number=True,
        ),
        Option(
            "--output-mode", "output_mode", "async: whether rows keep their order", "MODE",
            ("ORDERED", "ALLOW_UNORDERED"),
        ),
        Option(
            "--max-attempts", "max_attempts", "async: how often a call is made at most", "N",
            suggestions=("1", "3", "5"), number=True,
        ),
        Option(
            "--fixed-delay", "fixed_delay", "async: time between two attempts", "TIME",
            suggestions=("100ms", "1s"),
        ),
        Option(
            "--func-type", "func_type", "row by row, or a batch", "TYPE",
            ("general", "pandas", "arrow", "numba"),
        ),
        Option("--replace", "replace", "take the name of one of Spark's own functions"),
        Option("--try", "query", "show the first rows of a query with the result", "QUERY"),
    ),
    ("NAME",),
)  # fmt: skip

SPARKSQL_CELL = Magic(
    "%%sparksql",
    "Runs the SQL of the cell and shows the first rows; NAME becomes the DataFrame.",
    (
        Option("--limit", "limit", "rows to show (20)", "N", number=True,
               suggestions=("5", "20", "100")),
        Option("--plan", "plan", "show the plan, with what the run cost, below the rows"),
        Option("--no-live", "no_live", "show nothing while it runs"),
    ),
    ("NAME",),
)  # fmt: skip

SUBCOMMANDS = (
    "functions", "pool", "metrics", "logs", "errors", "replay", "state", "plan", "bench",
    "profile", "export", "capture", "adopt", "drop",
)  # fmt: skip
# Subcommands that take the name of a function.
OF_A_FUNCTION = ("errors", "replay", "drop")
# Subcommands that take a variable, or text of several words.
OF_A_THING = ("state", "plan", "bench", "profile")

UDF_EXPORT = Magic(
    "%udf export",
    "Writes the functions of this notebook as a module, with its tests and requirements.",
    (
        Option("-o", "output", "the module (functions.py)", "FILE"),
        Option("--force", "force", "overwrite files that are there"),
    ),
)

UDF_CAPTURE = Magic(
    "%udf capture",
    "Writes tests from calls of a function: those that failed, with what they raised, and the "
    "first rows of slow bundles, with the result. They are run green before the file is kept.",
    (
        Option("-o", "output", "the file (test_NAME.py)", "FILE"),
        Option("--rows", "rows", "calls of each of the two, at most, newest first (5)", "N",
               suggestions=("1", "5", "20"), number=True),
        Option("--failed", "failed", "only calls that failed"),
        Option("--mask", "mask", "replace texts by others that look alike; numbers stay"),
        Option("--force", "force", "overwrite a file that is there"),
    ),
    ("NAME",),
)  # fmt: skip
UDF_ADOPT = Magic(
    "%udf adopt",
    "Lists PySpark's function objects of this notebook; with names, it registers those.",
    (
        Option("--all", "all", "register all that have an equal here"),
        Option("--coerce", "coerce", "convert results of another type as Spark does"),
    ),
    ("NAMES",),
)

UDF_LINE = Magic(
    "%udf",
    "Shows what the session knows: functions, pool, metrics, logs, errors NAME, replay NAME, "
    "drop NAME (forgets a function, in SQL too), "
    "adopt [NAMES] [--all] [--coerce] (registers PySpark's own function objects), "
    "state QUERY (the variable of a streaming query, its name, or the path of its checkpoint), "
    "plan QUERY [--against QUERY] (a query, or the variable of a DataFrame), "
    "bench NAME QUERY [--against NAMES] [--repeats N] [--rows N], "
    "profile [NAME] [QUERY] [--seconds N], "
    "export [-o FILE] [--force] (the functions as a module), "
    "capture NAME [-o FILE] [--rows N] [--failed] [--mask] [--force] (calls that failed and rows "
    "of slow bundles as tests).",
    (
        Option("--level", "level", "logs: the lowest level", "LEVEL", LEVELS),
        Option("--function", "function", "logs: of one function", "FUNCTION"),
        Option("--worker", "pid", "logs: of one worker, by its process id", "PID", number=True),
        Option("--query", "query", "logs: of one query, by Spark's number of it", "QUERY"),
        Option("--text", "text", "logs: lines that hold this", "TEXT"),
    ),
    ("WHAT", "NAME"),
)
