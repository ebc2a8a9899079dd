"""Tab completion for magics: options, their values, subcommands, names of functions."""

from __future__ import annotations

from typing import Any

from notebook_udf.magics.interrupt import running_session
from notebook_udf.magics.magic_options import (
    OF_A_FUNCTION,
    OF_A_THING,
    SPARKSQL_CELL,
    SUBCOMMANDS,
    UDF_ADOPT,
    UDF_CAPTURE,
    UDF_CELL,
    UDF_EXPORT,
    UDF_LINE,
    Magic,
)
from notebook_udf.magics.measure_magics import MEASURES


class Completion:
    """Completes the magics of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._matcher: Any = None

    def install(self) -> None:
        """Adds the matcher to the shell's completer."""
        from IPython.core.completer import SimpleCompletion, context_matcher

        def match(context: Any) -> dict[str, Any]:
            line = context.text_until_cursor
            words = suggestions(line, first_line=context.cursor_line == 0)
            if words is None:
                return {"completions": [], "suppress": False}
            fragment = _fragment(line)
            return {
                "completions": [
                    SimpleCompletion(text=word, type="magic")
                    for word in words
                    if word.startswith(fragment)
                ],
                "matched_fragment": fragment,
                # Paths and Python names are no options.
                "suppress": True,
            }

        self._matcher = context_matcher(identifier="notebook_udf.options")(match)
        self._shell.Completer.custom_matchers.append(self._matcher)

    def uninstall(self) -> None:
        """Removes the matcher."""
        matchers = self._shell.Completer.custom_matchers
        if self._matcher in matchers:
            matchers.remove(self._matcher)


def suggestions(line: str, *, first_line: bool) -> list[str] | None:
    """The words that may complete ``line``; None if it is not a line of these magics."""
    words = line.split()
    if not words or (line[:1].isspace() and words[0].startswith("%%")):
        return None
    if words[0] == line.strip() and not line.endswith(" "):
        # The name of the magic itself is completed by IPython.
        return None
    before = words[1:] if line.endswith((" ", "\t")) else words[1:-1]
    if first_line and words[0] == UDF_CELL.name:
        return _options(UDF_CELL, before)
    if first_line and words[0] == SPARKSQL_CELL.name:
        return _options(SPARKSQL_CELL, before)
    if words[0] == UDF_LINE.name and {*before[:1]} & {*MEASURES}:
        return _measured(MEASURES[before[0]], before[1:], _fragment(line))
    if words[0] == UDF_LINE.name and not {*before[:1]} & {*OF_A_THING}:
        return _line(before)
    return None


def _line(before: list[str]) -> list[str]:
    if not before:
        return list(SUBCOMMANDS)
    if before[0] in OF_A_FUNCTION:
        return _functions() if len(before) == 1 else []
    if before[0] == "export":
        return _options(UDF_EXPORT, before[1:])
    if before[0] == "capture":
        return _functions() if len(before) == 1 else _options(UDF_CAPTURE, before[1:])
    if before[0] == "adopt":
        return _options(UDF_ADOPT, before[1:])
    if before[0] == "logs":
        return _functions() if before[-1] == "--function" else _options(UDF_LINE, before)
    return []


def _measured(magic: Magic, before: list[str], fragment: str) -> list[str] | None:
    """Completes a function, then nothing for the query, then options."""
    if not before or before[-1] == "--against":
        return _functions()
    asked = before[-1] in {option.flag for option in magic.options}
    return _options(magic, before) if asked or fragment.startswith("-") else None


def _options(magic: Magic, before: list[str]) -> list[str]:
    by_flag = {option.flag: option for option in magic.options}
    last = by_flag.get(before[-1]) if before else None
    if last is not None and last.value:
        return list(last.values or last.suggestions)
    return [flag for flag in by_flag if flag not in before]


def _functions() -> list[str]:
    # Only if a session runs already: a Tab must not start Spark.
    session = running_session()
    return sorted(session.functions) if session is not None else []


def _fragment(line: str) -> str:
    return "" if line.endswith((" ", "\t")) else line.split()[-1]
