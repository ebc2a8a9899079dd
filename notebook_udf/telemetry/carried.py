"""Records that travel in the text of an exception, where the side channel does not reach.

Spark brings the text of a task's exception to the driver by its own ways. A record is a line of it:
a version, and the record as the channel would have sent it, compressed and in base64.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from dataclasses import replace

from notebook_udf.errors import ProtocolError
from notebook_udf.telemetry.records import CallFailed, Record
from notebook_udf.telemetry.wire import HEADER, MAX_MESSAGE_BYTES, VERSION, decode, encode

# Spark's driver keeps the text of every task that failed, and writes it to its log.
_MOST_CHARACTERS = 64 * 1024

_LINE = re.compile(r"\n? *\[notebook-udf record (\d+) ([A-Za-z0-9+/=]+)\]")


def line_of(record: CallFailed) -> str:
    """The line that stands for a failed call; without its arguments if they are too large, and ""
    if it is too large all the same."""
    without = replace(record, failed=replace(record.failed, pickled_arguments=b""))
    for each in (record, without):
        text = base64.b64encode(zlib.compress(encode(each)[1])).decode("ascii")
        if len(text) <= _MOST_CHARACTERS:
            return f"[notebook-udf record {VERSION} {text}]"
    return ""


def record_in(text: str) -> Record | None:
    """The record that a text carries; None if it carries none that this version can read."""
    match = _LINE.search(text)
    if match is None or int(match[1]) != VERSION:
        return None
    unpacking = zlib.decompressobj()
    try:
        # A bound, for what is short may stand for what fills the memory.
        body = unpacking.decompress(base64.b64decode(match[2], validate=True), MAX_MESSAGE_BYTES)
        return decode([HEADER, body])
    except (ProtocolError, binascii.Error, zlib.error):
        return None


def without_record(text: str) -> str:
    """The same text for people."""
    return _LINE.sub("", text)
