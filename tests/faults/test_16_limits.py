"""Memory limits that mean nothing are refused."""

from __future__ import annotations

from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf.kernel import Session


@pytest.mark.parametrize("limit", ["0", "-1g", "lots", 0, -5, True, "1k", "", 1.5])
def test_memory_limits_that_mean_nothing_are_refused(limit: Any) -> None:
    with pytest.raises(nu.DeclarationError, match="worker_memory"):
        Session(
            None,
            app_name=None,
            master=None,
            workers=1,
            worker_memory=limit,
            bundle_size=None,
            job_parameters=None,
            conf=None,
        )
    with pytest.raises(nu.DeclarationError, match="memory"):
        nu.udf(lambda i: i, result_type="int", memory=limit)
