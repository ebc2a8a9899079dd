"""The settings of a Spark that can be changed while it runs, in groups by who reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class SettingGroup(Protocol):
    """Settings of one group, by name."""

    def get(self, name: str) -> str | None:
        """The value that was set; None where a setting is as it is by default."""

    def set(self, name: str, value: str) -> None:
        """Sets a setting for what is planned or started from then on."""

    def unset(self, name: str) -> None:
        """Removes a setting: what it is by default holds again."""


class SqlSettings(SettingGroup, Protocol):
    """The confs of the SQL session."""

    def beginning(self, prefix: str) -> list[str]:
        """The names of the confs that are set and begin so, sorted; takes one round trip."""


@dataclass(frozen=True)
class SparkSettings:
    """The settings of a Spark, by group.

    Attributes
    ----------
    sql
        Confs of the SQL session.
    application
        Confs of the application, which Spark reads for what it starts from then on.
    environment
        Variables of the workers that are forked for functions planned from then on.
    python
        Under ``PYTHON``, the program that runs functions planned from then on; it cannot be
        removed.
    """

    sql: SqlSettings
    application: SettingGroup
    environment: SettingGroup
    python: SettingGroup


PYTHON = "pythonExec"
