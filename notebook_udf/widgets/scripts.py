"""The scripts of the panels, which the build puts beside this module."""

from __future__ import annotations

from pathlib import Path

from notebook_udf.errors import SessionError

_FOLDER = Path(__file__).parent / "static"


def script(name: str) -> Path:
    """The path of a panel's built script.

    Raises
    ------
    SessionError
        If the package was installed without its scripts.
    """
    path = _FOLDER / f"{name}.js"
    if not path.exists():
        raise SessionError(
            f"the widget {name!r} is not built: install the package again (pip install), which "
            f"builds it; in a clone, npm ci && npm run build in extension/ does it alone"
        )
    return path
