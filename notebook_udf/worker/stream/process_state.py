"""The states of a chain of process functions, in one partition of a stream's state.

A key's states, those of all functions of the chain, are one value: read when the first of its
records comes, together with those of other keys, and written when the last one has been processed.
States that belong to no key are one value of the partition, and so is the list of its keys, where a
function may ask for all of them at the end of the input. Large lists and mappings are in entries of
their own, behind the caches of ``cache``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.process_states import NO_KEY
from notebook_udf.functions.views import ListView
from notebook_udf.specs.chain_layout import StreamedLayout
from notebook_udf.specs.state_layout import ACCUMULATORS, PARTITION, VIEWS
from notebook_udf.types import to_arrow
from notebook_udf.worker.codec.group_keys import key_names, keys_of
from notebook_udf.worker.process.chain_step import RunningStep
from notebook_udf.worker.state.cache import EntryCache
from notebook_udf.worker.state.client import StateServer, StateServerError, pickled, unpickled
from notebook_udf.worker.state.process_values import is_empty, packed, unpacked
from notebook_udf.worker.state.spilled_views import Keeper
from notebook_udf.worker.state.state_keys import from_internal, keys_at
from notebook_udf.worker.state.view_entries import ViewEntries


@dataclass
class _Held:
    """The origin of a key's states, while the functions have them."""

    place: bytes
    value: bytes | None = None
    views: dict[str, int] = field(default_factory=dict)


