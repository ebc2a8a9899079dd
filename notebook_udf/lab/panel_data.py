"""The types of messages about a session to browsers. The extension's scripts get theirs here."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

QueryState = Literal["running", "done", "failed", "cancelled"]
StreamState = Literal["running", "draining", "suspending", "cancelling", "ended", "failed"]


class SessionNews(TypedDict):
    """The session: its live workers, their memory in bytes, and the current rows per second."""

    spark: str
    master: str
    notes: list[str]
    workers: int
    memory: int
    rate: int


class FunctionNews(TypedDict):
    """The newest version of a function."""

    name: str
    kind: str
    version: int
    signature: str
    source: str


class FunctionsNews(TypedDict):
    """The first functions of the session; ``count`` is the number of all."""

    functions: list[FunctionNews]
    count: int


class WorkerNews(TypedDict):
    """A live worker; ``memory`` is in bytes."""

    pid: int
    state: str
    function: str
    memory: int
    rows: int
    failures: int
    error: str


class WorkersNews(TypedDict):
    """The first live workers, how many are alive, and how many there can be at once."""

    workers: list[WorkerNews]
    alive: int
    size: int


class QueryNews(TypedDict):
    """A query; times in seconds since the epoch. If ``settled``, its data will not change."""

    query: int
    text: str
    state: QueryState
    began: float
    ended: float | None
    error: str
    functions: list[str]
    rows: int
    settled: bool


class StreamNews(TypedDict):
    """A streaming query and its last micro-batch."""

    run: str
    name: str
    id: str
    state: StreamState
    message: str
    batch: int | None
    rows: int | None
    rate: float | None
    error: str


class LineNews(TypedDict):
    """A log line; ``time`` in seconds since the epoch."""

    time: float
    level: str
    pid: int
    function: str
    text: str


class LogNews(TypedDict):
    """The last log lines, how many were written, and how many are missing."""

    lines: list[LineNews]
    count: int
    dropped: int


class RegisteredNews(TypedDict):
    """A function that a cell registered."""

    name: str
    kind: str
    version: int


class CellNews(TypedDict):
    """A ``%%udf`` cell that ran: the CRC-32 of its text, the functions it registered, and its
    error; "" without one."""

    code: int
    functions: list[RegisteredNews]
    error: str


class News(TypedDict, total=False):
    """The parts of the side panel's data that have changed, or all. Without a session its parts
    are None; ``busy`` is whether a cell runs, ``cells`` holds ``%%udf`` cells that ran, by id."""

    session: SessionNews | None
    functions: FunctionsNews | None
    workers: WorkersNews | None
    queries: list[QueryNews] | None
    streams: list[StreamNews] | None
    logs: LogNews | None
    cells: dict[str, CellNews]
    busy: bool


class LabMessage(TypedDict):
    """A message to all browsers that is no reply: news, or that the extension is unloaded."""

    news: NotRequired[News]
    gone: NotRequired[bool]
