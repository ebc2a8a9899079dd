"""A child of the kernel's process that ends: Spark, the session and its folder are the parent's."""

from __future__ import annotations

import pytest

from tests.scripts import script, told

PROGRAM = """
session = nu.session(workers=1)
def twice(i: int) -> int:
    return 2 * i
session.register_function("twice", twice)
frames = [session.sql(f"SELECT twice(id) + {n} AS d FROM range(3)") for n in range(20)]
answers = [frame.collect() for frame in frames]

def leaves():
    sys.exit(0)
def fails():
    raise RuntimeError("the child ends")
def stops():
    session.stop()
    sys.exit(0)
def ends_at_once():
    os._exit(0)
for end in (leaves, fails, stops, ends_at_once):
    if os.fork() == 0:
        # What it inherited of Java's objects is collected here as well.
        del frames, answers
        import gc
        gc.collect()
        end()
    os.wait()
    again = [[row.d for row in frame.collect()] for frame in frames]
    new = [row.d for row in session.sql("SELECT twice(id) AS d FROM range(3)").collect()]
    tell(end=end.__name__, again=again == [[n, 2 + n, 4 + n] for n in range(20)], new=new,
         folder=os.path.exists(session.folder), pool=len(session.pool))
session.stop()
"""


@pytest.mark.thorough
@pytest.mark.timeout(120)
def test_the_parents_session_goes_on() -> None:
    right = {"again": True, "new": [0, 2, 4], "folder": True, "pool": 1}
    with script(PROGRAM) as process:
        for end in ("leaves", "fails", "stops", "ends_at_once"):
            assert told(process) == {"end": end, **right}
        assert process.wait(60) == 0


def test_a_child_that_uses_it_is_told() -> None:
    body = """
    session = nu.session(workers=1)
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            session.sql("SELECT 1")
        except nu.SessionError as error:
            os.write(write, str(error).encode())
        os._exit(0)
    os.wait()
    tell(said=os.read(read, 1000).decode(), answer=session.sql("SELECT 1").first()[0])
    session.stop()
    """
    with script(body) as process:
        facts = told(process)
        assert f"belongs to process {process.pid}" in facts["said"]
        assert facts["answer"] == 1
        assert process.wait(60) == 0
