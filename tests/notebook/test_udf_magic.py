"""``%%udf``: a cell becomes a function."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from notebook_kernel import Kernel, Ran

Cell = Callable[[str], Ran]


def test_registers_and_binds_the_name(cell: Cell) -> None:
    ran = cell("%%udf\nimport math\ndef root(x: float) -> float:\n    return math.sqrt(x)")
    assert ran.ok, ran.errors
    (shown,) = ran.displays
    assert shown["text/plain"] == "registered root(x double) -> double, version 1"
    assert "root(x double) -&gt; double" in shown["text/html"]
    checked = cell(
        "assert type(root).__name__ == 'RegisteredFunction'\n"
        "assert root.eval(9.0) == 3.0\n"
        "assert [r[0] for r in session.spark.range(2).select(root('id')).collect()] == [0.0, 1.0]\n"
        "assert session.sql('select root(16)').first()[0] == 4.0\n"
        "assert root.source == 'def root(x: float) -> float:\\n    return math.sqrt(x)'"
    )
    assert checked.ok, checked.errors


def test_registering_again_says_what_changed(cell: Cell) -> None:
    cell("%%udf\ndef twice(x: int) -> int:\n    return x + x")
    again = cell("%%udf\ndef twice(x: int) -> float:\n    return 2.0 * x")
    assert again.displays[0]["text/plain"] == (
        "registered twice(x bigint) -> double, version 2 "
        "(was 1: new code, was twice(x bigint) -> bigint)"
    )
    same = cell("%%udf\ndef twice(x: int) -> float:\n    return 2.0 * x")
    assert same.displays[0]["text/plain"].endswith("version 3 (was 2: nothing changed)")


TOTAL = """
from notebook_udf import AggregateFunction

class Total(AggregateFunction):
    def create_accumulator(self):
        return [0]
    def accumulate(self, acc, x: int):
        acc[0] += x
    def merge(self, acc, others):
        for other in others:
            acc[0] += other[0]
    def get_value(self, acc) -> int:
        return acc[0]
