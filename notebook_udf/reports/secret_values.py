"""Keeps secrets out of reports: in addresses, after names that say so, and by their very values.

``sanitize`` masks what stands before the host in an address. A report also has the job's own
words (source code, log lines, values of rows on which it failed), where a secret stands in other
ways.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeVar, cast

from notebook_udf.sanitize import without_secrets

T = TypeVar("T")

MASK = "****"
_WORDS = (
    r"(?:secret|passw(?:or)?d|passphrase|pwd|token|credential|api[_.-]?key|access[_.-]?key|"
    r"account[_.-]?key|private[_.-]?key|authorization)"
)
_NAMED = re.compile(_WORDS, re.IGNORECASE)
# password=..., "api_key": "...", --token ..., fs.azure.account.key.x=...; not password=None, nor a
# call or an attribute of which the value is made.
_SAID = re.compile(
    rf"(?i)({_WORDS}[\w.-]{{0,60}}[\"']?(?:\s*(?:[:=]=|=>|[:=])\s*(?:(?:basic|bearer)\s+)?|\s+(?=[\"'])))"
    r"(\"\"\".*?\"\"\"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[^\s\"',;&)\]}]+)",
    re.DOTALL,
)
# Bounded, as all repetitions before a word that may be missing: a line may be one long word.
_OPTION = re.compile(rf"(?i)(--?[\w.-]{{0,40}}{_WORDS}[\w.-]{{0,40}}\s+)([^\s-]\S*)")
_SCHEME = re.compile(r"(?i)\b(bearer|basic)(\s+)[\w.~+/=-]{8,}")
# Keys that tell by their form what they are.
_FORMS = re.compile(
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_\w{20,}|\bxox[abprs]-[\w-]{10,}|\bsk-[\w-]{16,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
# What stands in code where a value would: nothing to hide.
_NO_VALUE = re.compile(
    r"(?:None|null|True|False|true|false|str|int|bytes|STRING|string|\*+|\W+|[\"']{2})\Z"
    r"|[A-Za-z_][\w.]*[(\[.].*",
    re.DOTALL,
)
# A shorter one may be a part of any word.
_SHORTEST = 6
_SWITCHES = ("true", "false", "disabled")


class Masking:
    """Masks the secrets of a job in texts.

    Parameters
    ----------
    settings
        Names and values of what the job was given (environment, confs): a value under a name that
        tells of a secret is masked wherever it stands.
    """

    def __init__(self, settings: Iterable[Mapping[str, str]] = ()) -> None:
        values = {
            value
            for each in settings
            for name, value in each.items()
            if _NAMED.search(name) and len(value) >= _SHORTEST and not _is_plain(value)
        }
        # The longest first: one may be a part of another.
        ordered = sorted(values, key=lambda value: (-len(value), value))
        self._values = re.compile("|".join(map(re.escape, ordered))) if ordered else None
        # Most texts of a report stand in it many times: names, levels, lines of code.
        self._known = lru_cache(maxsize=10_000)(self._shown)

    def text(self, text: str) -> str:
        """A text without secrets."""
        return self._known(text)

    def _shown(self, text: str) -> str:
        if self._values is not None:
            text = self._values.sub(MASK, text)
        text = _FORMS.sub(MASK, without_secrets(text))
        text = _SCHEME.sub(rf"\1\2{MASK}", text)
        return _OPTION.sub(rf"\1{MASK}", _SAID.sub(_said, text))

    def named(self, name: str, value: str) -> str:
        """A value without secrets: all of it, if its name tells of one."""
        return MASK if _NAMED.search(name) else self.text(value)

    def arguments(self, arguments: Iterable[str]) -> list[str]:
        """A command's arguments without secrets, also where a name and its value are two."""
        shown: list[str] = []
        before = ""
        for each in arguments:
            option = before.startswith("-") and "=" not in before and not each.startswith("-")
            shown.append(self.named(before, each) if option else self.text(each))
            before = each
        return shown

    def everything(self, value: T) -> T:
        """Data (texts, lists, dicts, frozen dataclasses) with every text of it masked."""
        return cast("T", self._masked(value))

    def _masked(self, value: object) -> object:
        if isinstance(value, str):
            return self.text(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            made = {
                field.name: self._masked(getattr(value, field.name))
                for field in dataclasses.fields(value)
            }
            return dataclasses.replace(value, **made)
        if isinstance(value, dict):
            return {name: self._masked(each) for name, each in value.items()}
        if isinstance(value, (tuple, list)):
            if all(isinstance(each, (int, float)) or each is None for each in value):
                # A column of a timeline, of which there may be thousands.
                return value
            if len(value) == 2 and all(isinstance(each, str) for each in value):
                # A name and its value: a fact of a plan, an argument of a call.
                pair = (self.text(value[0]), self.named(*value))
                return pair if isinstance(value, tuple) else list(pair)
            masked = map(self._masked, value)
            return tuple(masked) if isinstance(value, tuple) else list(masked)
        return value


def _said(found: re.Match[str]) -> str:
    value = found[2]
    if _NO_VALUE.match(value):
        return found[0]
    quote = value[0] if value[0] in "\"'" else ""
    return f"{found[1]}{quote}{MASK}{quote}"


def _is_plain(value: str) -> bool:
    """Whether a setting's value is no secret itself: a switch, a number, a path."""
    return value.isdigit() or value.startswith("/") or value.lower() in _SWITCHES
