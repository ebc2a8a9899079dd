"""State as pages of text, for panels.

Each page is a query over the state as it was after a batch; Spark does the searching and the
paging, so that a state of any size can be looked through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from typing import Any, TypedDict

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, StructType

from notebook_udf.errors import SessionError
from notebook_udf.sanitize import one_line
from notebook_udf.state.reader import StateReader

PAGE = 50
LONGEST = 2_000
HISTORY = 20
_SHOWN_BYTES = 100


@dataclass(frozen=True)
class Page:
    """A page of the rows of state, as text.

    Attributes
    ----------
    columns
        The columns' names; the first ``keys`` of them are the key's.
    rows
        The values as text; None stands for NULL.
    offset, total
        The position of the first row, and how many rows there are in all.
    batch
        The number of the micro-batch after which this was the state.
    """

    columns: tuple[str, ...]
    keys: int
    rows: tuple[tuple[str | None, ...], ...]
    offset: int
    total: int
    batch: int

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able data."""
        return asdict(self)


class KeyChange(TypedDict):
    """A function's accumulator for a key from a micro-batch on; None if the key was removed."""

    batch: int
    function: str
    accumulator: str | None


class HistoryData(TypedDict):
    """The changes of a key's accumulators, from micro-batch ``first`` to micro-batch ``last``."""

    first: int
    last: int
    rows: list[KeyChange]


def state_page(
    reader: StateReader,
    name: str,
    batch: int | None = None,
    *,
    search: str = "",
    offset: int = 0,
    limit: int = PAGE,
) -> tuple[Page, list[Any]]:
    """Rows of a function's accumulators or of a variable, ordered by key.

    Parameters
    ----------
    search
        What a key's text has to contain; upper and lower case are equal.

    Returns
    -------
    tuple
        The page, and the keys of its rows as ``StateReader.history`` takes them; no keys for a
        variable.

    Raises
    ------
    KeyError
        If there is neither a function nor a variable of that name.
    """
    frame = reader.read(name, batch)
    of = reader.batches[1] if batch is None else batch
    own = [key for key, _ in reader.keys] if name in reader.functions else []
    keys = own or [column for column in ("key", "user_map_key") if column in frame.columns]
    return _page(frame, keys, own, of, search, offset, limit)


def diff_page(
    reader: StateReader,
    name: str,
    batch1: int,
    batch2: int,
    *,
    search: str = "",
    offset: int = 0,
    limit: int = PAGE,
) -> Page:
    """The keys whose accumulators of a function differ, with ``before`` and ``after``.

    Raises
    ------
    SessionError
        If ``name`` is a variable and no function.
    """
    if name not in reader.functions:
        known = ", ".join(reader.functions) or "none"
        raise SessionError(
            f"batches are compared by a function's accumulators, and {name} is a variable; "
            f"functions: {known}"
        )
    frame = reader.diff(batch1, batch2).where(F.col("function") == name).drop("function")
    keys = [key for key, _ in reader.keys]
    return _page(frame, keys, [], batch2, search, offset, limit)[0]


def timer_page(reader: StateReader, batch: int | None = None, *, offset: int = 0) -> Page:
    """When groups end, the soonest first."""
    keys = [key for key, _ in reader.keys]
    of = reader.batches[1] if batch is None else batch
    return _page(reader.timers(batch), keys, [], of, "", offset, PAGE, order=["expires"])[0]


def history_page(reader: StateReader, key: Any, batches: int = HISTORY) -> HistoryData:
    """When a key's accumulators changed, oldest first.

    Parameters
    ----------
    key
        As ``StateReader.history`` takes it.
    batches
        How many of the latest batches to read; each is a read of its own.

    Returns
    -------
    dict
        With ``rows`` for the first batch that has the key, and for those in which its accumulator
        differs from that of the batch before.
    """
    first, last = max(reader.batches[0], reader.batches[1] - batches + 1), reader.batches[1]
    numbers = range(first, last + 1)
    frames = [reader.find(key, n).select(F.lit(n).alias("batch"), "*") for n in numbers]
    known: dict[tuple[int, str], str | None] = {}
    for row in reduce(DataFrame.unionAll, frames).collect():
        known[row.batch, row.function] = _text(row.accumulator) or "NULL"
    rows: list[KeyChange] = [
        {"batch": batch, "function": name, "accumulator": known.get((batch, name))}
        for batch in numbers
        for name in reader.functions
        if known.get((batch, name)) != known.get((batch - 1, name))
    ]
    return {"first": first, "last": last, "rows": rows}


def _page(
    frame: DataFrame,
    keys: Sequence[str],
    typed: Sequence[str],
    batch: int,
    search: str,
    offset: int,
    limit: int,
    order: Sequence[str] = (),
) -> tuple[Page, list[Any]]:
    texts = [
        (f"{name}.{part}" if part else name, text)
        for name in (*keys, *(c for c in frame.columns if c not in keys))
        for part, text in _flat(frame, name)
    ]
    if search:
        held = F.concat_ws(
            "\n", *(F.coalesce(t, F.lit("NULL")) for k in keys for _, t in _flat(frame, k))
        )
        frame = frame.where(F.lower(held).contains(search.lower()))
    # Counted in the same pass: reading them all once more would take as long again.
    seen = Observation()
    ordered = frame.observe(seen, F.count(F.lit(1)).alias("rows")).orderBy(
        *(F.col(f"`{name}`") for name in (*order, *keys) if _orderable(frame, name))
    )
    picked = [text.alias(f"t{at}") for at, (_, text) in enumerate(texts)]
    values = [F.col(f"`{name}`").alias(f"k{at}") for at, name in enumerate(typed)]
    rows = ordered.select(*picked, *values).offset(offset).limit(limit + 1).collect()
    total = offset + len(rows) if len(rows) <= limit else seen.get["rows"]
    rows = rows[:limit]
    width = len(texts)
    keys_wide = sum(len(_flat(frame, name)) for name in keys)
    page = Page(
        columns=tuple(one_line(name, LONGEST) for name, _ in texts),
        keys=keys_wide,
        rows=tuple(tuple(map(_text, row[:width])) for row in rows),
        offset=offset,
        total=total,
        batch=batch,
    )
    single = len(typed) == 1
    return page, [row[width] if single else tuple(row[width:]) for row in rows] if typed else []


def _flat(frame: DataFrame, name: str) -> list[tuple[str, Column]]:
    """A column as text; a struct as one text for each of its fields."""
    column, kind = F.col(f"`{name}`"), frame.schema[name].dataType
    if isinstance(kind, StructType) and kind.fields:
        return [(f.name, _as_text(column.getField(f.name), f.dataType)) for f in kind.fields]
    return [("", _as_text(column, kind))]


def _as_text(column: Column, kind: Any) -> Column:
    if isinstance(kind, BinaryType):
        shown = F.hex(F.substring(column, 1, _SHOWN_BYTES))
        more = F.when(F.length(column) > _SHOWN_BYTES, F.lit("…")).otherwise(F.lit(""))
        return F.concat(shown, more, F.lit(" ("), F.length(column), F.lit(" bytes)"))
    return F.substring(column.cast("string"), 1, LONGEST * 2)


def _orderable(frame: DataFrame, name: str) -> bool:
    return frame.schema[name].dataType.typeName() not in ("map", "variant")


def _text(value: str | None) -> str | None:
    return None if value is None else one_line(value, LONGEST)
