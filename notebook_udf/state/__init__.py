"""Reads a stream's state from its checkpoint, by key and by batch."""

from notebook_udf.state.reader import StateReader

__all__ = ["StateReader"]