class PartitionStates:
    """The states of a chain's functions in one partition.

    Parameters
    ----------
    server
        The state server.
    steps
        The functions, which are begun.
    partition
        The partition's number.
    """

    def __init__(
        self,
        layout: StreamedLayout,
        server: StateServer,
        steps: Sequence[RunningStep],
        partition: int,
    ) -> None:
        self._layout = layout
        self._server = server
        remembering = [step for step in steps if step.step.states or step.step.ends]
        self._keyed = [step for step in remembering if step.step.keyed]
        self._own = [step for step in remembering if not step.step.keyed]
        self._cache = EntryCache(
            ViewEntries(server), reads=layout.cached_reads, writes=layout.cached_writes
        )
        self._keeper = Keeper(self._cache)
        self._key_types = [to_arrow(f.dataType) for f in layout.key_types.fields]
        self._held: dict[Any, _Held] = {}
        # The keys of the partition, as the state has them.
        self._keys: ListView[tuple[Any, ...]] = ListView()
        width = len(layout.key_types.fields)
        keyed = bool(layout.chain.keys)
        self._variable = PARTITION if keyed else ACCUMULATORS
        self._partition = _Held(pickled((None,) * width if keyed else (partition,)))
        for step in steps:
            step.states.forget()
        self._load_partition()

    # Keys ------------------------------------------------------------------------------------

    def load(self, keys: Sequence[Any], rows: pa.RecordBatch, firsts: Sequence[int]) -> None:
        """Gives functions the states of keys, each key named by a row that has it."""
        if not self._keyed:
            return
        fresh = [(k, at) for k, at in zip(keys, firsts, strict=True) if k not in self._held]
        places = keys_at(rows, [at for _, at in fresh], len(self._key_types))
        self._hold([key for key, _ in fresh], places)

    def save(self, but: Any = NO_KEY) -> None:
        """Takes the states of all keys back, except for one, and stores what has changed."""
        written: list[tuple[bytes, bytes]] = []
        cleared: list[bytes] = []
        # Identity as well, because NaN is unequal to itself.
        for key in [key for key in self._held if key is not but and key != but]:
            held = self._held.pop(key)
            contents = [step.states.take(key) for step in self._keyed]
            if all(map(is_empty, contents)) and not self._layout.lists:
                self._keeper.drop(held.place, held.views)
                cleared += [] if held.value is None else [held.place]
                continue
            value = self._dumped(held, self._keyed, contents, [], key)
            written += [] if value is None else [(held.place, value)]
        if self._keyed:
            self._cache.flush()
            self._server.update(ACCUMULATORS, written)
            self._server.clear((("value", ACCUMULATORS), ("map", VIEWS)), cleared)

    def every_key(self) -> Iterator[list[Any]]:
        """The keys the stream has had, some at a time; functions have their states meanwhile."""
        rows = list(self._keys)
        for start in range(0, len(rows), self._layout.cached_keys):
            part = rows[start : start + self._layout.cached_keys]
            keys = keys_of(from_internal(part, self._key_types), len(part))
            self._hold(keys, list(map(pickled, part)))
            yield keys

    def finish(self) -> None:
        """Stores everything: the bundle's last record has been processed."""
        self.save()
        if self._own or self._layout.lists:
            contents = [step.states.take(NO_KEY) for step in self._own]
            known = self._partition.value is not None
            if not known and all(map(is_empty, contents)) and not list(self._keys):
                return
            value = self._dumped(self._partition, self._own, contents, self._keys, NO_KEY)
            if value is not None:
                self._server.update(self._variable, [(self._partition.place, value)])
        self._cache.flush()

    # State -----------------------------------------------------------------------------------

    def _hold(self, keys: Sequence[Any], places: Sequence[bytes]) -> None:
        values = self._server.values(ACCUMULATORS, places)
        for key, place, value in zip(keys, places, values, strict=True):
            held = self._held[key] = _Held(place)
            found, _ = self._loaded(held, value)
            for step, part in zip(self._keyed, found or [None] * len(self._keyed), strict=True):
                states = step.states
                states.put(key, None if part is None else unpacked(states.declared, part))
            if value is None and self._layout.lists:
                self._keys.add(unpickled(place))

    def _load_partition(self) -> None:
        if not self._own and not self._layout.lists:
            return
        (value,) = self._server.values(self._variable, [self._partition.place])
        found, keys = self._loaded(self._partition, value)
        if found is None:
            return
        self._keys = keys
        for step, part in zip(self._own, found, strict=True):
            step.states.put(NO_KEY, unpacked(step.states.declared, part))

    def _loaded(self, held: _Held, value: bytes | None) -> tuple[list[Any] | None, Any]:
        if value is None:
            return None, None
        held.value = unpickled(value)[0]
        (found, keys, _), held.views = self._keeper.load(held.place, held.value)
        return found, keys

    def _dumped(
        self,
        held: _Held,
        steps: Sequence[RunningStep],
        contents: Sequence[Any],
        keys: Any,
        key: Any,
    ) -> bytes | None:
        """The bytes to store; None if they are stored already."""
        parts = [
            packed(step.states.declared, content)
            for step, content in zip(steps, contents, strict=True)
        ]
        try:
            value, views = self._keeper.dump(held.place, (parts, keys, 1))
        except StateServerError:
            raise
        except Exception:
            self._blame(held, steps, parts, key)
            raise
        gone = {name: size for name, size in held.views.items() if name not in views}
        self._keeper.drop(held.place, gone)
        return None if value == held.value else pickled((value,))

    def _blame(
        self, held: _Held, steps: Sequence[RunningStep], parts: Sequence[Any], key: Any
    ) -> None:
        """Ends the task with the name of the function whose states cannot be pickled."""
        group = self.named(key)
        for step, part in zip(steps, parts, strict=True):
            for name, value in part.items():
                try:
                    self._keeper.dump(held.place, value)
                except Exception as error:
                    step.call.fail(
                        DeclarationError(
                            f"the state {name!r} of {step.call.name} cannot be kept "
                            f"({type(error).__name__}: {error}): keep only what can be pickled"
                        ),
                        group=group,
                    )

    def named(self, key: Any) -> Mapping[str, Any]:
        """A key's values by the names of its columns; empty where there is no key."""
        if key is NO_KEY:
            return {}
        return key_names(key, self._layout.chain.keys)
