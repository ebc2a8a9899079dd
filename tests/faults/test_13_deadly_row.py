"""One row ends every worker that gets it: Spark gives up, and the error names the row."""

from __future__ import annotations

import signal

from tests.scripts import script, told


def test_one_row_that_kills_every_worker_is_named() -> None:
    body = """
    session = nu.session(master="local[2,3]")
    journal = str(session.folder / "journal")
    def crashes(i: int) -> int:
        if i == 5123:
            with open(journal, "a") as file:
                print(os.getpid(), file=file)
            os.kill(os.getpid(), 11)
        return i
    session.register_function("crashes", crashes)
    try:
        session.sql("SELECT crashes(id) FROM range(0, 10000, 1, 1)").collect()
    except nu.WorkerLost as error:
        killed = open(journal).read().split()
        tell(text=str(error), killed=len(set(killed)), signal=error.signal)
    rows = session.sql("SELECT crashes(id) FROM range(10)").collect()
    tell(rows=len(rows))
    """
    with script(body) as process:
        facts = told(process)
        assert facts["signal"] == signal.SIGSEGV
        assert "crashes" in facts["text"]
        assert "row 5,124 of 10,000" in facts["text"]
        assert facts["killed"] == 3
        assert told(process) == {"rows": 10}
