"""Encodes dates, times, timestamps and intervals as Arrow columns.

Covers the classes of ``datetime`` and pandas' subclasses of them. What local time means is left to
``time_zone``; fast and slow paths, to ``column_encoder``.
"""

from __future__ import annotations

import datetime as dt
from types import NoneType
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.types import DayTimeIntervalType, TimeType

from notebook_udf.local_clock import zone_is_utc
from notebook_udf.worker.codec.column_encoder import Convert, Values, of_kind, validity, wrong
from notebook_udf.worker.codec.refusal import Refused
from notebook_udf.worker.codec.time_zone import to_instants

UNITS = {
    DayTimeIntervalType.DAY: ("days", dt.timedelta(days=1)),
    DayTimeIntervalType.HOUR: ("hours", dt.timedelta(hours=1)),
    DayTimeIntervalType.MINUTE: ("minutes", dt.timedelta(minutes=1)),
}
_MICROSECOND = dt.timedelta(microseconds=1)


def day(value: Any) -> dt.date:
    if not isinstance(value, dt.date) or isinstance(value, dt.datetime):
        raise wrong(
            value,
            "dates (datetime.date)",
            datetime="use .date() to drop the time, or declare TIMESTAMP",
            str="use date.fromisoformat() to read a date from text",
        )
    return dt.date(value.year, value.month, value.day)


def moment(value: Any) -> dt.datetime:
    """The same value as a plain datetime: pandas' Timestamp is a subclass with nanoseconds."""
    if not isinstance(value, dt.datetime) or type(value).__name__ == "NaTType":
        raise wrong(
            value,
            "datetimes (datetime.datetime)",
            date="use datetime.combine() to say at which time",
            str="use datetime.fromisoformat() to read one from text",
        )
    if getattr(value, "nanosecond", 0):
        raise Refused("it keeps microseconds and this has nanoseconds; use .floor('us')")
    plain = dt.datetime(*value.timetuple()[:6], value.microsecond, value.tzinfo)
    return plain.replace(fold=value.fold)


def wall(value: Any) -> dt.datetime:
    plain = moment(value)
    if plain.tzinfo is not None:
        raise Refused("it has no time zone; use .replace(tzinfo=None), or declare TIMESTAMP_LTZ")
    return plain


def walls(values: Values) -> pa.Array | None:
    found = of_kind(dt.datetime, pa.timestamp("us"))(values)
    if found is None or any(value is not None and value.tzinfo is not None for value in values):
        return None
    return found


def instants(values: Values) -> pa.Array | None:
    if not {dt.datetime, NoneType}.issuperset(map(type, values)):
        return None
    return instants_of(values)


def instants_of(values: Values) -> pa.Array:
    # Arrow takes naive datetimes for UTC.
    arrow = pa.timestamp("us", "UTC")
    found = pa.array(values, arrow)
    if zone_is_utc():
        return found
    naive = np.fromiter(
        (value is not None and value.tzinfo is None for value in values), np.bool_, len(values)
    )
    folds = np.fromiter(
        (value is not None and value.fold == 1 for value in values), np.bool_, len(values)
    )
    micros = found.to_numpy(zero_copy_only=False).astype("datetime64[us]").view(np.int64).copy()
    micros[naive] = to_instants(micros[naive], folds[naive])
    return pa.Array.from_buffers(arrow, len(micros), [validity(values), pa.py_buffer(micros)])


def clock(data_type: TimeType) -> Convert:
    unit = 10 ** max(6 - data_type.precision, 0)

    def convert(value: Any) -> dt.time:
        if not isinstance(value, dt.time):
            raise wrong(value, "times of day (datetime.time)", datetime="use .time()")
        if value.tzinfo is not None:
            raise Refused("it has no time zone; use .replace(tzinfo=None)")
        if value.microsecond % unit:
            raise Refused(
                f"it keeps {data_type.precision} digits of a second; round it, or declare TIME(6)"
            )
        return value

    return convert


def span(data_type: DayTimeIntervalType) -> Convert:
    name, unit = UNITS.get(data_type.endField, ("microseconds", _MICROSECOND))

    def convert(value: Any) -> dt.timedelta:
        if not isinstance(value, dt.timedelta) or type(value).__name__ == "NaTType":
            raise wrong(
                value,
                "spans of time (datetime.timedelta)",
                int="use timedelta() to say in which unit",
                float="use timedelta() to say in which unit",
            )
        if getattr(value, "nanoseconds", 0):
            raise Refused("it keeps microseconds and this has nanoseconds; use .floor('us')")
        plain = dt.timedelta(value.days, value.seconds, value.microseconds)
        if plain % unit:
            raise Refused(f"it counts whole {name}; declare INTERVAL DAY TO SECOND")
        if not -(1 << 63) <= plain // _MICROSECOND < 1 << 63:
            raise Refused("it is longer than any interval of Spark (about 292,000 years)")
        return plain

    return convert


def spans_of(values: Values) -> pa.Array:
    # Arrow refuses timedeltas within a day of the ends: it counts their whole days first.
    micros = [None if value is None else value // _MICROSECOND for value in values]
    return pa.array(micros, pa.int64()).view(pa.duration("us"))
