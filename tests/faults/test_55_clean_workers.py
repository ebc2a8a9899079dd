"""What a function changes of its process does not reach the next one in the worker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql.functions import udf as spark_udf

import notebook_udf as nu

pytestmark = pytest.mark.timeout(60)


def look(_i: int) -> str:
    """What a function finds of its process."""
    import decimal
    import gc
    import locale
    import os
    import signal
    import sys
    import warnings

    return json.dumps(
        {
            "pid": os.getpid(),
            "variable": os.environ.get("LEFT_BY_A_FUNCTION"),
            "home": os.environ.get("HOME"),
            "zone": os.environ.get("TZ"),
            "folder": os.getcwd(),
            "locale": locale.setlocale(locale.LC_ALL),
            "digits": decimal.getcontext().prec,
            "recursion": sys.getrecursionlimit(),
            "stdout": type(sys.stdout).__name__,
            "handler": str(signal.getsignal(signal.SIGUSR2)),
            "filters": len(warnings.filters),
            "collects": gc.isenabled(),
        }
    )


def soil(_i: int) -> str:
    """Changes all of it."""
    import decimal
    import gc
    import io
    import locale
    import os
    import signal
    import sys
    import time
    import warnings

    os.environ["LEFT_BY_A_FUNCTION"] = "yes"
    os.environ["TZ"] = "Asia/Tokyo"
    time.tzset()
    del os.environ["HOME"]
    os.chdir("/")
    locale.setlocale(locale.LC_ALL, "C")
    decimal.getcontext().prec = 3
    sys.setrecursionlimit(300)
    sys.stdout = io.StringIO()
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    warnings.simplefilter("error")
    gc.disable()
    return look(0)


def one(session: nu.Session, name: str, worker: object = None) -> dict[str, Any]:
    """What a function finds, in a given worker: Spark takes the one that idles longest."""
    return found_in(worker, session.sql(f"SELECT {name}(id) FROM range(0, 1, 1, 1)"))


def found_in(worker: object, frame: DataFrame) -> dict[str, Any]:
    for _ in range(10):
        ((text,),) = frame.collect()
        found: dict[str, Any] = json.loads(text)
        if worker in (None, found["pid"]):
            return found
    raise AssertionError(f"worker {worker} takes no task")


def test_what_a_function_changes_is_undone(session: nu.Session) -> None:
    session.register_function("looks", look)
    session.register_function("soils", soil)
    worker = one(session, "looks")["pid"]
    before = one(session, "looks", worker)
    changed = one(session, "soils", worker)
    assert {k for k in before if changed[k] != before[k]} == set(before) - {"pid"}
    after = one(session, "looks", worker)
    assert after == before
    # Spark's own functions find the same.
    frame = session.spark.range(0, 1, 1, 1).select(spark_udf(lambda i: look(i), "string")("id"))
    one(session, "soils", worker)
    assert found_in(worker, frame) == before


def test_a_function_kept_for_its_query_finds_what_it_left(session: nu.Session) -> None:
    class Precise(nu.ScalarFunction):
        def open(self, ctx: nu.FunctionContext) -> None:
            import decimal
            import os

            decimal.getcontext().prec = 50
            os.environ["LEFT_BY_A_FUNCTION"] = "yes"

        def eval(self, i: int) -> str:
            return look(i)

    session.register_function("looks", look)
    kept = nu.udf(Precise(), input_types=["bigint"], result_type="string", open_scope="query")
    session.register_function("precise", kept)
    # More tasks than workers, so that some run one after the other in a worker.
    rows = session.sql("SELECT precise(id) FROM range(0, 8, 1, 8)").collect()
    found = [json.loads(text) for (text,) in rows]
    assert {(each["digits"], each["variable"]) for each in found} == {(50, "yes")}
    assert len({each["pid"] for each in found}) < 8
    for _ in range(3):
        after = one(session, "looks")
        assert (after["digits"], after["variable"]) == (28, None)


def test_what_a_module_sets_as_it_is_imported_stays(session: nu.Session, tmp_path: Path) -> None:
    (tmp_path / "sets_a_variable.py").write_text(
        "import os\nos.environ['SET_BY_A_MODULE'] = 'yes'\nHOME = os.environ['SET_BY_A_MODULE']\n"
    )
    folder = str(tmp_path)

    def imports(_i: int) -> str:
        import os
        import sys

        sys.path.append(folder)
        import sets_a_variable  # type: ignore[import-not-found]

        return json.dumps([os.getpid(), sets_a_variable.HOME, os.environ["SET_BY_A_MODULE"]])

    session.register_function("imports", imports)
    for _ in range(4):
        ((text,),) = session.sql("SELECT imports(id) FROM range(0, 1, 1, 1)").collect()
        assert json.loads(text)[1:] == ["yes", "yes"]


def test_a_seed_is_of_its_own_task(session: nu.Session) -> None:
    def seeds(_i: int) -> float:
        import random

        random.seed(7)
        return random.random()

    def draws(_i: int) -> float:
        import random

        return random.random()

    session.register_function("seeds", seeds)
    session.register_function("draws", draws)
    drawn = []
    for _ in range(3):
        ((fixed,),) = session.sql("SELECT seeds(id) FROM range(0, 1, 1, 1)").collect()
        assert fixed == pytest.approx(0.32383276483316237)
        ((free,),) = session.sql("SELECT draws(id) FROM range(0, 1, 1, 1)").collect()
        drawn.append(free)
    assert len(set(drawn)) == 3
