"""The entries of large state views, as Spark's state server keeps them."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

from notebook_udf.specs.pickling import dumps
from notebook_udf.specs.state_layout import VIEWS
from notebook_udf.worker.state.cache import ABSENT, Place
from notebook_udf.worker.state.client import StateServer, pickled, unpickled


class ViewEntries:
    """The entries of large views in a stream's state, read and written many at a time."""

    def __init__(self, server: StateServer) -> None:
        self._server = server

    def read(self, places: Sequence[Place]) -> list[Any]:
        found = self._server.entries(VIEWS, [(key, pickled(name)) for key, name in places])
        return [ABSENT if v is None else pickle.loads(unpickled(v)[0]) for v in found]

    def write(self, entries: Any) -> None:
        self._server.put_entries(
            VIEWS,
            [
                (key, pickled(name), None if v is ABSENT else pickled((dumps(v),)))
                for (key, name), v in entries
            ],
        )
