"""Characters that a terminal obeys, in values and names: they are shown, in every form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell

import notebook_udf as nu
from notebook_udf import udf, udtf

pytestmark = pytest.mark.timeout(60)

# Colours, a bell, NUL, text from right to left, C1 controls, a mark, lines of other kinds.
NASTY = "a\x1b[31mred\x07\x00\u202eevil\u2066\x9b31m\u200f\r\nb"
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def forms(thing: Any) -> Iterator[tuple[str, str]]:
    """All texts by which Jupyter and a terminal show something."""
    yield "repr", repr(thing)
    yield "str", str(thing)
    render = getattr(thing, "_render_traceback_", None)
    if render is not None:
        yield "traceback", "\n".join(render())
    bundle = getattr(thing, "_repr_mimebundle_", None)
    if bundle is not None:
        shown = bundle() or {}
        for kind, value in (shown[0] if isinstance(shown, tuple) else shown).items():
            yield kind, str(value)
    html = getattr(thing, "_repr_html_", None)
    if html is not None:
        yield "html", html() or ""


def obeyed(thing: Any) -> dict[str, set[str]]:
    return {form: set(found) for form, text in forms(thing) if (found := OBEYED.findall(text))}


def fails(x: str) -> str:
    print("said", x)
    raise ValueError("bad " + x)


fails.__doc__ = NASTY


@pytest.fixture
def nasty(session: nu.Session) -> nu.Session:
    session.register_function("fails", fails)
    session.spark.createDataFrame([(NASTY,)], "x string").createOrReplaceTempView("nasty")
    return session


def test_errors_and_what_shows_them(nasty: nu.Session) -> None:
    with pytest.raises(nu.UserFunctionError) as caught:
        nasty.sql("SELECT fails(x) FROM nasty").collect()
    assert "bad a␛[31mred␇␀" in str(caught.value)
    assert obeyed(caught.value) == {}
    with pytest.raises(nu.UserFunctionError) as caught:
        nasty.functions["fails"].try_("SELECT x FROM nasty")
    assert obeyed(caught.value) == {}
    wrong = udf(lambda x: x, input_types=["string"], result_type="int")
    nasty.register_function("wrong", wrong)
    with pytest.raises(nu.ResultError) as result:
        nasty.sql("SELECT wrong(x) FROM nasty").collect()
    assert obeyed(result.value) == {}


def test_sparks_errors_with_values(nasty: nu.Session) -> None:
    with pytest.raises(nu.QueryError) as caught:
        nasty.sql("SELECT CAST(x AS INT) FROM nasty").collect()
    assert obeyed(caught.value) == {}
    with pytest.raises(nu.QueryError) as caught:
        nasty.sql("SELECT `\x1b[31m\u202e` FROM nasty")
    assert obeyed(caught.value) == {}


def test_what_functions_say_and_are(nasty: nu.Session) -> None:
    with pytest.raises(nu.UserFunctionError):
        nasty.sql("SELECT fails(x) FROM nasty").collect()
    shown = [nasty.functions, nasty.functions["fails"], nasty.logs(), nasty.metrics(), nasty.pool]
    for thing in shown:
        assert obeyed(thing) == {}, type(thing)
    assert "said a␛[31mred" in repr(nasty.logs()) or "said ared" in repr(nasty.logs())


def test_plans(nasty: nu.Session) -> None:
    query = "SELECT fails(x) AS `c\x1b[31m\u202e` FROM nasty WHERE x <> '\x1b[1m\x07'"
    assert obeyed(nasty.plan(query)) == {}


@pytest.mark.parametrize("line", ["functions", "logs", "pool", "metrics", "errors fails"])
def test_magics(nasty: nu.Session, capsys: pytest.CaptureFixture[str], line: str) -> None:
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "notebook_udf")
    shown = shell.run_line_magic("udf", line)
    assert obeyed(shown) == {}
    assert OBEYED.findall(capsys.readouterr().out) == []


def test_names(nasty: nu.Session) -> None:
    nasty.register_function(NASTY, fails)
    assert obeyed(nasty.functions) == {}
    with pytest.raises(nu.UserFunctionError) as caught:
        nasty.functions[NASTY].try_("SELECT x FROM nasty")
    assert obeyed(caught.value) == {}
    with pytest.raises(nu.DeclarationError) as refused:
        nasty.register_function(NASTY, 3)
    assert obeyed(refused.value) == {}
    assert obeyed(nasty.plan(f"SELECT `{NASTY}`(x) FROM nasty")) == {}
    nasty.drop_function(NASTY)


def vectorized() -> Any:
    def leaves(x: pd.Series) -> pd.Series:
        raise GeneratorExit

    return udf(leaves, input_types=["string"], result_type="string", func_type="pandas")


def rows() -> Any:
    @udtf(input_types=["string"], result_types=["string"])
    def leaves(x: str) -> Iterator[tuple[str]]:
        yield ("one",)
        raise GeneratorExit

    return leaves


class Leaves(nu.AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, acc: list[int], x: str) -> None:
        raise GeneratorExit

    def merge(self, acc: list[int], others: Any) -> None:
        pass

    def get_value(self, acc: list[int]) -> int:
        return acc[0]


@pytest.mark.parametrize(
    ("function", "query"),
    [
        (vectorized, "SELECT leaves(x) FROM nasty"),
        (rows, "SELECT a FROM nasty, LATERAL leaves(x) AS t(a)"),
        (Leaves, "SELECT leaves(x) FROM nasty"),
    ],
)
def test_a_generator_exit_of_any_kind_is_the_functions_own(
    nasty: nu.Session, function: Callable[[], Any], query: str
) -> None:
    nasty.register_function("leaves", function())
    with pytest.raises(nu.UserFunctionError, match="GeneratorExit"):
        nasty.sql(query).collect()


def test_an_error_that_cannot_be_shown(nasty: nu.Session) -> None:
    def raises(x: str) -> str:
        class Silent(Exception):
            def __str__(self) -> str:
                raise SystemExit(3)

            __repr__ = __str__

        raise Silent

    nasty.register_function("raises_silent", raises)
    with pytest.raises(
        nu.UserFunctionError, match="raises_silent: Silent: <its message raised SystemExit>"
    ):
        nasty.sql("SELECT raises_silent(x) FROM nasty").collect()
    assert nasty.spark.range(2).count() == 2
