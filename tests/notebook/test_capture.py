"""``%udf capture``: calls of a function become a file of tests, green before it is kept."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from notebook_kernel import ROOT, Ran

Cell = Callable[[str], Ran]


def captured(cell: Cell, line: str, target: Path) -> str:
    """The file that a capture writes."""
    ran = cell(f"%udf capture {line} -o {target}")
    if not ran.ok:
        pytest.fail(ran.errors[0]["evalue"] + str(ran.displays))
    assert re.match(rf"{re.escape(str(target))}: \d tests? of \w+, green", ran.value)
    return target.read_text()


def refused(cell: Cell, line: str) -> str:
    """What a capture says that writes nothing."""
    ran = cell(f"%udf capture {line}")
    assert not ran.ok
    return ran.displays[-1]["text/plain"]


def names_in(text: str) -> list[str]:
    return re.findall(r"^def (test_\w+)", text, re.M)


def passes(file: Path) -> bool:
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file.name],
        cwd=file.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=120,
        check=False,
    )
    return ran.returncode == 0


HAUL = """%%udf
import time

NAMES = {"far": 800}


def haul(miles: float, tag: str) -> str:
    time.sleep(0.002)
    if tag == "wrong":
        raise KeyError(tag)
    return "short" if miles < NAMES["far"] else "long"
"""


def test_rows_of_slow_bundles_and_failed_calls(cell: Cell, tmp_path: Path) -> None:
    target = tmp_path / "test_haul.py"
    assert cell(HAUL).ok
    cell("session.sql(\"SELECT haul(800 * id, 'tag ' || id) FROM range(0, 2, 1, 1)\").collect()")
    text = captured(cell, "haul", target)
    assert text.startswith('"""Tests of haul, captured from its calls by notebook-udf ')
    assert '\n\nimport time\n\nNAMES = {"far": 800}\n\n\ndef haul(' in text
    assert names_in(text) == [
        "test_haul_gives_short_for_0_0_tag_0",
        "test_haul_gives_long_for_800_0_tag_1",
    ]
    assert '    result = haul(800.0, "tag 1")\n    assert same(result, "long")\n' in text
    assert passes(target)
    target.write_text(text.replace('{"far": 800}', '{"far": 900}'))
    assert not passes(target)

    assert not cell("session.sql(\"SELECT haul(1.5D, 'wrong')\").collect()").ok
    text = captured(cell, "haul --failed --force", target)
    assert names_in(text) == ["test_haul_raises_key_error_for_1_5_wrong"]
    assert (
        """    with pytest.raises(KeyError, match=re.escape("'wrong'")):\n"""
        '        haul(1.5, "wrong")\n'
    ) in text
    assert "# Failed at row 1 of 1 in bundle 1, partition 0, worker" in text
    # It was in a slow bundle as well, and is tested once.
    text = captured(cell, "haul --force --rows 1", target)
    assert len(names_in(text)) == 2
    assert "raises_key_error" in text
    assert "same(result" in text


