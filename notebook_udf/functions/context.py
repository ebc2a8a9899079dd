"""``FunctionContext``: what a function can find out about the task it runs in."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from notebook_udf.functions.metrics import MetricGroup


@dataclass(frozen=True)
class FunctionContext:
    """The argument of ``open``: metrics, job parameters, a logger, the partition and the attempt.

    Notes
    -----
    Sources: [FLIP-58][flip-58], class ``FunctionContext`` and "Job Parameter". The names of the
    subtask methods are PyFlink's.

    Examples
    --------
    >>> context = nu.FunctionContext(function="f", job_parameters={"factor": "3"})
    >>> context.get_job_parameter("factor", "1"), context.get_index_of_this_subtask()
    ('3', 0)
    >>> context.get_task_name(), context.get_task_name_with_subtasks()
    ('kernel', 'kernel (1/1)')
    >>> context.get_number_of_parallel_subtasks(), context.get_max_number_of_parallel_subtasks()
    (1, 1)
    >>> context.get_attempt_number(), context.get_metric_group()
    (0, MetricGroup())
    >>> context.get_logger().info("sent to the notebook, with the row and the worker")
    """

    function: str = "function"
    task_name: str = "kernel"
    subtask: int = 0
    subtasks: int = 1
    attempt: int = 0
    job_parameters: Mapping[str, str] = field(default_factory=dict)
    metric_group: MetricGroup = field(default_factory=MetricGroup)

    def get_metric_group(self) -> MetricGroup:
        """The root of this function's metrics."""
        return self.metric_group

    def get_job_parameter(self, key: str, default_value: Any = None) -> Any:
        """The session's job parameter of that name as text, or ``default_value``."""
        return self.job_parameters.get(key, default_value)

    def get_task_name(self) -> str:
        """The function's name and the stage it runs in."""
        return self.task_name

    def get_task_name_with_subtasks(self) -> str:
        """The same with the number of the partition, counted from 1, and how many there are."""
        return f"{self.task_name} ({self.subtask + 1}/{self.subtasks})"

    def get_number_of_parallel_subtasks(self) -> int:
        """How many partitions the stage has; 0 where Spark does not say."""
        return self.subtasks

    def get_max_number_of_parallel_subtasks(self) -> int:
        """The same: Spark has no greater number for a stage to be rescaled to."""
        return self.subtasks

    def get_index_of_this_subtask(self) -> int:
        """Zero-based number of the partition."""
        return self.subtask

    def get_attempt_number(self) -> int:
        """0 for the first attempt at this partition."""
        return self.attempt

    def get_logger(self) -> logging.Logger:
        """A logger whose lines reach the notebook with level, row and worker."""
        return logging.getLogger(f"notebook_udf.function.{self.function}")
