"""Reading a stream's state back: what functions remember of each key, by batch."""

from notebook_udf.state.reader import StateReader

__all__ = ["StateReader"]
