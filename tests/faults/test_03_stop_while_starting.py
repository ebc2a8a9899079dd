"""A session is stopped while its workers are made: nothing is left."""

from __future__ import annotations

from pathlib import Path

from tests.scripts import script, told


def test_session_stopped_while_workers_are_being_created() -> None:
    body = """
    session = nu.session(workers=2)
    folder = session.folder
    session.stop()
    session.stop()
    tell(folder=str(folder), text=repr(session))
    """
    with script(body) as process:
        facts = told(process)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 0, errors
        assert errors == ""
        assert "stopped" in facts["text"]
        assert not Path(facts["folder"]).exists()
