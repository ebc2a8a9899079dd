"""Detects the peers that a listening socket refused, from its monitor's events.

libzmq reports why it refused a peer, but not always that it did: a peer whose first bytes are no
greeting is dropped without an event. So connections are followed from ``ACCEPTED`` to
``DISCONNECTED``, and one that ends without a handshake in between was refused. No sockets in
here; the events come from ``receiver``.
"""

from __future__ import annotations

import zmq


class Handshakes:
    """Tracks the handshakes on one listening socket.

    ``HANDSHAKE_SUCCEEDED`` does not name its connection. While several handshakes are open, only
    the number of those that succeeded is known. A connection that then ends is taken for a
    succeeded one, so a refusal may be counted late; the sum is right once all have ended.
    """

    def __init__(self) -> None:
        self._undecided: set[int] = set()
        self._through = 0

    @property
    def open(self) -> bool:
        """Whether a peer may be amid its handshake: what it has to say is yet to come."""
        return bool(self._undecided)

    def event(self, event: zmq.Event, descriptor: int) -> bool:
        """Applies the next event; returns whether it means that a peer was refused."""
        if event == zmq.Event.ACCEPTED:
            self._undecided.add(descriptor)
        elif event == zmq.Event.HANDSHAKE_SUCCEEDED:
            self._through += 1
            self._settle()
        elif event == zmq.Event.DISCONNECTED and descriptor in self._undecided:
            self._undecided.remove(descriptor)
            was_through = self._through > 0
            self._through -= was_through
            self._settle()
            return not was_through
        return False

    def _settle(self) -> None:
        if self._through >= len(self._undecided):
            self._undecided.clear()
            self._through = 0
