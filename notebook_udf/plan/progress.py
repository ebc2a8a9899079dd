"""The progress of a cell's jobs, summed up in few stages from Spark's status store.

``host.jobs`` has what reads the store; a frozen ``Progress`` comes out. No Spark in here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

# ``ended``: the run is over, and Spark has not said yet how the stage ended.
StageState = Literal["waiting", "running", "done", "failed", "skipped", "ended"]

# Every cell's jobs carry a tag of their own that begins like this.
CELL_TAG = "notebook-udf-cell-"
# Jobs of the session itself, which belong to no cell.
OWN_TAG = "notebook-udf-own"

MAX_STAGES = 12
_STATES: Mapping[str, StageState] = {
    "PENDING": "waiting",
    "ACTIVE": "running",
    "COMPLETE": "done",
    "FAILED": "failed",
    "SKIPPED": "skipped",
}
_OVER = ("done", "failed", "skipped")
# A stage's remaining time is estimated from its done tasks only if there are at least so many.
_LEAST_DONE = 4
_LEAST_WAIT = 2.0


@dataclass(frozen=True)
class StageProgress:
    """The progress of one of Spark's stages.

    Attributes
    ----------
    number, name
        Spark's stage id; the functions in the stage, or else the action it belongs to, where
        Spark has a readable name for it.
    tasks, done, running, failed
        Counts of tasks; ``failed`` counts attempts.
    seconds
        From the start of its first task to now, or to its end.
    rest
        Seconds left if its other tasks take as long as those done; None if these are too few.
    spilled
        Bytes that were spilled from memory to disk.
    skew
        How many times longer the slowest task took than the median one; None if the difference
        is less than two seconds, or not known yet.
    """

    number: int
    name: str = ""
    state: StageState = "waiting"
    tasks: int = 0
    done: int = 0
    running: int = 0
    failed: int = 0
    seconds: float = 0.0
    rest: float | None = None
    spilled: int = 0
    skew: float | None = None


@dataclass(frozen=True)
class Progress:
    """The progress of a cell's jobs.

    Attributes
    ----------
    stages
        The last stages, oldest first, without those that were skipped.
    earlier
        How many stages came before them.
    tasks, done
        Counts of tasks over all stages.
    jobs
        How many jobs began.
    active
        Whether a job is running.
    seconds
        Since the first job began.
    spilled, failed
        Spilled bytes, and failed attempts at tasks, over all stages.
    """

    stages: tuple[StageProgress, ...] = ()
    earlier: int = 0
    tasks: int = 0
    done: int = 0
    jobs: int = 0
    active: bool = False
    seconds: float = 0.0
    spilled: int = 0
    failed: int = 0

    @property
    def stage_count(self) -> int:
        """The number of stages, the earlier ones included."""
        return self.earlier + len(self.stages)

    def ended(self) -> Progress:
        """The progress at the end of the run: unfinished stages have ended."""
        stages = (
            dataclasses.replace(stage, state="ended", running=0, rest=None)
            if stage.state in ("waiting", "running")
            else stage
            for stage in self.stages
        )
        return dataclasses.replace(self, stages=tuple(stages), active=False)

    def to_dict(self) -> dict[str, Any]:
        """The progress as JSON-able data."""
        return dataclasses.asdict(self)


class Jobs:
    """The jobs of one cell and their stages, as far as the store has reported them.

    Parameters
    ----------
    tag
        The tag of the cell's jobs; with "", jobs without a cell's tag are taken.
    began
        When the cell began, in seconds since the epoch.

    Attributes
    ----------
    foreign
        Stages of jobs that are not the cell's.
    """

    def __init__(self, tag: str, began: float) -> None:
        self._tag = tag
        # Spark's times are whole milliseconds.
        self._began = began - 0.001
        self._count = 0
        self._first: float | None = None
        self._open: set[int] = set()
        self._last = -1
        self._stages: dict[int, StageProgress] = {}
        self._dropped = Progress()
        self._measured: set[int] = set()
        self.foreign: set[int] = set()

    def wants_job(self, job: Mapping[str, Any]) -> bool:
        """Whether jobs older than this one have to be read, too."""
        began = _seconds(job.get("submissionTime"))
        if began is not None and began < self._began:
            return False
        return int(job["jobId"]) > min(self._open, default=self._last + 1)

    def wants_stage(self, stage: Mapping[str, Any]) -> bool:
        """Whether stages older than this one have to be read, too."""
        return int(stage["stageId"]) > min(self._unfinished, default=2**62)

    @property
    def unfinished_span(self) -> int:
        """The span from the oldest stage that may still change to the newest; 0 if none can."""
        unfinished = self._unfinished
        return max(self._stages) - min(unfinished) + 1 if unfinished else 0

    @property
    def _unfinished(self) -> list[int]:
        return [stage.number for stage in self._stages.values() if stage.state not in _OVER]

    def take_jobs(self, found: Sequence[Mapping[str, Any]]) -> None:
        """Applies jobs that were read, the cell's own and others."""
        for job in found:
            number = int(job["jobId"])
            if number not in self._open:
                if number <= self._last:
                    continue
                if not self._mine(job):
                    self.foreign.update(job["stageIds"])
                    continue
                self._begin(number, job)
            if job["status"] != "RUNNING":
                self._open.discard(number)
        self._last = max([self._last, *(int(job["jobId"]) for job in found)])

    def _begin(self, number: int, job: Mapping[str, Any]) -> None:
        self._count += 1
        self._open.add(number)
        began = _seconds(job.get("submissionTime"))
        if began is not None:
            self._first = began if self._first is None else min(self._first, began)
        for stage in job["stageIds"]:
            self._stages.setdefault(stage, StageProgress(stage))

    def _mine(self, job: Mapping[str, Any]) -> bool:
        group = job.get("jobGroup")
        # A streaming query inherits the tags of the cell that started it, and outlives it.
        if group and f"runId = {group}" in (job.get("description") or ""):
            return False
        tags = job.get("jobTags", ())
        if self._tag:
            return self._tag in tags
        began = _seconds(job.get("submissionTime"))
        return (
            began is not None
            and began >= self._began
            and not any(tag == OWN_TAG or tag.startswith(CELL_TAG) for tag in tags)
        )

    def take_stages(self, found: Sequence[Mapping[str, Any]], now: float) -> None:
        """Applies stages that were read, the cell's own and others, newest attempts first."""
        seen = set()
        for stage in found:
            number = int(stage["stageId"])
            known = self._stages.get(number)
            if known is not None and known.state not in _OVER and number not in seen:
                seen.add(number)
                self._stages[number] = _stage(stage, now)
        if found:
            # The store has dropped older ones, or there were too many to read.
            oldest = int(found[-1]["stageId"])
            for number in self._unfinished:
                if number < oldest:
                    del self._stages[number]
        self._let_go()

    def unmeasured(self) -> list[int]:
        """Ended stages that ran long enough to check for skew; each is returned once."""
        new = [
            stage.number
            for stage in self._stages.values()
            if stage.state == "done" and stage.tasks >= 3 and stage.seconds >= 1
        ]
        fresh = [number for number in new if number not in self._measured]
        self._measured.update(fresh)
        return fresh

    def measured(self, number: int, median: float, most: float) -> None:
        """Sets the skew of a stage by its tasks' median and longest time, in seconds."""
        stage = self._stages.get(number)
        if stage is not None and median > 0 and most - median >= _LEAST_WAIT:
            self._stages[number] = dataclasses.replace(stage, skew=most / median)

    def _let_go(self) -> None:
        """Keeps the last stages and sums up those before them."""
        ended = [n for n, stage in sorted(self._stages.items()) if stage.state in _OVER]
        for number in ended[: max(0, len(self._stages) - MAX_STAGES)]:
            stage = self._stages.pop(number)
            if stage.state != "skipped":
                self._dropped = dataclasses.replace(
                    _added(self._dropped, (stage,)), earlier=self._dropped.earlier + 1
                )

    def progress(self, now: float) -> Progress:
        """The current progress."""
        shown = [s for _, s in sorted(self._stages.items()) if s.state != "skipped"]
        cut = max(0, len(shown) - MAX_STAGES)
        return dataclasses.replace(
            _added(self._dropped, shown),
            stages=tuple(shown[cut:]),
            earlier=self._dropped.earlier + cut,
            jobs=self._count,
            active=bool(self._open),
            seconds=max(0.0, now - self._first) if self._first is not None else 0.0,
        )


