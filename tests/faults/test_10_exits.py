"""A function raises SystemExit and its like: the query fails, and no worker ends."""

from __future__ import annotations

import pytest

import notebook_udf as nu
from tests.queries import run

pytestmark = pytest.mark.usefixtures("next_query_succeeds")


@pytest.mark.parametrize("raised", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_exits_raised_by_a_function_fail_the_query(
    session: nu.Session, raised: type[BaseException]
) -> None:
    def leaves(i: int) -> int:
        raise raised(4)

    with pytest.raises(nu.UserFunctionError, match=raised.__name__):
        run(session, leaves)
