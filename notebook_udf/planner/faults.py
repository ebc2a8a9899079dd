"""What becomes of a query for which a part of the planner was not made.

Rules make a query faster, or keep a promise for the calls in it; there is a form without each. So a
rule that fails on something that nobody foresaw is skipped, and that is logged. Where there is no
other form, the error says whose fault it is. Errors that somebody did foresee, and Spark's own,
pass.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from pyspark.errors import PySparkException

from notebook_udf.errors import NotebookUdfError, PlanningError
from notebook_udf.host.call_failures import CALL_FAILURES

T = TypeVar("T")

_log = logging.getLogger(__name__)

FORESEEN = (NotebookUdfError, PySparkException, *CALL_FAILURES)


def attempted(rule: str, make: Callable[[], T], plain: T) -> T:
    """What a rule makes, or the plain form where it fails on something unforeseen."""
    try:
        return make()
    except FORESEEN:
        raise
    except Exception as error:
        report(rule, error)
        return plain


def report(rule: str, error: BaseException | None) -> None:
    """Logs that a rule failed on a query, and was skipped."""
    _log.warning(
        "the rule %r failed on this query and was skipped; the answer is the same without it. "
        "This is a fault of notebook-udf: please report it with what follows",
        rule,
        exc_info=error,
    )


class RefusedRewrite(UserWarning):
    """Spark refused what a rule made of a query, or would give it other columns."""


def warn_refused(rules: Sequence[str], query: str, why: str) -> None:
    """Says which rule cost a query its faster form; the answer comes from the plain one."""
    named = " or ".join(repr(rule) for rule in rules)
    warnings.warn(
        f"the rule {named} made a query that Spark {why}, and was skipped; the answer is the same "
        f"without it. This is a fault of notebook-udf: please report it with this text: {query}",
        RefusedRewrite,
        stacklevel=2,
    )


@contextmanager
def planning(what: str) -> Iterator[None]:
    """While ``what`` is planned, an unforeseen error becomes one that says whose fault it is.

    Raises
    ------
    PlanningError
        With the error as its cause.
    """
    try:
        yield
    except FORESEEN:
        raise
    except Exception as error:
        raise PlanningError(
            f"{what} could not be planned ({type(error).__name__}: {error}). This is a fault of "
            f"notebook-udf, not of the query: please report it with the traceback; until then, "
            f"write the call in another way or in a view of its own"
        ) from error
