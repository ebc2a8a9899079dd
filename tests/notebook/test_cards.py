"""Errors of functions in a notebook: the card, replay, and nothing that could run."""

from __future__ import annotations

import re
from collections.abc import Callable

from notebook_kernel import Ran

Cell = Callable[[str], Ran]

BAD = """%%udf
def share(part: int, whole: int) -> float:
    known = {}
    return part / whole"""


def test_card_shows_the_line_and_the_values(cell: Cell) -> None:
    cell(BAD)
    ran = cell("session.sql('select share(id, id - 3) from range(0, 10, 1, 1)').collect()")
    assert not ran.ok
    (card,) = ran.displays
    assert set(card) == {"text/html", "text/plain"}
    assert "--&gt;    4      return part / whole" in card["text/html"]
    for shown in (
        "share: ZeroDivisionError",
        "row 4 of its task",
        ">part<",
        ">3<",
        "session.replay(",
    ):
        assert shown in card["text/html"], shown
    assert "-->    4     return part / whole" in card["text/plain"]
    (error,) = ran.errors
    assert error["ename"] == "UserFunctionError"
    assert sum(map(len, error["traceback"])) < 500
    assert "row 4 of its task" in "\n".join(error["traceback"])
    assert cell("import sys\nassert isinstance(sys.last_value, nu.UserFunctionError)").ok


def test_replay_ends_in_the_function(cell: Cell) -> None:
    cell(BAD)
    cell("session.sql('select share(id, id) from range(1)').collect()")
    for call in ("%udf replay share", "session.replay('share')"):
        ran = cell(call)
        assert ran.errors[0]["ename"] == "ZeroDivisionError"
        checked = cell(
            "tb = sys.last_traceback\n"
            "while tb.tb_next: tb = tb.tb_next\n"
            "assert tb.tb_frame.f_code.co_name == 'share', tb.tb_frame\n"
            "assert tb.tb_frame.f_locals == {'part': 0, 'whole': 0, 'known': {}}"
        )
        assert checked.ok, checked.errors


def test_hostile_text_is_only_text(cell: Cell) -> None:
    cell(
        "%%udf\ndef hostile(s: str) -> str:\n"
        "    print(s)\n"
        "    raise ValueError('<script>alert(1)</script>\\x1b[31mred\\x00\\ud800 ' + s)"
    )
    ran = cell(
        "rows = [('<img src=x onerror=alert(2)>\\x1b[0m\\x00',)]\n"
        "frame = session.spark.createDataFrame(rows, 's string')\n"
        "frame.createOrReplaceTempView('hostile_rows')\n"
        "session.sql('select hostile(s) from hostile_rows').collect()"
    )
    assert not ran.ok
    (card,) = ran.displays
    html = card["text/html"]
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "&lt;img src=x" in html
    for text in (html, card["text/plain"], *ran.errors[0]["traceback"]):
        assert "\x1b" not in text
        assert "\x00" not in text
    shown = cell("%%sparksql\nselect s, 1 as `<b>x</b>` from hostile_rows")
    assert "<img" not in shown.displays[0]["text/html"]
    assert "<b>x" not in shown.displays[0]["text/html"]
    assert "&lt;img" in shown.displays[0]["text/html"]


def test_the_users_line_is_shown_when_a_library_raised(cell: Cell) -> None:
    cell("%%udf\nimport json\ndef parsed(s: str) -> int:\n    return json.loads(s)['a']")
    ran = cell("session.sql(\"select parsed('{')\").collect()")
    html = ran.displays[0]["text/html"]
    assert "--&gt;    4      return json.loads(s)[&#x27;a&#x27;]" in html
    assert "Traceback (" in html
    assert "decoder.py" in html


def test_a_worker_that_dies(cell: Cell) -> None:
    cell("%%udf\nimport os\ndef dies(x: int) -> int:\n    os._exit(7)")
    ran = cell("session.sql('select dies(id) from range(1)').collect()")
    assert ran.errors[0]["ename"] == "WorkerLost"
    assert "exited with code 7 while it ran dies" in ran.displays[0]["text/html"]
    after = cell("assert session.sql('select share(1, 2)').first()[0] == 0.5")
    assert after.ok, after.errors


def test_outputs_hold_nothing_that_runs(cell: Cell) -> None:
    cell(BAD)
    everything = [
        cell("%%sparksql\nselect share(id, 2) from range(10)"),
        cell("%%sparksql\nselect share(id, 0) from range(10)"),
        cell("%udf functions"),
        cell("%udf metrics"),
        cell("%udf logs"),
        cell("%udf pool"),
    ]
    kinds = set()
    for ran in everything:
        for data in ran.displays:
            kinds |= set(data)
            assert "text/plain" in data
            assert "<script" not in data.get("text/html", "")
    # What is live names its model here, and stands in the saved notebook as HTML.
    live = "application/vnd.jupyter.widget-view+json"
    assert kinds == {"text/html", "text/plain", live}


def test_an_error_of_sparks_own_function_is_a_card(cell: Cell) -> None:
    assert cell(
        "from pyspark.sql import functions as F\n"
        "def part_of(part, whole):\n"
        "    return part / whole\n"
        "plain = F.udf(part_of, 'double')"
    ).ok
    ran = cell("session.spark.range(0, 10, 1, 1).select(plain('id', F.col('id') - 3)).collect()")
    (card,) = ran.displays
    for shown in ("PythonException", "part_of: ZeroDivisionError", ">whole<", "row 4 of 10"):
        assert shown in card["text/html"], shown
    (error,) = ran.errors
    assert error["ename"] == "PythonException"
    assert sum(map(len, error["traceback"])) < 500
    assert cell(
        "import sys\nfrom pyspark.errors import PythonException\n"
        "assert isinstance(sys.last_value, PythonException)\n"
        "assert str(sys.last_value).startswith('An exception was thrown from the Python worker')"
    ).ok
    for call in ("%udf replay part_of", "session.replay('part_of')"):
        assert cell(call).errors[0]["ename"] == "ZeroDivisionError"


def test_an_error_of_sparks_without_a_card_is_shown_as_ever(cell: Cell) -> None:
    ran = cell("from pyspark.errors import PythonException\nraise PythonException('as it is')")
    (error,) = ran.errors
    assert error["ename"] == "PythonException"
    assert "raise PythonException('as it is')" in re.sub(
        "\x1b.*?m", "", "".join(error["traceback"])
    )
