"""Arrow columns as what pandas functions take: Series, and a DataFrame for a struct.

The conversions are PySpark's own, so that a pandas function means here what it means there.
``vectorized`` and ``collected`` convert the results.
"""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pyarrow as pa
import pyarrow.compute as pc

# Whole numbers up to here are floats as well.
_EXACT_FLOATS = 2**53


def as_pandas(column: pa.Array, time_zone: str | None) -> Any:
    """A column as a Series or, if it is one of structs, a DataFrame.

    Timestamps are shown in the time zone, without it.
    """
    from pyspark.sql.conversion import ArrowArrayToPandasConversion
    from pyspark.sql.pandas.types import from_arrow_type

    fine = _too_fine_for_floats(column)
    if _is_plain(column.type) and not fine:
        # What PySpark's way comes to, in a third of the time: a group may have a few rows only.
        return column.to_pandas()
    zone = zone_of(time_zone)
    if pa.types.is_timestamp(column.type) and column.type.tz and not isinstance(zone, str):
        # PySpark's way asks Arrow for the local time, which knows no summer after 2037.
        instants = column.cast(pa.timestamp("ns", "UTC")).to_pandas()
        return instants.dt.tz_convert(zone).dt.tz_localize(None)
    return ArrowArrayToPandasConversion.convert(
        column,
        from_arrow_type(column.type),
        timezone=zone,
        df_for_struct=True,
        prefer_int_ext_dtype=fine,
    )


def zone_of(name: str | None) -> ZoneInfo | str | None:
    """A time zone in the form that pandas takes, by the system's data where that has it.

    By name pandas asks pytz, whose zones begin in 1901 and end in 2037: an instant outside of that
    would come back as another.
    """
    try:
        return ZoneInfo(name or "")
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return name


def _is_plain(kind: pa.DataType) -> bool:
    tests = (
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_boolean,
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_binary,
    )
    return any(test(kind) for test in tests)


def _too_fine_for_floats(column: pa.Array) -> bool:
    """Whether integers would change as floats, which is what pandas makes of them beside NULLs.

    They are then given as pandas' ``Int64``, and otherwise as PySpark gives them.
    """
    if pa.types.is_struct(column.type):
        return any(map(_too_fine_for_floats, column.flatten()))
    if not (pa.types.is_int64(column.type) and column.null_count):
        return False
    ends = pc.min_max(column).as_py().values()
    return any(end is not None and abs(end) > _EXACT_FLOATS for end in ends)
