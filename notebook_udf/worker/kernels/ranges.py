"""Ranges of letters in texts and of items in lists: where each begins, how long it is, its step.

Arrow slices at the same places in every row; here each row has its own.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Places: TypeAlias = npt.NDArray[np.int64]
# Further than any place in a text or a list.
FARTHEST = 1 << 40


def of_slice(
    lengths: Places, start: Places | None, stop: Places | None, step: int
) -> tuple[Places, Places]:
    """Where ``[start:stop:step]`` begins in each row, and how many it takes, as Python has it.

    Parameters
    ----------
    lengths
        Of each row's sequence.
    start, stop
        Row by row; None where the slice names none.
    step
        Not 0.
    """
    low, high = (np.zeros_like(lengths), lengths) if step > 0 else (lengths * 0 - 1, lengths - 1)
    first = (low if step > 0 else high) if start is None else _within(lengths, start, low, high)
    last = (high if step > 0 else low) if stop is None else _within(lengths, stop, low, high)
    return first, counted(first, last, step)


def counted(first: Places, last: Places, step: int) -> Places:
    """How many steps there are from one place to before another, row by row."""
    span, size = (last - first, step) if step > 0 else (first - last, -step)
    found: Places = np.maximum((span + size - 1) // size, 0)
    return found


def _within(lengths: Places, limit: Places, low: Places, high: Places) -> Places:
    return np.clip(np.where(limit < 0, limit + lengths, limit), low, high)


def byte_lengths(texts: pa.StringArray) -> Places:
    """How many bytes each text has."""
    return np.diff(_offsets(texts))


def of_texts(texts: pa.StringArray, first: Places, counts: Places, step: int = 1) -> pa.Array:
    """Bytes of each text; their places count within it. A NULL's text is empty."""
    offsets, places = _gathered(_offsets(texts)[:-1] + first, counts, step)
    buffer = texts.buffers()[2]
    letters = np.frombuffer(buffer or b"", np.uint8)[places]
    buffers = pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(letters)
    return pa.StringArray.from_buffers(len(texts), *buffers)


def of_lists(lists: pa.ListArray, first: Places, counts: Places, step: int = 1) -> pa.Array:
    """Items of each list; their places count within it."""
    offsets, places = _gathered(lists.offsets.to_numpy()[:-1] + first, counts, step)
    values = lists.values.take(pa.array(places))
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), values)


def items(lists: pa.ListArray, places: Places, there: Any) -> pa.Array:
    """An item of each list; of those without one at its place it is any text."""
    if not there.any():
        return pa.repeat("", len(lists))
    begun = lists.offsets.to_numpy()[:-1] + places
    return lists.values.take(pa.array(np.where(there, begun, begun[there][0])))


def _offsets(texts: pa.StringArray) -> Places:
    held = np.frombuffer(texts.buffers()[1] or bytes(4), np.int32)
    return held[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)


def _gathered(first: Any, counts: Places, step: int) -> tuple[Places, Places]:
    """Where each row's part ends up, and the places that all parts are taken from."""
    offsets = np.concatenate(([0], np.cumsum(counts)))
    begun = np.repeat(first - step * offsets[:-1], counts)
    return offsets, begun + step * np.arange(offsets[-1])