KINDS = {
    "rooted": (
        "from notebook_udf import ScalarFunction\n\n"
        "class Rooted(ScalarFunction):\n"
        "    def open(self, ctx):\n        self.base = 10\n\n"
        "    def eval(self, x: int) -> float:\n"
        "        time.sleep(0.002)\n        return self.base + 1 / x\n",
        "SELECT rooted({})",
        "    result = result_of(1)\n    assert same(result, 11.0)",
        "    function.open(FunctionContext(function=\"rooted\"))\n",
    ),
    "fetched": (
        "import asyncio\n\n"
        "async def fetched(x: int) -> dict[str, float]:\n"
        "    time.sleep(0.002)\n    await asyncio.sleep(0)\n    return {'x': 1 / x}\n",
        "SELECT fetched({})",
        '    result = asyncio.run(fetched(1))\n    assert same(result, {"x": 1.0})',
        "    with pytest.raises(ZeroDivisionError",
    ),
    "parts": (
        "from collections.abc import Iterator\n\n"
        "def parts(x: int) -> Iterator[tuple[int, float]]:\n"
        "    time.sleep(0.002)\n    yield x, 1 / x\n    yield x, float('nan')\n",
        "SELECT p.* FROM VALUES (CAST({} AS BIGINT)) AS v(x), LATERAL parts(x) AS p",
        '    result = list(parts(1))\n    assert same(result, [(1, 1.0), (1, float("nan"))])',
        '        list(parts(0))',
    ),
    "inverses": (
        "from notebook_udf import AggregateFunction\n\n"
        "class Inverses(AggregateFunction):\n"
        "    def create_accumulator(self):\n        return []\n\n"
        "    def accumulate(self, acc, x: int):\n"
        "        time.sleep(0.002)\n        acc.append(1 / x)\n\n"
        "    def merge(self, acc, others):\n"
        "        for other in others:\n            acc.extend(other)\n\n"
        "    def get_value(self, acc) -> float:\n        return sum(acc)\n\n"
        "    def close(self):\n        self.closed = True\n",
        "SELECT inverses(x) FROM VALUES (CAST({} AS BIGINT)) AS v(x)",
        "    result = result_of([(1,)])\n    assert same(result, 1.0)",
        "        result_of([(0,)])",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_that_a_call_can_be_repeated_of(cell: Cell, tmp_path: Path, name: str) -> None:
    source, query, result, form = KINDS[name]
    assert cell(f"%%udf {name}\nimport time\n{source}").ok
    assert cell(f'session.sql("{query.format(1)}").collect()').ok
    assert not cell(f'session.sql("{query.format(0)}").collect()').ok
    text = captured(cell, name, tmp_path / f"test_{name}.py")
    assert result in text
    assert form in text
    division = r"with pytest.raises\(\s*ZeroDivisionError, match=re.escape\(\"[a-z ]*division"
    assert re.search(division, text)


def test_a_function_of_a_module_is_imported(cell: Cell, tmp_path: Path) -> None:
    (tmp_path / "rates_here.py").write_text(
        "class NoRate(Exception):\n    pass\n\n\n"
        "def rated(x: int) -> int:\n    raise NoRate(f'for {x}')\n"
    )
    cell(f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport rates_here")
    cell(f"session.add_python_file({str(tmp_path / 'rates_here.py')!r})")
    cell("session.register_function('rated', rates_here.rated)")
    assert not cell("session.sql('SELECT rated(3)').collect()").ok
    text = captured(cell, "RATED", tmp_path / "test_rated.py")
    assert "\nfrom rates_here import NoRate, rated\n" in text
    assert 'with pytest.raises(NoRate, match=re.escape("for 3")):\n        rated(3)' in text
    assert passes(tmp_path / "test_rated.py")


def test_one_that_was_registered_as_an_object_is_found_by_its_source(
    cell: Cell, tmp_path: Path
) -> None:
    cell(
        "@nu.udf(result_type='struct<a:int,b:string>', input_types=['int'])\n"
        "def paired(x):\n    return (10 // x, None)\n\n"
        "session.register_function('as_pair', paired)"
    )
    assert not cell("session.sql('SELECT as_pair(0)').collect()").ok
    text = captured(cell, "as_pair", tmp_path / "test_pair.py")
    assert "        paired.function(0)\n" in text
    cell("session.register_function('made', (lambda: lambda x: 1 // x)(), result_type='int')")
    cell("session.sql('SELECT made(0)').collect()")
    assert "neither a cell that was run nor a module" in refused(cell, "made")


def test_masked_texts_look_alike_and_what_changes_is_said(cell: Cell, tmp_path: Path) -> None:
    assert cell(HAUL.replace("haul", "masked_haul")).ok
    assert not cell("session.sql(\"SELECT masked_haul(7.25D, 'wrong')\").collect()").ok
    text = captured(cell, "masked_haul --mask", tmp_path / "test_masked.py")
    (call,) = re.findall(r'masked_haul\(7\.25, "([a-z]{5})"\)', text)
    # Only the source of the function has the word.
    assert text.count("wrong") == 1
    assert call != "wrong"
    assert "# Its texts are masked: with its own the call raised KeyError.\n" in text
    assert 'assert same(result, "short")' in text
    assert passes(tmp_path / "test_masked.py")


def test_the_newest_version_is_tested_and_what_an_earlier_one_did_is_said(
    cell: Cell, tmp_path: Path
) -> None:
    cell("%%udf\ndef mended(x: int) -> int:\n    return 1 // x")
    assert not cell("session.sql('SELECT mended(0)').collect()").ok
    cell("%%udf\ndef mended(x: int) -> int:\n    return 1 // x if x else -1")
    text = captured(cell, "mended --failed", tmp_path / "test_mended.py")
    assert names_in(text) == ["test_mended_gives_minus_1_for_0"]
    assert (
        "    # Version 1 of the function raised ZeroDivisionError; this is what version 2 gives.\n"
        "    result = mended(0)\n    assert same(result, -1)\n"
    ) in text


def test_what_no_test_can_repeat_is_left_out_and_named(cell: Cell, tmp_path: Path) -> None:
    cell(
        "%%udf\nimport time\nfrom pyspark import TaskContext\n\n"
        "def narrow(x: int) -> int:\n"
        "    if x == 1:\n        return 1 << 80\n"
        "    if x == 2 and TaskContext.get():\n        raise OSError('only there')\n"
        "    time.sleep(0.002)\n    return 8 // x"
    )
    for x in (1, 2, 0):
        assert not cell(f"session.sql('SELECT narrow({x})').collect()").ok
    ran = cell(f"%udf capture narrow --failed -o {tmp_path / 'test_narrow.py'}")
    assert ran.value.splitlines()[1:] == [
        "1 left out: BadResult is Spark's or the worker's, and no call by itself raises it",
        "1 left out: it raised OSError as it ran, and gave a result here: it depends on more than "
        "its arguments",
    ]


def test_what_is_not_green_is_not_written(cell: Cell, tmp_path: Path) -> None:
    target = tmp_path / "test_drawn.py"
    cell(
        "%%udf --nondeterministic\nimport random, time\n\n"
        "def drawn(x: int) -> float:\n    time.sleep(0.002)\n    return random.random() + x"
    )
    assert cell("session.sql('SELECT drawn(id) FROM range(1)').collect()").ok
    said = refused(cell, f"drawn -o {target}")
    assert f"{target} was not written, because its tests are not green" in said
    assert "E    +  where False = same(" in said
    assert "If drawn answers otherwise at each call" in said
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_captured_says_what_to_do(cell: Cell, tmp_path: Path) -> None:
    cell("%%udf\ndef quick(x: int) -> int:\n    return x")
    assert "declare the function with compile=False and run the query" in refused(cell, "quick")
    assert "no call of quick has failed in this session" in refused(cell, "quick --failed")
    assert "pytest would not find quick.py" in refused(cell, "quick -o quick.py")
    assert "--rows 0 is no number of calls" in refused(cell, "quick --rows 0")
    assert "make it first" in refused(cell, f"quick -o {tmp_path}/none/test_quick.py")
    assert "did you mean quick?" in refused(cell, "quik")
    assert "%udf capture takes the name of a function" in refused(cell, "")
    there = tmp_path / "test_quick.py"
    there.write_text("mine")
    assert "is there already; --force overwrites it" in refused(cell, f"quick -o {there}")
    assert there.read_text() == "mine"
    cell("%%udf --func-type pandas --returns double\ndef doubled(x):\n    return x * 2")
    assert "it takes batches of rows" in refused(cell, "doubled")
    cell(
        "%%udf running\nfrom notebook_udf import Collector, OneInputStreamProcessFunction\n\n"
        "class Running(OneInputStreamProcessFunction):\n"
        "    def process_record(self, record: int, output: Collector[int], ctx):\n"
        "        output.collect(record)"
    )
    assert "depends on its state" in refused(cell, "running")
    cell("import sys; sys.modules['pytest'] = None")
    assert "pip install pytest" in refused(cell, "quick")
    cell("del sys.modules['pytest']")


PYSPARKS = """
from pyspark.sql import functions as F

MINUTES = 60


@F.udf("int")
def of_day(clock):
    hours, minutes = clock.split(":")
    return int(hours) * MINUTES + int(minutes)


clocks = session.spark.createDataFrame([("17:40",), ("noon",)], "clock string").coalesce(1)
"""


def test_a_call_of_pysparks_own_function_that_failed(cell: Cell, tmp_path: Path) -> None:
    target = tmp_path / "test_of_day.py"
    assert cell(PYSPARKS).ok
    assert not cell("clocks.select(of_day('clock')).collect()").ok
    text = captured(cell, "of_day", target)
    # PySpark's decorator would need a Spark.
    assert "\n\n\ndef of_day(clock):" in text
    assert "pyspark" not in text
    assert names_in(text) == ["test_of_day_raises_value_error_for_noon"]
    assert '        of_day("noon")\n' in text
    assert passes(target)
    # As it is now, a test expects what it gives.
    mended = PYSPARKS.replace(
        "    hours, minutes", "    if ':' not in clock:\n        return None\n    hours, minutes"
    )
    assert cell(mended).ok
    text = captured(cell, "of_day --force", target)
    assert names_in(text) == ["test_of_day_gives_none_for_noon"]
    assert (
        "# Before it was changed the function raised ValueError; this is what it gives now." in text
    )
    assert passes(target)
    assert "no function 'of_night' is registered" in refused(cell, "of_night")


def test_what_failed_with_a_batch_is_no_test(cell: Cell, tmp_path: Path) -> None:
    batch = """
    import pandas as pd
    from pyspark.sql import functions as F

    @F.pandas_udf("long")
    def of_batch(x: pd.Series) -> pd.Series:
        return x // int(x.iloc[0])

    session.spark.range(3).coalesce(1).select(of_batch("id")).collect()
    """
    assert not cell(textwrap.dedent(batch)).ok
    assert "no call of of_batch can be repeated by a test" in refused(cell, "of_batch")
