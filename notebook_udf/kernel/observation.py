"""The part of a session for functions made by PySpark's own API: whether they are watched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notebook_udf.pool.observed_functions import OBSERVE_CONF

if TYPE_CHECKING:
    from notebook_udf.host.changes import Changes


class WithObservation:
    """The part of a session for functions made by PySpark's own API.

    Attributes
    ----------
    observes
        Whether they are watched.
    """

    changes: Changes
    observes = True

    def observe(self, on: bool = True) -> None:
        """Has functions made by PySpark's own API watched, or not, in queries from now on.

        Those that are have metrics, logs, a card for an error, and ``replay``, as functions of the
        session have, under their own names. What they give and raise, and Spark's plans, are the
        same either way.

        Parameters
        ----------
        on
            False ends it.

        Examples
        --------
        >>> session.observe(False)
        >>> session.observe()
        """
        self.changes.sql(OBSERVE_CONF, "true" if on else "false")
        self.observes = on
