"""A real HTTP service on loopback, for async functions to call; it counts what it is asked."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from aiohttp import web

from notebook_udf import AsyncScalarFunction, FunctionContext


class Service:
    """Answers ``GET /?x=7`` with ``7``, after ``delay`` seconds, unless ``answer`` says otherwise.

    Attributes
    ----------
    asked
        How often it was asked for each x.
    peak
        The most requests it had at one time.
    """

    def __init__(self) -> None:
        self.asked: Counter[int] = Counter()
        self.now = self.peak = 0
        self.delay = 0.0
        self.answer: Callable[[int, int], Any] | None = None
        self.changed = threading.Condition()
        self.url = ""
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        assert self._ready.wait(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        app = web.Application()
        app.router.add_get("/", self._handle)
        self._runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True
        )
        self._loop.run_until_complete(self._runner.setup())
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        self._loop.run_until_complete(site.start())
        host, port = self._runner.addresses[0]
        self.url = f"http://{host}:{port}/"
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._runner.cleanup())
        self._loop.close()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        x = int(request.query["x"])
        self.asked[x] += 1
        self._move(1)
        try:
            found = self.answer(x, self.asked[x]) if self.answer is not None else self.delay
            if found == "close":
                assert request.transport is not None
                request.transport.abort()
                return web.Response()
            if found == "half":
                # Of the body it has announced only the beginning comes.
                response = web.StreamResponse(headers={"Content-Length": "100"})
                await response.prepare(request)
                await response.write(b"1")
                assert request.transport is not None
                request.transport.abort()
                return response
            if isinstance(found, int) and found >= 400:
                return web.Response(status=found)
            await asyncio.sleep(float(found))
            return web.Response(text=str(x))
        finally:
            self._move(-1)

    def _move(self, by: int) -> None:
        with self.changed:
            self.now += by
            self.peak = max(self.peak, self.now)
            self.changed.notify_all()

    def wait_for(self, predicate: Callable[[Service], bool], seconds: float = 10.0) -> None:
        """Until something is true of it.

        Raises
        ------
        AssertionError
            If it is not, ``seconds`` later.
        """
        with self.changed:
            assert self.changed.wait_for(lambda: predicate(self), seconds), self.asked

    def stop(self) -> None:
        """Closes every connection."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()


class Asks(AsyncScalarFunction):
    """Asks the service for a number; one client for a worker's tasks of a query."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def open(self, function_context: FunctionContext) -> None:  # type: ignore[override]
        import aiohttp

        self.client = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))

    async def eval(self, x: int) -> int:
        async with self.client.get(self.url, params={"x": x}) as response:
            response.raise_for_status()
            return int(await response.text())

    async def close(self) -> None:  # type: ignore[override]
        await self.client.close()
