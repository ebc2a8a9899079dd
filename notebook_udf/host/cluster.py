"""The machines that a Spark runs on, as far as the package asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

# Runs in a worker for the numbers of one task.
Probe: TypeAlias = Callable[[Iterator[int]], Iterator[Mapping[str, Any]]]


@dataclass(frozen=True)
class Gathering:
    """An accumulator of this process.

    Attributes
    ----------
    number
        By which tasks name it.
    end
        Removes it; what tasks still bring is dropped.
    """

    number: int
    end: Callable[[], None]


class SparkCluster(Protocol):
    """Where Spark runs."""

    @property
    def master(self) -> str:
        """Spark's master, such as ``local[4]`` or ``spark://host:7077``."""

    @property
    def shares_files(self) -> bool:
        """Whether all of Spark is on this machine, and reads the files of this process."""

    @property
    def parallelism(self) -> int:
        """How many tasks may run at once, as Spark counts its cores."""

    @property
    def executors(self) -> int:
        """How many executors compute; 1 where the driver itself does."""

    def ask(self, probe: Probe, tasks: int) -> list[Mapping[str, Any]]:
        """Runs ``probe`` in so many tasks; returns what all of them yielded.

        The probe is pickled as PySpark pickles functions: for workers without this package its
        module has to be pickled by value.
        """

    def add_archive(self, archive: Path, folder: str) -> None:
        """Has every executor unpack an archive of this machine, below ``folder``."""

    def add_file(self, file: Path) -> None:
        """Sends a file to every executor that runs a task from now on; its name must be new."""

    def gather(self, take: Callable[[list[list[bytes]]], None]) -> Gathering | None:
        """Has ``take`` called with what each task adds to an accumulator, when it has succeeded.

        In a thread of its own. None where Spark brings nothing of a task to this process.
        """
