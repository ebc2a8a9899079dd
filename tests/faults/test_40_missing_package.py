"""A function needs a package that the worker lacks: the error says how to send it."""

from __future__ import annotations

import pytest

import notebook_udf as nu
from tests.queries import run

pytestmark = pytest.mark.usefixtures("next_query_succeeds")


def test_package_that_the_worker_lacks(session: nu.Session) -> None:
    def needs(i: int) -> int:
        import a_package_nobody_has  # type: ignore[import-not-found]

        return int(a_package_nobody_has.f(i))

    with pytest.raises(nu.UserFunctionError) as caught:
        run(session, needs)
    assert "a_package_nobody_has" in str(caught.value)
    assert "session.add_requirements(['a_package_nobody_has'])" in str(caught.value)
    assert "session.add_python_file('a_package_nobody_has.py')" in str(caught.value)
    assert str(caught.value.failed.worker) in str(caught.value)
