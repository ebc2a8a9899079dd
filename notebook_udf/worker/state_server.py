"""Spark's state server, as a task of ``transformWithState`` talks to it: many requests at a time.

PySpark's own client sends a request and waits for its answer, some 50 µs each. The server answers
in the order of the requests, so that the requests of many keys can be on their way together. What
is asked when, and what the answers hold, is the business of ``stream_groups``.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

# More than this unanswered could fill the socket in both directions, and both ends would wait.
_WINDOW_BYTES = 16_384

_FRAME = struct.Struct(">ii")
_LENGTH = struct.Struct(">i")
_VERSION = 0
_FOUND, _MISSING = 0, 2


class StateServerError(RuntimeError):
    """Spark refused a request for state."""


class StateServer:
    """One task's connection, through PySpark's client of it.

    Parameters
    ----------
    client
        PySpark's ``StatefulProcessorApiClient``; its socket is used between its own requests.
    """

    def __init__(self, client: Any) -> None:
        # Here, because only tasks with state need protobuf.
        from pyspark.sql.streaming.proto import StateMessage_pb2

        self._messages: Any = StateMessage_pb2
        self._file = client.sockfile
        self._client = client

    # One variable of many keys ---------------------------------------------------------------

    def values(self, variable: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """The pickled value of a ``ValueState`` for each key; None where there is none."""
        m = self._messages
        get = self._variable(valueStateCall=m.ValueStateCall(stateName=variable, get=m.Get()))
        answers = self._exchange(each for key in keys for each in (self._select(key), get))
        return [value or None for _, value in answers[1::2]]

    def update(self, variable: str, values: Iterable[tuple[bytes, bytes]]) -> None:
        """Sets the value of a ``ValueState`` for each pair of a key and a pickled value."""
        m = self._messages
        self._exchange(
            each
            for key, value in values
            for each in (
                self._select(key),
                self._variable(
                    valueStateCall=m.ValueStateCall(
                        stateName=variable, valueStateUpdate=m.ValueStateUpdate(value=value)
                    )
                ),
            )
        )

    def clear(self, variables: Iterable[tuple[str, str]], keys: Iterable[bytes]) -> None:
        """Removes all that variables, given by kind (``value``, ``list``, ``map``) and name, have
        under each key."""
        clears = [self._clear(kind, name) for kind, name in variables]
        self._exchange(each for key in keys for each in (self._select(key), *clears))

    # Entries of a map ------------------------------------------------------------------------

    def entries(self, variable: str, places: Sequence[tuple[bytes, bytes]]) -> list[bytes | None]:
        """The pickled entries of a ``MapState`` under pairs of a key and a pickled key of its own;
        None where there is none."""
        m = self._messages
        requests = []
        for key, own in places:
            call = m.MapStateCall(stateName=variable, getValue=m.GetValue(userKey=own))
            requests += [self._select(key), self._variable(mapStateCall=call)]
        return [value or None for _, value in self._exchange(requests)[1::2]]

    def put_entries(
        self, variable: str, entries: Iterable[tuple[bytes, bytes, bytes | None]]
    ) -> None:
        """Sets entries of a ``MapState``, given as key, own key and value; removes those whose
        value is None."""
        m = self._messages
        requests = []
        for key, own, value in entries:
            if value is None:
                call = m.MapStateCall(stateName=variable, removeKey=m.RemoveKey(userKey=own))
            else:
                update = m.UpdateValue(userKey=own, value=value)
                call = m.MapStateCall(stateName=variable, updateValue=update)
            requests += [self._select(key), self._variable(mapStateCall=call)]
        self._exchange(requests)

    # Timers ----------------------------------------------------------------------------------

    def register_timers(self, timers: Iterable[tuple[bytes, int]]) -> None:
        """Registers a timer for each pair of a key and a time, in milliseconds."""
        m = self._messages
        self._exchange(
            each
            for key, at in timers
            for each in (
                self._select(key),
                self._processor(
                    timerStateCall=m.TimerStateCallCommand(
                        register=m.RegisterTimer(expiryTimestampMs=at)
                    )
                ),
            )
        )

    def delete_timers(self, timers: Iterable[tuple[bytes, int]]) -> None:
        """Takes timers away again."""
        m = self._messages
        self._exchange(
            each
            for key, at in timers
            for each in (
                self._select(key),
                self._processor(
                    timerStateCall=m.TimerStateCallCommand(
                        delete=m.DeleteTimer(expiryTimestampMs=at)
                    )
                ),
            )
        )

    def expired(self) -> Iterator[tuple[Any, int]]:
        """Keys and times of the timers that the watermark has passed."""
        from pyspark.sql.streaming.stateful_processor_api_client import ExpiredTimerIterator

        watermark = self._client.get_timestamps("eventTime")[1]
        yield from ExpiredTimerIterator(self._client, watermark)

    # Wire ------------------------------------------------------------------------------------

    def _select(self, key: bytes) -> bytes:
        m = self._messages
        request = m.ImplicitGroupingKeyRequest(setImplicitKey=m.SetImplicitKey(key=key))
        return bytes(m.StateRequest(implicitGroupingKeyRequest=request).SerializeToString())

    def _variable(self, **call: Any) -> bytes:
        m = self._messages
        request = m.StateRequest(stateVariableRequest=m.StateVariableRequest(**call))
        return bytes(request.SerializeToString())

    def _processor(self, **call: Any) -> bytes:
        m = self._messages
        request = m.StateRequest(statefulProcessorCall=m.StatefulProcessorCall(**call))
        return bytes(request.SerializeToString())

    def _clear(self, kind: str, variable: str) -> bytes:
        m = self._messages
        made = {"value": m.ValueStateCall, "list": m.ListStateCall, "map": m.MapStateCall}[kind]
        call = made(stateName=variable, clear=m.Clear())
        return self._variable(**{f"{kind}StateCall": call})

    def _exchange(self, requests: Iterable[bytes]) -> list[tuple[int, bytes]]:
        """Status and value of the answer to each request."""
        answers: list[tuple[int, bytes]] = []
        waiting, size = 0, 0
        for request in requests:
            if waiting and size + len(request) > _WINDOW_BYTES:
                answers += self._answers(waiting)
                waiting = size = 0
            self._file.write(_FRAME.pack(_VERSION, len(request)))
            self._file.write(request)
            waiting += 1
            size += len(request) + _FRAME.size
        if waiting:
            answers += self._answers(waiting)
        return answers

    def _answers(self, count: int) -> Iterator[tuple[int, bytes]]:
        self._file.flush()
        answer = self._messages.StateResponse()
        for _ in range(count):
            (length,) = _LENGTH.unpack(self._file.read(_LENGTH.size))
            answer.ParseFromString(self._file.read(length))
            if answer.statusCode not in (_FOUND, _MISSING):
                raise StateServerError(answer.errorMessage)
            yield answer.statusCode, answer.value


def pickled(row: tuple[Any, ...]) -> bytes:
    """A row of plain values as the server takes it."""
    return pickle.dumps(row, 5)


def unpickled(value: bytes) -> tuple[Any, ...]:
    """A row as the server sends it."""
    return tuple(pickle.loads(value))
