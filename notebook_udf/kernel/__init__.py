"""The side of the notebook's kernel: the session and its parts."""

from notebook_udf.kernel.active_session import active_session
from notebook_udf.kernel.notebook_session import Session
from notebook_udf.kernel.open_session import session

__all__ = ["Session", "active_session", "session"]
