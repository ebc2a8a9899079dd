"""What lives in the notebook's kernel: the session, and what a user sees of it."""

from notebook_udf.kernel.core import Session
from notebook_udf.kernel.current import active_session, session

__all__ = ["Session", "active_session", "session"]
