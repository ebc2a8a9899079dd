"""A key's state after each batch, from that after the first batch and the changes since.

Each variable is read once for either, however many batches there are.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, TypeAlias

from pyspark.sql import Column, DataFrame

from notebook_udf.errors import SessionError
from notebook_udf.launch.confs import CHANGELOG_CONF
from notebook_udf.specs.state_layout import ACCUMULATORS, VIEWS
from notebook_udf.state.spark_source import Stored

# A batch, a key's pickled accumulators after it, and the entries of their large views.
Kept: TypeAlias = tuple[int, bytes, list[tuple[str, int, bytes]]]

SCHEMA = "batch INT, pickled BINARY, entries ARRAY<STRUCT<view STRING, number INT, values BINARY>>"


def by_batch(stored: Stored, where: Column) -> list[Kept]:
    """A key's state after each batch in which it had some, the oldest first.

    ``where`` is the condition for a row's ``key``.

    Raises
    ------
    SessionError
        If the query ran without changelog checkpoints.
    """
    first, last = stored.batches
    value = _Variable(stored, ACCUMULATORS, where, [], "value.pickled")
    entries = _Variable(
        stored, VIEWS, where, ["user_map_key.view", "user_map_key.number"], "user_map_value.values"
    )
    found: list[Kept] = []
    for batch in range(first, last + 1):
        value.go_to(batch)
        entries.go_to(batch)
        if () in value.now:
            parts = [(*name, part) for name, part in entries.now.items()]
            found.append((batch, value.now[()], parts))
    return found


class _Variable:
    """A state variable's content for a key, batch by batch.

    Attributes
    ----------
    now
        Values by the entry's own key below the state's key; a single value by ``()``.
    """

    def __init__(
        self, stored: Stored, variable: str, where: Column, names: list[str], value: str
    ) -> None:
        first, last = stored.batches
        rows = stored.read(variable, first).where(where).select(*names, value).collect()
        self.now: dict[tuple[Any, ...], Any] = {tuple(row[:-1]): row[-1] for row in rows}
        self._changes: defaultdict[int, list[Any]] = defaultdict(list)
        if first == last:
            return
        changes = stored.changes(variable, first + 1, last).where(where)
        for batch, *change in _collected(changes.select("batch_id", "change_type", *names, value)):
            self._changes[batch].append(change)

    def go_to(self, batch: int) -> None:
        """Applies the changes of a batch, in their order."""
        for kind, *name, value in self._changes[batch]:
            if kind == "delete":
                self.now.pop(tuple(name), None)
            else:
                self.now[tuple(name)] = value


def _collected(changes: DataFrame) -> list[Any]:
    try:
        return list(changes.collect())
    except Exception as error:
        if "CANNOT_READ_STREAMING_STATE_FILE" not in str(error):
            raise
        raise SessionError(
            f"what each batch has changed is not in the checkpoint: the query ran without "
            f"{CHANGELOG_CONF}, which sessions of ours turn on; what single batches left can be "
            f"read by find(key, batch)"
        ) from error
