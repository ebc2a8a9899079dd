"""The listener for streaming queries that fail, which the JVM calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from py4j.java_gateway import quiet_shutdown
from pyspark import SparkContext

from notebook_udf.host.classic.scala import private_field

# In py4j's client of callbacks: its connections, and what guards them.
_LISTED = ("connections", "lock")


class StreamFailures:
    """Tells of each streaming query that has failed.

    Parameters
    ----------
    tell
        Called with ``id/runId``.
    """

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell
        self._wrapped: Any = None
        # By run: the connection that py4j opened for the thread of the query, and a thread of this
        # process with it. They would outlive the query, as would those of ``foreachBatch``.
        self._connections: dict[str, Any] = {}

    @property
    def _jlistener(self) -> Any:
        # PySpark would parse every event in full, those of micro-batches too, and cannot parse the
        # start of a query if its cell's jobs have a tag.
        if self._wrapped is None:
            jvm: Any = SparkContext._jvm
            self._wrapped = jvm.PythonStreamingQueryListenerWrapper(self)
        return self._wrapped

    # What the JVM calls.

    def _nothing(self, event: Any) -> None:
        """Ignores the event."""

    onQueryProgress = onQueryIdle = _nothing  # noqa: N815

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """Called in the query's own thread, as its ``foreachBatch`` is."""
        gateway = SparkContext._gateway
        assert gateway is not None
        connection = gateway._gateway_client.get_thread_connection()
        self._connections[event.runId().toString()] = connection

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Tells of the query, if it has failed."""
        run = event.runId().toString()
        # First, since what follows may fail on a connection that is broken.
        if event.exception().isDefined():
            self._tell(f"{event.id().toString()}/{run}")
        connection = self._connections.pop(run, None)
        if connection is not None and connection.socket is not None:
            # The query's thread calls nothing after this; ours ends as it reads the end.
            port = int(connection.socket.getpeername()[1])
            quiet_shutdown(connection.socket)
            _close_in_java(port)

    class Java:
        implements: ClassVar = ["org.apache.spark.sql.streaming.PythonStreamingQueryListener"]


def _close_in_java(port: int) -> None:
    """Closes the JVM's end of a connection, which py4j would keep in a list for good."""
    gateway: Any = SparkContext._gateway
    client = gateway.java_gateway_server.getCallbackClient()
    listed, lock = (private_field(client, name).get(client) for name in _LISTED)
    lock.lock()
    try:
        for each in listed.toArray():
            socket = each.getSocket()
            if socket is not None and socket.getLocalPort() == port:
                listed.remove(each)
                each.shutdown()
    finally:
        lock.unlock()
