"""The workers panel: the pool's workers, their status and resources, and commands to them."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any, TypedDict

from notebook_udf.errors import SessionError
from notebook_udf.pool.view import LOG_LEVELS, PoolView
from notebook_udf.render.markup import details, li, markup, summary, ul
from notebook_udf.sanitize import one_line, plain
from notebook_udf.widgets.panel import Panel
from notebook_udf.widgets.requests import answers
from notebook_udf.widgets.scripts import script

MOST_WORKERS = 100
MOST_ENDED = 50
_STACK = 20_000
_ERROR = 300
_NAME = 80
# A worker's status comes every second; two of them make a rate.
_PULSES = 3


class WorkerFacts(TypedDict):
    """A worker's status: memory in bytes (``memory_limit`` is 0 without one), times in seconds
    since the epoch, ``cpu`` in seconds of processor time, and the last error."""

    pid: int
    bundle: int
    memory: int
    peak_memory: int
    memory_limit: int
    started: float
    seen: float
    bundles_done: int
    rows_done: int
    failures: int
    state: str
    function: str
    cpu: float
    error: str


class LivingWorker(WorkerFacts):
    """A live worker, with the row and the task it is at (``partition`` is -1 outside of a task)
    and the share of a processor that it uses now."""

    row: int
    cpu_now: float
    query: str
    partition: int


class EndedWorker(WorkerFacts):
    """A worker that has ended; ``how`` says in what way."""

    how: str


class PoolData(TypedDict):
    """The first live workers, oldest first, and the last to end, latest first, with the
    numbers of all (``alive``, ``gone``)."""

    size: int
    log_level: str
    log_levels: list[str]
    alive: int
    workers: list[LivingWorker]
    ended: list[EndedWorker]
    gone: int


class PoolPanel(Panel):
    """The panel of the live workers and the latest of those that ended."""

    _esm = script("pool")

    def __init__(self, pool: PoolView) -> None:
        self._pool = pool
        self._cpu: dict[int, deque[tuple[float, float]]] = {}
        super().__init__()

    def read(self) -> PoolData:
        """The current status of the workers."""
        facts = self._pool.to_dict()
        living, ended = facts["workers"], facts["ended"][::-1]
        self._cpu = {each["pid"]: self._cpu.get(each["pid"], _rates()) for each in living}
        return {
            "size": facts["size"],
            "log_level": facts["log_level"],
            "log_levels": list(LOG_LEVELS),
            "alive": len(living),
            "workers": [self._worker(each) for each in islice(living, MOST_WORKERS)],
            "ended": [_ended(each) for each in islice(ended, MOST_ENDED)],
            "gone": len(ended),
        }

    def _worker(self, facts: dict[str, Any]) -> LivingWorker:
        measured = self._cpu[facts["pid"]]
        now = (facts["seen"], facts["cpu_seconds"])
        if not measured or measured[-1][1] != now[1]:
            measured.append(now)
        (first, before), (last, after) = measured[0], measured[-1]
        # A busy worker's processor time grows every second; one whose time stands still is idle.
        idle = facts["seen"] - last > 2.5 or last <= first
        task = facts["task"]
        return {
            **_shown(facts),
            "row": facts["row"],
            "cpu_now": 0.0 if idle else round((after - before) / (last - first), 2),
            "query": one_line(task["query"], _NAME) if task else "",
            "partition": task["partition"] if task else -1,
        }

    def twin(self) -> tuple[str, str]:
        """The live workers as a table, and how the latest others ended."""
        gone = [_ended(each) for each in self._pool.to_dict()["ended"][: -MOST_ENDED - 1 : -1]]
        told = [f"worker {each['pid']} {each['how']}" for each in gone]
        fold = details(summary(f"{len(told):,} ended"), ul(map(li, told))) if told else None
        return self._pool._repr_html_() + markup(fold), "\n".join([repr(self._pool), *told])

    @answers("stack")
    def _stack(self, pid: int) -> str:
        stacks = self._pool.stacks(pid, timeout=2.0)
        if pid not in stacks:
            raise SessionError(
                f"worker {pid} did not say what it is doing: it has ended, or holds the "
                "interpreter in native code"
            )
        return plain(stacks[pid], _STACK)

    @answers("restart")
    def _restart(self, pid: int | None = None) -> list[int]:
        return self._pool.restart(pid)

    @answers("log_level")
    def _set_log_level(self, level: str) -> None:
        self._pool.set_log_level(level)


def _rates() -> deque[tuple[float, float]]:
    return deque(maxlen=_PULSES)


def _shown(facts: dict[str, Any]) -> WorkerFacts:
    return {
        "pid": facts["pid"],
        "bundle": facts["bundle"],
        "memory": facts["memory"],
        "peak_memory": facts["peak_memory"],
        "memory_limit": facts["memory_limit"],
        "started": facts["started"],
        "seen": facts["seen"],
        "bundles_done": facts["bundles_done"],
        "rows_done": facts["rows_done"],
        "failures": facts["failures"],
        "state": one_line(facts["state"], _NAME),
        "function": one_line(facts["function"], _NAME),
        "cpu": round(facts["cpu_seconds"], 1),
        "error": one_line(facts["last_error"], _ERROR),
    }


def _ended(facts: dict[str, Any]) -> EndedWorker:
    return {**_shown(facts), "how": facts["ended"]}
