"""A client of Spark's state server, for a task of ``transformWithState``, that pipelines requests.

PySpark's own client sends a request and waits for its answer, some 50 µs each. The server answers
in the order of the requests, so that the requests of many keys can be under way together.
``group_states`` and ``process_state`` decide what is requested when.
"""

from __future__ import annotations

import io
import pickle
import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

# More than twice this unanswered could fill the socket both ways, and both ends would wait.
_PART_BYTES = 8_192

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

    Attributes
    ----------
    requests, round_trips
        How many requests were sent, and how often their answers were waited for.
    """

    def __init__(self, client: Any) -> None:
        # Here, because only tasks with state need protobuf.
        from pyspark.sql.streaming.proto import StateMessage_pb2

        self._messages: Any = StateMessage_pb2
        self._file = client.sockfile
        self._client = client
        # Makes a key the one that the requests behind it are about.
        self._select = _Template(self._selected).with_end
        self.requests = 0
        self.round_trips = 0

    # One variable of many keys ---------------------------------------------------------------

    def values(self, variable: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """The pickled value of a ``ValueState`` for each key; None where there is none."""
        m = self._messages
        get = self._variable(valueStateCall=m.ValueStateCall(stateName=variable, get=m.Get()))
        answers = self._exchange(each for key in keys for each in (self._select(key), get))
        return [value or None for value in answers[1::2]]

    def update(self, variable: str, values: Iterable[tuple[bytes, bytes]]) -> None:
        """Sets the value of a ``ValueState`` for each pair of a key and a pickled value."""
        m = self._messages

        def updating(value: bytes) -> bytes:
            update = m.ValueStateUpdate(value=value)
            call = m.ValueStateCall(stateName=variable, valueStateUpdate=update)
            return self._variable(valueStateCall=call)

        update = _Template(updating).with_end
        self._exchange(each for key, v in values for each in (self._select(key), update(v)))

    def clear(self, variables: Iterable[tuple[str, str]], keys: Iterable[bytes]) -> None:
        """Removes all that variables, given by kind (``value``, ``list``, ``map``) and name, have
        under each key."""
        clears = [self._clear(kind, name) for kind, name in variables]
        self._exchange(each for key in keys for each in (self._select(key), *clears))

    # Entries of a map ------------------------------------------------------------------------

    def entries(self, variable: str, places: Sequence[tuple[bytes, bytes]]) -> list[bytes | None]:
        """The pickled entries of a ``MapState`` at pairs of a key and a pickled key of its own;
        None where there is none."""
        m = self._messages
        requests = []
        for key, own in places:
            call = m.MapStateCall(stateName=variable, getValue=m.GetValue(userKey=own))
            requests += [self._select(key), self._variable(mapStateCall=call)]
        return [value or None for value in self._exchange(requests)[1::2]]

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
        self._change_timers(timers, "register", self._messages.RegisterTimer)

    def delete_timers(self, timers: Iterable[tuple[bytes, int]]) -> None:
        """Deletes timers."""
        self._change_timers(timers, "delete", self._messages.DeleteTimer)

    def _change_timers(self, timers: Iterable[tuple[bytes, int]], what: str, message: Any) -> None:
        command = self._messages.TimerStateCallCommand
        requests = []
        for key, at in timers:
            call = command(**{what: message(expiryTimestampMs=at)})
            asked = self._messages.StatefulProcessorCall(timerStateCall=call)
            requests += [self._select(key), self._request(statefulProcessorCall=asked)]
        self._exchange(requests)

    def expired(self) -> Iterator[tuple[Any, int]]:
        """Keys and times of the timers that the watermark has passed."""
        from pyspark.sql.streaming.stateful_processor_api_client import ExpiredTimerIterator

        watermark = self._client.get_timestamps("eventTime")[1]
        yield from ExpiredTimerIterator(self._client, watermark)

    # Wire ------------------------------------------------------------------------------------

    def _request(self, **request: Any) -> bytes:
        return bytes(self._messages.StateRequest(**request).SerializeToString())

    def _selected(self, key: bytes) -> bytes:
        m = self._messages
        request = m.ImplicitGroupingKeyRequest(setImplicitKey=m.SetImplicitKey(key=key))
        return self._request(implicitGroupingKeyRequest=request)

    def _variable(self, **call: Any) -> bytes:
        return self._request(stateVariableRequest=self._messages.StateVariableRequest(**call))

    def _clear(self, kind: str, variable: str) -> bytes:
        m = self._messages
        made = {"value": m.ValueStateCall, "list": m.ListStateCall, "map": m.MapStateCall}[kind]
        call = made(stateName=variable, clear=m.Clear())
        return self._variable(**{f"{kind}StateCall": call})

    def _exchange(self, requests: Iterable[bytes]) -> list[bytes]:
        """Sends requests; returns the value of the answer to each, empty where there is none.

        Requests are sent in parts, the next one while the server answers the one before.
        """
        answers: list[bytes] = []
        sent: deque[tuple[int, int]] = deque()
        frame, write = _FRAME.pack, self._file.write
        count = size = unanswered = 0
        for request in requests:
            length = len(request)
            if count and size + length > _PART_BYTES:
                self._file.flush()
                sent.append((count, size))
                unanswered += size
                count = size = 0
            while sent and unanswered + length > 2 * _PART_BYTES:
                answered, size_of = sent.popleft()
                answers += self._answers(answered)
                unanswered -= size_of
            write(frame(_VERSION, length) + request)
            count += 1
            size += length + _FRAME.size
        self._file.flush()
        for answered in [*(each for each, _ in sent), count]:
            answers += self._answers(answered)
        return answers

    def _answers(self, count: int) -> Iterator[bytes]:
        self.requests += count
        self.round_trips += 1 if count else 0
        read, parse = self._file.read, self._messages.StateResponse.FromString
        for _ in range(count):
            (length,) = _LENGTH.unpack(read(_LENGTH.size))
            if not length:
                # What most requests are answered: done, and nothing to tell.
                yield b""
                continue
            answer = parse(read(length))
            if answer.statusCode not in (_FOUND, _MISSING):
                raise StateServerError(answer.errorMessage)
            yield answer.value


class _Template:
    """Messages that differ in their end only, built from one that was encoded for its length."""

    def __init__(self, encoded: Callable[[bytes], bytes]) -> None:
        self._encoded = encoded
        self._beginnings: dict[int, bytes] = {}

    def with_end(self, end: bytes) -> bytes:
        """The message with this end."""
        length = len(end)
        beginning = self._beginnings.get(length)
        if beginning is None:
            whole = self._encoded(end)
            beginning = self._beginnings[length] = whole[: len(whole) - length]
        return beginning + end


def pickled(row: tuple[Any, ...]) -> bytes:
    """A row of plain values in the form that the server takes."""
    return pickle.dumps(row, 5)


def unpickled(value: bytes) -> tuple[Any, ...]:
    """A row from the form in which the server sends it."""
    return tuple(_Rows(io.BytesIO(value)).load())


class _Rows(pickle.Unpickler):
    """Unpickles rows to their values: parsing the schema that comes with each takes far longer."""

    def find_class(self, module: str, name: str) -> Any:
        return _SHORT.get(name) or super().find_class(module, name)


def _no_schema(_text: str) -> None:
    return None


def _values(*values: Any) -> tuple[Any, ...]:
    return values


# In the place of PySpark's functions of these names.
_SHORT = {
    "_parse_datatype_json_string": _no_schema,
    "_create_row_inbound_converter": lambda _schema: _values,
}
