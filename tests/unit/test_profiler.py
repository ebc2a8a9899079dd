"""The sampler of a worker, without Spark: what is on the way when a profile ends."""

from __future__ import annotations

import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import Any

from notebook_udf.telemetry.records import StackSamples
from notebook_udf.worker.runtime.profiler import Profiler
from tests.scripts import ROOT


class Held(Profiler):
    """Its first sample is taken while ``go`` is awaited."""

    def __init__(self, runtime: Any) -> None:
        super().__init__(runtime)
        self.begun, self.go, self.done = (threading.Event() for _ in range(3))

    def _sample(self, ns: int) -> None:
        super()._sample(ns)
        self.done.set()

    def _where(self, call: Any, frames: Any) -> Any:
        self.begun.set()
        assert self.go.wait(10)
        return super()._where(call, frames)


def one_after_the_other() -> list[tuple[str, int, bool]]:
    """What two profiles sent: their names, how many stacks, whether that was the last."""
    sent: list[StackSamples] = []
    call = SimpleNamespace(name="f", file=__file__, awaiting=lambda turn: None)
    task = SimpleNamespace(identity=SimpleNamespace(task_attempt=1, query="1"), active=call)
    runtime = SimpleNamespace(task=task, loop_thread=None, send=sent.append)
    profiler = Held(runtime)
    profiler.ask("first", 60.0)
    assert profiler.begun.wait(10)
    profiler.ask("first", 0.0)
    profiler.go.set()
    assert profiler.done.wait(10)
    runtime.task = None
    profiler.ask("second", 60.0)
    profiler.ask("second", 0.0)
    return [(record.profile, len(record.counts), record.last) for record in sent]


def test_a_sample_that_comes_after_its_profile_is_in_no_other() -> None:
    # In a process of its own, with which the sampler's thread ends.
    code = "from tests.unit import test_profiler as t; print(t.one_after_the_other())"
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert said.stdout.strip() == "[('first', 0, True), ('second', 0, True)]", said.stderr
