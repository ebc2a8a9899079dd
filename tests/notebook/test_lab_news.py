"""What the kernel tells browsers that show it, and how it answers them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from IPython.core.events import EventManager, available_events
from notebook_kernel import Kernel, drain

from notebook_udf.lab.publisher import LabNews
from notebook_udf.widgets.pulse import Pulse

PARTS = {"session", "functions", "workers", "queries", "streams", "logs", "cells", "busy"}


@pytest.fixture
def loaded(bare: Kernel) -> Iterator[Kernel]:
    assert bare.run("%load_ext notebook_udf").ok
    yield bare
    bare.run("%unload_ext notebook_udf")


def ask(kernel: Kernel, data: Any, until: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Sends a message as a browser does; returns the first one back that is looked for."""
    drain(kernel.client)
    client = kernel.client
    client.shell_channel.send(
        client.session.msg("comm_msg", {"comm_id": "notebook-udf", "data": data})
    )
    deadline = time.monotonic() + 30
    while True:
        message = client.get_iopub_msg(timeout=max(0.0, deadline - time.monotonic()))
        content = message["content"]
        if message["msg_type"] == "comm_msg" and content["comm_id"] == "notebook-udf":
            assert not message["parent_header"], "it belongs to no cell"
            if until(content["data"]):
                found: dict[str, Any] = content["data"]
                return found


def test_it_can_be_found_while_it_is_loaded(bare: Kernel) -> None:
    def known() -> bool:
        reply = bare.client.comm_info("notebook-udf", reply=True, timeout=30)
        return "notebook-udf" in reply["content"]["comms"]

    assert bare.run("%load_ext notebook_udf").ok
    assert known()
    assert bare.run("%unload_ext notebook_udf").ok
    assert not known()


def test_hello_is_answered_with_everything(loaded: Kernel) -> None:
    hello = {"id": "a", "command": "hello"}
    assert ask(loaded, hello, lambda data: "id" in data) == {"id": "a", "result": True}
    news = ask(loaded, hello, lambda data: "news" in data)["news"]
    assert set(news) == PARTS
    assert news["session"] is None
    assert news["cells"] == {}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"id": "b", "command": "explode"}, "there is no command 'explode'"),
        ({"id": "b", "command": "restart"}, "there is no session"),
        ({"id": "b", "command": "end_stream", "arguments": {"run": "x"}}, "TypeError"),
        ({"id": "b"}, "KeyError"),
    ],
)
def test_every_request_is_answered(loaded: Kernel, asked: dict[str, Any], said: str) -> None:
    assert said in ask(loaded, asked, lambda data: data.get("id") == "b")["error"]


class Listening:
    """A shell whose kernel keeps what it sends."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.events = EventManager(self, available_events)
        self.kernel = SimpleNamespace(
            comm_manager=SimpleNamespace(comms={}, register_comm=lambda comm: None),
            session=SimpleNamespace(send=self._send),
            iopub_socket=None,
        )

    def get_parent(self) -> dict[str, Any]:
        return {}

    def _send(self, socket: Any, kind: str, content: dict[str, Any], **_: Any) -> None:
        self.sent.append(content["data"])


def test_nothing_is_sent_to_nobody() -> None:
    shell, now = Listening(), [0.0]
    # It is refreshed by hand here.
    never = Pulse(3_600.0)
    news = LabNews(shell, lambda: None, lambda _: False, clock=lambda: now[0], pulse=never)
    news.install()
    assert not news.listened_to
    news._asked({"id": "a", "command": "hello"})
    assert news.listened_to
    news.refresh()
    assert [set(each["news"]) for each in shell.sent if "news" in each] == [PARTS]
    news._asked({"id": "b", "command": "here"})
    count = len(shell.sent)
    # Without news there is nothing to answer, however long it takes.
    now[0] += 10_000
    news.refresh()
    assert len(shell.sent) == count
    assert news.listened_to
    info = SimpleNamespace(cell_id="c", raw_cell="%%udf\n1")
    failed = SimpleNamespace(info=info, error_before_exec=None, error_in_exec=ValueError("no"))
    shell.events.trigger("pre_run_cell", info)
    shell.events.trigger("post_run_cell", failed)
    news.refresh()
    assert shell.sent[-1]["news"]["cells"]["c"]["error"] == "ValueError: no"
    # While a cell runs a browser cannot be heard.
    shell.events.trigger("pre_run_cell", info)
    now[0] += 10_000
    news.refresh()
    assert news.listened_to
    shell.events.trigger("post_run_cell", failed)
    news._asked({"id": "c", "command": "hello"})
    news.refresh()
    now[0] += 10_000
    news.refresh()
    assert not news.listened_to
    news.uninstall()
    assert shell.sent[-1] == {"gone": True}
