"""Arguments of a log that do not fit, a channel that is gone: queries go on."""

from __future__ import annotations

import logging

import notebook_udf as nu
from tests.scripts import script, told
from tests.written import lines_after


def test_log_arguments_that_do_not_fit_the_format(session: nu.Session) -> None:
    def writes(i: int) -> int:
        logging.getLogger("mine").error("%d of %d", "one")
        return i

    lines = lines_after(session, writes, until="%d of %d")
    assert any("'one'" in line.text for line in lines)


def test_queries_go_on_when_the_side_channel_is_gone() -> None:
    body = """
    session = nu.session(workers=2)
    session._warmup.wait()
    session.register_function("f", udf(lambda i: print(i) or i, result_type="bigint"))
    session._receiver.close()
    before = time.monotonic()
    rows = session.sql("SELECT f(id) FROM range(200000)").count()
    tell(rows=rows, seconds=time.monotonic() - before)
    try:
        session.register_function("f", udf(lambda i: 1 // 0, result_type="bigint"))
        session.sql("SELECT f(id) FROM range(3)").collect()
    except nu.UserFunctionError as error:
        tell(text=str(error))
    """
    with script(body) as process:
        facts = told(process)
        assert facts["rows"] == 200_000
        assert facts["seconds"] < 30
        assert "ZeroDivisionError" in told(process)["text"]
