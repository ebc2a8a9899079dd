"""Many programs listen where Spark would show its pages: a session starts all the same."""

from __future__ import annotations

import socket
from contextlib import ExitStack, suppress

import pytest

from tests.scripts import script, told

# Spark's own default tries the first of them and the sixteen behind it.
PORTS = range(4040, 4040 + 24)

PROGRAM = """
session = nu.session(workers=1)
tell(answer=session.sql("SELECT 1 AS one").first().one, page=session.spark.sparkContext.uiWebUrl)
session.stop()
"""


@pytest.mark.timeout(180)
def test_its_page_gets_another_port() -> None:
    held = set()
    with ExitStack() as taken:
        for port in PORTS:
            each = taken.enter_context(socket.socket())
            with suppress(OSError):
                # Another session may have it, which does as well until that ends.
                each.bind(("127.0.0.1", port))
                each.listen()
                held.add(port)
        with script(PROGRAM) as process:
            found = told(process)
            assert found["answer"] == 1
            port = int(found["page"].rpartition(":")[2])
            assert port >= PORTS.stop or port not in held
            assert len(held) > len(PORTS) // 2
            assert process.wait(60) == 0
