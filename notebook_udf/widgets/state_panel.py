"""The state panel: a stream's keys and their state, after each micro-batch."""

from __future__ import annotations

import logging
import os
import time
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Annotated, Any, NotRequired, TypedDict
from urllib.parse import unquote, urlparse

from notebook_udf.render.markup import markup
from notebook_udf.render.tables import Table
from notebook_udf.sanitize import first_line
from notebook_udf.state.pages import (
    HistoryData,
    Page,
    diff_page,
    history_page,
    state_page,
    timer_page,
)
from notebook_udf.state.reader import StateReader
from notebook_udf.widgets.panel import Panel
from notebook_udf.widgets.requests import answers
from notebook_udf.widgets.scripts import script

_log = logging.getLogger(__name__)

# Between two checks for a new commit: in a folder of this machine, or elsewhere.
_SECONDS_NEAR = 0.5
_SECONDS_FAR = 5.0
_KEPT_KEYS = 2_000
_TWIN_ROWS = 20
_NOT_OURS = (
    "no function and no state variable is in this state: it is that of operators of Spark's own, "
    "whose variables have no names. spark.read.format('statestore') reads it"
)


class PageKeys(TypedDict):
    """The kernel's numbers for the keys of a page of accumulators; other pages have none."""

    ids: NotRequired[list[int]]


class PageName(TypedDict):
    """The function or state variable that a page is of."""

    name: str


class OperatorData(TypedDict):
    """A stateful operator, and the kinds of its state variables by name."""

    id: int
    name: str
    variables: dict[str, str]


SentPage = Annotated[dict[str, Any], Page, PageKeys]


class StateData(TypedDict):
    """A query's state: the first and the last micro-batch that can be read, operators, functions,
    names and types of keys, and the first page, after the last one, of what was shown last."""

    checkpoint: str
    batches: Annotated[list[int], tuple[int, int]]
    operators: list[OperatorData]
    functions: list[str]
    keys: list[Annotated[list[str], tuple[str, str]]]
    latest: Annotated[dict[str, Any], Page, PageKeys, PageName] | None
    error: str


class StatePanel(Panel):
    """The panel of one query's state. Reading takes Spark a moment, so another thread does it."""

    _esm = script("state")

    def __init__(self, reader: StateReader) -> None:
        self._reader = reader
        self._thread = ThreadPoolExecutor(1, "notebook-udf-state")
        self._closed = False
        # The name whose page after the latest micro-batch is shown, and read again at each commit.
        self._name = next(iter((*reader.functions, *reader.variables)), "")
        self._page: Page | None = None
        self._ids: list[int] = []
        self._error = ""
        self._keys: OrderedDict[int, Any] = OrderedDict()
        self._given = 0
        self._commits = _Commits(reader.checkpoint)
        self._reading: Future[None] | None = None
        super().__init__()
        if self._name:
            self._reread()
        else:
            self._error = _NOT_OURS

    def read(self) -> StateData:
        """The contents of the state, and the first keys after the latest micro-batch."""
        if self._commits.moved():
            self._reread()
        reader, page = self._reader, self._page
        latest = None if page is None else {"name": self._name, **page.to_dict(), "ids": self._ids}
        return {
            "checkpoint": reader.checkpoint,
            "batches": list(reader.batches),
            "operators": [
                {"id": o.id, "name": o.name, "variables": o.variables} for o in reader.operators
            ],
            "functions": list(reader.functions),
            "keys": [list(key) for key in reader.keys],
            "latest": latest,
            "error": self._error,
        }

    def twin(self) -> tuple[str, str]:
        """The functions and their accumulators' types, and the first keys of the page shown."""
        html, text = self._reader._repr_html_(), repr(self._reader)
        page = self._page
        if page is None:
            return html, text
        head = tuple(page.columns)
        rows = [tuple("NULL" if v is None else v for v in row) for row in page.rows[:_TWIN_ROWS]]
        title = f"{self._name} after batch {page.batch}: {len(rows):,} of {page.total:,} keys"
        table = Table(head, rows, title)
        return html + markup(table.html), f"{text}\n\n{table.text}"

    def freeze(self) -> None:
        """Freezes the panel, and prevents further reads."""
        self._closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)
        super().freeze()

    def _reread(self) -> None:
        """Reads the state after the latest micro-batch again, unless a read is in progress."""
        if self._closed or not self._name:
            return
        if self._reading is not None and not self._reading.done():
            self._commits.again()
            return
        self._reading = self._thread.submit(self._read_latest)

    def _read_latest(self) -> None:
        name = self._name
        try:
            reader = self._reader.latest()
            page, keys = state_page(reader, name)
            self._reader, self._error = reader, ""
            if name == self._name:
                self._page, self._ids = page, self._numbered(keys)
        except Exception as error:
            _log.info("the state could not be read", exc_info=True)
            self._error = f"the latest batch cannot be read: {first_line(error)}"

    @answers("page")
    def _asked_page(
        self, name: str, batch: int | None = None, search: str = "", offset: int = 0
    ) -> Future[SentPage]:
        def answer() -> SentPage:
            page, keys = state_page(
                self._reader, name, batch, search=str(search), offset=int(offset)
            )
            ids = self._numbered(keys)
            if batch is None and not search and not offset:
                self._name, self._page, self._ids = name, page, ids
            return {**page.to_dict(), "ids": ids}

        return self._thread.submit(answer)

    @answers("diff")
    def _asked_diff(
        self, name: str, batch1: int, batch2: int, search: str = "", offset: int = 0
    ) -> Future[SentPage]:
        def answer() -> SentPage:
            page = diff_page(
                self._reader, name, int(batch1), int(batch2), search=str(search), offset=int(offset)
            )
            return page.to_dict()

        return self._thread.submit(answer)

    @answers("history")
    def _asked_history(self, key: int) -> Future[HistoryData]:
        return self._thread.submit(lambda: history_page(self._reader, self._keys[key]))

    @answers("timers")
    def _asked_timers(self, batch: int | None = None, offset: int = 0) -> Future[SentPage]:
        return self._thread.submit(
            lambda: timer_page(self._reader, batch, offset=int(offset)).to_dict()
        )

    def _numbered(self, keys: list[Any]) -> list[int]:
        """Numbers keys for the browser to refer to: their texts cannot always be read back."""
        numbers = []
        for key in keys:
            self._given += 1
            self._keys[self._given] = key
            numbers.append(self._given)
        while len(self._keys) > _KEPT_KEYS:
            self._keys.popitem(last=False)
        return numbers


class _Commits:
    """Detects that a query has committed a micro-batch."""

    def __init__(self, checkpoint: str) -> None:
        place = urlparse(checkpoint)
        self._folder = ""
        if place.scheme in ("", "file"):
            self._folder = os.path.join(unquote(place.path), "commits")
        self._seconds = _SECONDS_NEAR if os.path.isdir(self._folder) else _SECONDS_FAR
        self._last: Any = self._state()
        self._looked = time.monotonic()

    def moved(self) -> bool:
        """Whether there may have been a commit since the last call."""
        if time.monotonic() - self._looked < self._seconds:
            return False
        self._looked = time.monotonic()
        before, self._last = self._last, self._state()
        return bool(before != self._last)

    def again(self) -> None:
        """Makes ``moved`` return True once more."""
        self._last = None

    def _state(self) -> Any:
        try:
            return os.stat(self._folder).st_mtime_ns
        except OSError:
            # On a store that cannot be read from here, there may have been a commit at any time.
            return object()