def _added(progress: Progress, stages: Iterable[StageProgress]) -> Progress:
    stages = list(stages)
    return dataclasses.replace(
        progress,
        tasks=progress.tasks + sum(s.tasks for s in stages),
        done=progress.done + sum(s.done for s in stages),
        spilled=progress.spilled + sum(s.spilled for s in stages),
        failed=progress.failed + sum(s.failed for s in stages),
    )


def _stage(found: Mapping[str, Any], now: float) -> StageProgress:
    state = _STATES.get(found["status"], "waiting")
    began = _seconds(found.get("firstTaskLaunchedTime") or found.get("submissionTime"))
    ended = _seconds(found.get("completionTime"))
    seconds = max(0.0, (ended or now) - began) if began is not None else 0.0
    tasks, done = int(found["numTasks"]), int(found["numCompletedIndices"])
    running = int(found["numActiveTasks"])
    rest = None
    if state == "running" and done >= max(_LEAST_DONE, 2 * running) and tasks > done:
        rest = seconds * (tasks - done) / done
    return StageProgress(
        number=int(found["stageId"]),
        name=_name(str(found.get("name") or "")),
        state=state,
        tasks=tasks,
        done=done,
        running=running,
        failed=int(found["numFailedTasks"]),
        seconds=seconds,
        rest=rest,
        spilled=int(found["diskBytesSpilled"]),
    )


def _name(text: str) -> str:
    """The action in ``collect at <file>:10``: ``collect``; "" for a name of Spark's own code."""
    word = text.partition(" at ")[0]
    return word if word.isidentifier() and "$" not in word and word != "run" else ""


def _seconds(text: str | None) -> float | None:
    """Parses a time of the store, as seconds since the epoch."""
    if not text:
        return None
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fGMT").replace(tzinfo=UTC).timestamp()