"""


def test_a_class_becomes_an_aggregate(cell: Cell) -> None:
    ran = cell(f"%%udf sum_of --kind aggregate --on-error null{TOTAL}")
    assert ran.ok, ran.errors
    assert ran.displays[0]["text/plain"] == "registered sum_of(x bigint) -> bigint, version 1"
    used = cell(
        "%%sparksql\nSELECT id % 2 AS k, sum_of(id), count(*) FROM range(10) GROUP BY 1 ORDER BY 1"
    )
    assert used.ok, used.errors
    assert "25" in str(used.displays[-1])
    checked = cell(
        "assert sum_of.kind == 'aggregate'\n"
        "assert sum_of.definition.options.on_error == 'null'\n"
        "assert sum_of.eval([1, 2, 3]) == 6"
    )
    assert checked.ok, checked.errors


@pytest.mark.parametrize(
    "code",
    [
        "@functools.lru_cache(maxsize=8)\ndef tripled(x: int) -> int:\n    return 3 * x",
        "def _times(n: int, x: int) -> int:\n    return n * x\n"
        "tripled = functools.partial(_times, 3)",
        "@functools.cache\ndef _times(x: int) -> int:\n    return 3 * x\n"
        "tripled = functools.cache(_times)",
        "@functools.singledispatch\ndef tripled(x: int) -> int:\n    return 3 * x\n"
        "@tripled.register\ndef _(x: str) -> int:\n    return 3 * int(x)",
    ],
)
def test_what_functools_makes_of_a_function_is_one(cell: Cell, code: str) -> None:
    ran = cell(f"%%udf --input-types BIGINT\nimport functools\n{code}")
    assert ran.ok, ran.errors
    assert ran.displays[0]["text/plain"].startswith("registered tripled(")
    checked = cell(
        "assert session.sql('SELECT sum(tripled(id)) FROM range(5)').first()[0] == 30\n"
        "assert tripled.eval(4) == 12"
    )
    assert checked.ok, checked.errors


def test_a_class_without_a_base_class_is_what_its_methods_say(cell: Cell) -> None:
    source = TOTAL.replace("(AggregateFunction)", "").replace("from notebook_udf import ", "# ")
    helper = "\nimport dataclasses\n@dataclasses.dataclass\nclass Pair:\n    x: int\n"
    ran = cell(f"%%udf total_of{source}{helper}")
    assert ran.ok, ran.errors
    assert ran.displays[0]["text/plain"] == "registered total_of(x bigint) -> bigint, version 1"
    checked = cell(
        "assert total_of.kind == 'aggregate'\n"
        "assert total_of.source.startswith('class Total:')\n"
        "assert session.sql('SELECT total_of(id), count(*) FROM range(5)').first()[0] == 10\n"
        "assert total_of.eval([1, 2]) == 3"
    )
    assert checked.ok, checked.errors
    plain = "%%udf --kind scalar\nclass Halved:\n    def eval(self, x: int) -> float:\n        "
    ran = cell(f"{plain}return x / 2")
    assert ran.displays[0]["text/plain"] == "registered Halved(x bigint) -> double, version 1"
    # The cell has two functions, and says which is meant by neither of its lines.
    ran = cell(f"%%udf\ndef f(x: int) -> int:\n    return x\n{source}")
    assert "the cell defines f and Total: say which with %%udf NAME" in str(ran.errors)


def test_columns_of_a_group_make_an_aggregate_if_the_kind_says_so(cell: Cell) -> None:
    ran = cell(
        "%%udf spread --kind aggregate --func-type pandas --returns double\n"
        "def spread(v):\n    return v.max() - v.min()"
    )
    assert ran.ok, ran.errors
    checked = cell(
        "rows = session.sql('SELECT spread(id), count(*) FROM range(7)').collect()\n"
        "assert tuple(rows[0]) == (6.0, 7), rows"
    )
    assert checked.ok, checked.errors


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("", "def parts(x: str) -> Iterator[str]:\n    yield from x.split()"),
        ("parts --kind table", "def parts(x: str) -> list[str]:\n    return x.split()"),
        ("parts --returns string", "def parts(x: str):\n    yield from x.split()"),
        (
            "parts",
            "class Parts(nu.TableFunction):\n    def eval(self, x: str) -> Iterator[str]:\n"
            "        return iter(x.split())",
        ),
    ],
)
def test_what_yields_becomes_a_table_function(cell: Cell, line: str, code: str) -> None:
    before = "import notebook_udf as nu\nfrom collections.abc import Iterator\n"
    ran = cell(f"%%udf {line}\n{before}{code}")
    assert ran.ok, ran.errors
    assert "registered parts(x string) -> table<f0:string>" in ran.displays[0]["text/plain"]
    checked = cell(
        "rows = session.sql(\"SELECT w FROM VALUES ('a b') t(x), LATERAL parts(x) s(w)\")\n"
        "assert [r.w for r in rows.collect()] == ['a', 'b'] == parts.eval('a b')"
    )
    assert checked.ok, checked.errors


def test_the_kind_is_held_to_the_code(cell: Cell) -> None:
    ran = cell(f"%%udf total --kind scalar{TOTAL}")
    assert not ran.ok
    assert "an aggregate function by its code, not of kind scalar" in str(ran.errors)


def test_options(cell: Cell) -> None:
    ran = cell(
        "%%udf divided --returns 'decimal(10, 2)' --input-types \"INT, DECIMAL(10, 2)\" "
        "--nondeterministic --on-error null --memory 2g --timeout 5s --kind scalar\n"
        "from decimal import Decimal\n"
        "def anything(a, b):\n    return Decimal(a) / b"
    )
    assert ran.ok, ran.errors
    checked = cell(
        "d = divided.definition\n"
        "assert divided is anything and divided.name == 'divided'\n"
        "assert divided.signature == 'divided(a int, b decimal(10,2)) -> decimal(10,2)'\n"
        "assert d.deterministic is False\n"
        "assert (d.options.on_error, d.options.memory, d.options.timeout) "
        "== ('null', 2 << 30, 5.0)\n"
        "rows = session.sql('select divided(1, 4.0), divided(1, 0.0)').collect()\n"
        "assert (str(rows[0][0]), rows[0][1]) == ('0.25', None), rows"
    )
    assert checked.ok, checked.errors


def test_func_type(cell: Cell) -> None:
    ran = cell(
        "%%udf --func-type pandas --returns BIGINT --input-types BIGINT\n"
        "def next_one(s):\n    return s + 1"
    )
    assert ran.ok, ran.errors
    assert cell("assert session.sql('select next_one(1)').first()[0] == 2").ok


def test_helpers_imports_and_row_types_do_not_count(cell: Cell) -> None:
    ran = cell(
        "%%udf\n"
        "from dataclasses import dataclass\n"
        "from math import sqrt, floor\n"
        "import json\n"
        "limit = 3\n"
        "@dataclass\n"
        "class Point:\n    x: float\n    y: float\n"
        "def _square(v):\n    return v * v\n"
        "def point(a: float) -> Point:\n    return Point(a, _square(a))\n"
    )
    assert ran.ok, ran.errors
    assert cell("assert tuple(session.sql('select point(3D)').first()[0]) == (3.0, 9.0)").ok


def test_a_class(cell: Cell) -> None:
    ran = cell(
        "%%udf\nclass Shout(nu.ScalarFunction):\n"
        "    def eval(self, s: str) -> str:\n        return s.upper()"
    )
    assert ran.ok, ran.errors
    assert cell("assert session.sql(\"select Shout('a')\").first()[0] == 'A'").ok


def test_a_function_may_call_itself_and_registered_ones(cell: Cell) -> None:
    cell("%%udf\ndef fact(n: int) -> int:\n    return 1 if n < 2 else n * fact(n - 1)")
    ran = cell("%%udf\ndef after_fact(n: int) -> int:\n    return fact(n) + 1")
    assert ran.ok, ran.errors
    checked = cell(
        "assert tuple(session.sql('select fact(5), after_fact(4)').first()) == (120, 25)"
    )
    assert checked.ok, checked.errors


def test_several_without_a_decorator(cell: Cell) -> None:
    source = "\ndef one(x: int) -> int:\n    return 1\ndef two(x: int) -> int:\n    return 2\n"
    ran = cell("%%udf" + source)
    assert ran.errors[0]["ename"] == "DeclarationError"
    assert "the cell defines one and two" in ran.displays[0]["text/plain"]
    assert cell("assert 'one' not in session.functions and 'two' not in session.functions").ok
    assert cell("%%udf two" + source).ok
    assert cell("assert 'one' not in session.functions and 'two' in session.functions").ok
    other = cell("%%udf three" + source)
    assert "none of them is called three" in other.displays[0]["text/plain"]


def test_several_with_decorators(cell: Cell) -> None:
    ran = cell(
        "%%udf\n"
        "def helper(x):\n    return x\n"
        "@nu.udf(result_type='int')\ndef dec_a(x):\n    return helper(x)\n"
        "@nu.udf(result_type='int', name='renamed')\ndef dec_b(x):\n    return 2\n"
    )
    assert ran.ok, ran.errors
    assert len(ran.displays) == 2
    checked = cell(
        "assert tuple(session.sql('select dec_a(5), renamed(1)').first()) == (5, 2)\n"
        "assert dec_b.name == 'renamed'\n"
        "assert 'helper' not in session.functions"
    )
    assert checked.ok, checked.errors


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("%%udf\nx = 1", "defines no function or class"),
        ("%%udf --kind table\ndef f(x: int) -> int:\n    return x", "not of kind table"),
        ("%%udf --kind async\ndef f(x: int) -> int:\n    return x", "not of kind async"),
        ("%%udf --memory\ndef f(x: int) -> int:\n    return x", "expected one argument"),
        (
            "%%udf --buffer-capacity 3\ndef f(x: int) -> int:\n    return x",
            "no option 'buffer_capacity'",
        ),
        ("%%udf --returns 'int\ndef f(x):\n    return x", "No closing quotation"),
        ("%%udf\ndef f(x):\n    return x", "result type of f is not known"),
        ("%%udf\ndef upper(x: str) -> str:\n    return x", "replace=True"),
        (
            "%%udf --memory 1g\n@nu.udf(result_type='int')\ndef f(x):\n    return x",
            "declared already",
        ),
    ],
)
def test_what_cannot_be_registered_is_said(cell: Cell, source: str, said: str) -> None:
    ran = cell(source)
    assert not ran.ok
    assert said in ran.displays[0]["text/plain"]
    assert cell("assert 'f' not in session.functions").ok


def test_a_failing_cell_shows_its_own_line(cell: Cell) -> None:
    ran = cell("%%udf\n\ndef fine(x: int) -> int:\n    return x\n\nraise ValueError('no')")
    assert not ran.ok
    assert len(ran.errors) == 1
    trace = "".join(ran.errors[0]["traceback"])
    assert "ValueError" in trace
    assert "line 6" in trace
    assert cell("assert 'fine' not in session.functions").ok


def test_try_shows_the_rows_of_a_table_function(cell: Cell) -> None:
    ran = cell(
        "%%udf --kind table --try \"select 'a b' as x union all select ''\" "
        "--returns 'word string, n int'\n"
        "def numbered(x):\n    return [(w, i) for i, w in enumerate(x.split())]"
    )
    assert ran.ok, ran.errors
    shown = ran.displays[1]["text/plain"].split()
    assert shown[:7] == ["x", "word", "n", "a", "b", "a", "0"]


def test_the_last_expression_is_displayed(cell: Cell) -> None:
    ran = cell("%%udf\ndef shown(x: int) -> int:\n    return x\nshown(41) + 1")
    assert ran.value == "42"


def test_try_shows_input_beside_output(cell: Cell) -> None:
    ran = cell(
        "%%udf --try \"select id as a, 'x<b>' as b from range(9)\"\n"
        "def joined(a: int, b: str) -> str:\n    return f'{b}{a}'"
    )
    assert ran.ok, ran.errors
    table = ran.displays[1]
    assert table["text/plain"].split()[:6] == ["a", "b", "joined", "0", "x<b>", "x<b>0"]
    assert "<b>" not in table["text/html"]
    assert "x&lt;b&gt;0" in table["text/html"]


def test_line_magic(cell: Cell) -> None:
    cell(
        "%%udf --on-error quarantine\nimport logging\n"
        "def picky(x: int) -> int:\n"
        "    logging.getLogger('t').warning('saw %s', x)\n    return 6 // x"
    )
    assert cell("session.sql('select picky(id) from range(3)').collect()").ok
    assert "picky(x bigint) -> bigint" in cell("%udf functions").value
    assert "workers alive" in cell("%udf pool").value
    assert "picky" in cell("%udf metrics").value
    assert "saw 2" in cell("%udf logs --level WARNING --function picky").value
    assert "saw 2" not in cell("%udf logs --level ERROR --function picky").value
    assert "ZeroDivisionError" in cell("%udf errors picky").value
    unknown = cell("%udf errors nobody")
    assert not unknown.ok
    assert "no function 'nobody' is registered" in unknown.displays[0]["text/plain"]


def test_dropping(cell: Cell, running: Kernel) -> None:
    cell("%%udf\ndef passing(x: int) -> int:\n    return x + 1")
    assert running.complete("%udf drop passi") == ["passing"]
    ran = cell("%udf drop passing")
    assert ran.ok, ran.errors
    assert ran.stream() == "dropped passing(x bigint) -> bigint\n"
    assert "passing" not in cell("%udf functions").value
    assert "UNRESOLVED_ROUTINE" in str(cell("%%sparksql\nSELECT passing(1)").displays)
    again = cell("%udf drop passing")
    assert "no function 'passing' is registered" in again.displays[0]["text/plain"]
    assert not cell("%udf drop").ok
    cell("%%udf\ndef passing(x: int) -> int:\n    return x + 2")
    cell("%%sparksql\nDROP TEMPORARY FUNCTION passing")
    assert "passing" not in cell("%udf functions").value
    # The variable stays, and with it a way back.
    cell("passing.restore()")
    assert "3" in cell("%%sparksql\nSELECT passing(1) AS one").displays[0]["text/plain"]


def test_names_of_functions_complete(cell: Cell, running: Kernel) -> None:
    cell("%%udf\ndef zebra_stripes(x: int) -> int:\n    return x")
    assert running.complete("%udf replay zebra") == ["zebra_stripes"]
    assert running.complete("%udf errors zebra") == ["zebra_stripes"]
    assert running.complete("%udf logs --function zebra") == ["zebra_stripes"]


def test_the_debugger_finds_the_line_of_the_notebook(cell: Cell) -> None:
    source = "%%udf\n\ndef placed(x: int) -> int:\n    return x"
    assert cell(source).ok
    # The name under which JupyterLab sets breakpoints in this cell.
    checked = cell(
        "from ipykernel.compiler import get_file_name\n"
        f"assert get_file_name({json.dumps(source)}) == placed.definition.source.file\n"
        "assert placed.definition.source.line == 3"
    )
    assert checked.ok, checked.errors
