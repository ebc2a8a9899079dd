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
        """Sets a job parameter for the queries that start from now on.

        Parameters
        ----------
        key
            Its name.
        value
            Its value, which functions get as text.

        Notes
        -----
        Source: [FLIP-58][flip-58], "Job Parameter".

        Examples
        --------
        >>> class Scaled(nu.ScalarFunction):
        ...     def open(self, function_context):
        ...         self.factor = int(function_context.get_job_parameter("factor", "1"))
        ...
        ...     def eval(self, x: int) -> int:
        ...         return x * self.factor
        >>> scaled = session.register_function("scaled", Scaled)
        >>> session.set_job_parameter("factor", 3)
        >>> session.sql("SELECT scaled(2) AS s").first()
        Row(s=6)
        >>> session.job_parameters["factor"]
        '3'
        """
        self._job_parameters[str(key)] = str(value)
        self._send_job_parameters()

    def _send_job_parameters(self) -> None:
        self.changes.sql(JOB_PARAMETERS_CONF, json.dumps(self._job_parameters))
