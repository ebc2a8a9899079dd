"""A web service on this machine that takes its time, and fails now and then."""

from __future__ import annotations

import asyncio
import math
import threading
from collections import Counter

from tornado.web import Application, RequestHandler

SECONDS = 0.02
MOST_AT_ONCE = 40
FAILS_EVERY = 20


class SunService:
    """Says over HTTP how long the sun is up: ``URL?latitude=40.6&day=172`` gives ``hours``.

    It answers after 20 milliseconds, refuses more than 40 requests at a time (429), and fails in
    every twentieth (503). It runs on a thread of this process, until that ends.

    Attributes
    ----------
    url
        Its address.
    books
        What it was asked: ``requests``, ``failed``, ``refused``, ``at once`` and ``most at once``.
    """

    def __init__(self) -> None:
        self.url = ""
        self.books: Counter[str] = Counter()
        self._started = threading.Event()
        threading.Thread(target=self._serve, name="sun service", daemon=True).start()
        self._started.wait()

    def _serve(self) -> None:
        asyncio.run(self._listen())

    async def _listen(self) -> None:
        from tornado.httpserver import HTTPServer
        from tornado.netutil import bind_sockets

        (socket,) = bind_sockets(0, "127.0.0.1")
        routes = [("/sun", _Sun, {"books": self.books})]
        application = Application(routes, log_function=lambda handler: None)
        HTTPServer(application).add_sockets([socket])
        self.url = f"http://127.0.0.1:{socket.getsockname()[1]}/sun"
        self._started.set()
        await asyncio.Event().wait()


class _Sun(RequestHandler):
    def initialize(self, books: Counter[str]) -> None:
        self.books = books

    async def get(self) -> None:
        books = self.books
        books["requests"] += 1
        books["at once"] += 1
        books["most at once"] = max(books["most at once"], books["at once"])
        try:
            if books["at once"] > MOST_AT_ONCE:
                books["refused"] += 1
                self.set_status(429)
            elif books["requests"] % FAILS_EVERY == 0:
                books["failed"] += 1
                self.set_status(503)
            else:
                await asyncio.sleep(SECONDS)
                latitude = float(self.get_argument("latitude"))
                self.write({"hours": daylight(latitude, int(self.get_argument("day")))})
        finally:
            books["at once"] -= 1


def daylight(latitude: float, day: int) -> float:
    """Hours between sunrise and sunset, on a day of the year from 1."""
    tilt = math.radians(23.44) * math.sin(2 * math.pi * (284 + day) / 365)
    up = -math.tan(math.radians(latitude)) * math.tan(tilt)
    return 24 / math.pi * math.acos(max(-1.0, min(1.0, up)))
