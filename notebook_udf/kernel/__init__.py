"""What lives in the notebook's kernel: the session, and what a user sees of it."""

from notebook_udf.kernel.active_session import active_session
from notebook_udf.kernel.core import Session
from notebook_udf.kernel.current import session

__all__ = ["Session", "active_session", "session"]
