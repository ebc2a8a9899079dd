"""The kernel is killed: the JVM, the daemon and the workers end with it."""

from __future__ import annotations

from pathlib import Path

import psutil

from tests.lone_daemon import ask_for_worker, daemon, port
from tests.scripts import command_line, script, told


def test_kernel_killed_leaves_nothing() -> None:
    body = """
    session = nu.session(workers=2)
    def dwells(i: int) -> int:
        time.sleep(600)
        return i
    session.register_function("dwells", dwells)
    busy = threading.Event()
    session.store.subscribe(lambda r: busy.set() if r.kind == "task-started" else None)
    query = lambda: session.sql("SELECT dwells(id) FROM range(0, 2, 1, 2)").collect()
    threading.Thread(target=query, daemon=True).start()
    busy.wait(30)
    tell(folder=str(session.folder))
    time.sleep(600)
    """
    with script(body) as process:
        folder = Path(told(process)["folder"])
        family = psutil.Process(process.pid).children(recursive=True)
        assert any("notebook_udf.pool.daemon" in command_line(p) for p in family)
        process.kill()
        _, alive = psutil.wait_procs(family, timeout=10)
        assert not alive
        assert not folder.exists()


def test_workers_go_with_the_jvm() -> None:
    with daemon() as process:
        number = port(process)
        workers = [ask_for_worker(number) for _ in range(2)]
        family = [psutil.Process(pid) for _, pid in workers]
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
        _, alive = psutil.wait_procs([psutil.Process(process.pid), *family], timeout=10)
        for connection, _ in workers:
            connection.close()
        assert not [p for p in alive if p.status() != psutil.STATUS_ZOMBIE]


def test_workers_go_with_a_daemon_that_is_killed() -> None:
    with daemon() as process:
        connection, pid = ask_for_worker(port(process))
        worker = psutil.Process(pid)
        process.kill()
        _, alive = psutil.wait_procs([worker], timeout=10)
        connection.close()
        assert not alive
