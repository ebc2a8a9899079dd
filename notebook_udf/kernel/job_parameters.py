"""The part of a session for job parameters, which functions read by ``get_job_parameter``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from notebook_udf.pool.spark_worker import JOB_PARAMETERS_CONF

if TYPE_CHECKING:
    from notebook_udf.host.changes import Changes


class WithJobParameters:
    """The part of a session for job parameters."""

    changes: Changes
    _job_parameters: dict[str, str]

    @property
    def job_parameters(self) -> dict[str, str]:
        """The job parameters that later queries will have."""
        return dict(self._job_parameters)

    def set_job_parameter(self, key: str, value: Any) -> None:
        """Sets a job parameter for the queries that start from now on."""
        self._job_parameters[str(key)] = str(value)
        self._send_job_parameters()

    def _send_job_parameters(self) -> None:
        self.changes.sql(JOB_PARAMETERS_CONF, json.dumps(self._job_parameters))
