"""Every tutorial runs from top to bottom, and its answers are the ones its text tells."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from notebook_udf.tutorials import (
    CHART,
    IN_REPOSITORY,
    copy_tutorials,
    pictures_folder,
    run_tutorial,
    tutorials_folder,
)
from tests.cluster import cluster
from tests.scripts import ROOT

OPENING = "nu.session()"
TUTORIALS = sorted(tutorials_folder().glob("*.ipynb"))
_SOLUTION = re.compile(r"```(?:python|sql)\n(.*?)\n```", re.S)


def solutions(notebook: Any) -> list[str]:
    """The cells of the solutions that are folded away in a tutorial."""
    folded = [
        cell.source.partition("<details>")[2]
        for cell in notebook.cells
        if cell.cell_type == "markdown"
    ]
    return [code for text in folded for code in _SOLUTION.findall(text)]


@pytest.fixture(params=["here", pytest.param("bare cluster", marks=pytest.mark.thorough)])
def opening(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """How a tutorial opens its session: on this machine; on a cluster that has Python alone."""
    if request.param == "here":
        yield OPENING
        return
    path = os.pathsep.join([f"{sys.base_prefix}/bin", "/usr/bin", "/bin"])
    hidden = [ROOT / "notebook_udf"]
    with cluster(tmp_path, hidden=hidden, environment={"PATH": path}) as running:
        monkeypatch.setenv("PYSPARK_PYTHON", "python3")
        yield f"nu.session(master={running.url!r}, ship=True)"


def told(folder: Path, name: str, opening: str = OPENING) -> Callable[[str], str]:
    """Runs a tutorial, and then its solutions as somebody would who gives up.

    What is returned says what the only cell put out whose source has a certain part.
    """
    copy_tutorials(folder)
    path = folder / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = cell.source.replace(OPENING, opening)
    notebook.cells += [nbformat.v4.new_code_cell(code) for code in solutions(notebook)]
    nbformat.write(notebook, path)
    outputs: dict[str, str] = {}
    run_tutorial(path, lambda source, texts: outputs.update({source: "\n".join(texts)}))

    def of(part: str) -> str:
        (found,) = [text for source, text in outputs.items() if part in source]
        return found

    return of


@pytest.mark.timeout(600)
def test_the_first_tutorial_tells_the_truth(tmp_path: Path, opening: str) -> None:
    of = told(tmp_path, "01-first-function", opening)

    assert of("great_circle.eval").startswith("2469.48")
    miles = of("AS correlation")
    assert "329174" in miles
    assert "great_circle v1  329,174" in miles
    lateness = of("%%sparksql by_airline")
    assert "Hawaiian Airlines Inc." in lateness
    assert "8,255" in lateness
    assert "tailnum = 'D942DN'" in of("%%sparksql\nSELECT parse_tail(tailnum)")
    assert "AttributeError" in of("session.replay")
    assert of("%udf errors").count("D942DN") == 4
    assert of("explain()").count("ArrowEvalPython") == 1
    assert "ArrowEvalPython  lateness(dep_delay); parse_tail(tailnum)" in of("%udf plan")
    seasons = of("SELECT season(month)")
    assert re.search(r"winter +2,?807", seasons)
    assert seasons.index("winter") < seasons.index("autumn")


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_the_tutorial_on_aggregates_tells_the_truth(tmp_path: Path, opening: str) -> None:
    of = told(tmp_path, "02-aggregates", opening)

    assert of("delay_index.eval").startswith("51.66")
    assert "cannot be invoked together" in of("pandas_udf")
    mixed = of("FILTER (WHERE month = 7)")
    assert "ExpressJet Airlines Inc.  " in mixed
    assert "20.2" in mixed
    totals = of("ROLLUP")
    assert "113300" in totals
    for line in of("delay_quantile(dep_delay, 0.9D)").splitlines()[1:4]:
        _, sketched, exact, sketched_99, exact_99 = line.split()
        assert abs(float(sketched) / float(exact) - 1) < 0.04
        assert abs(float(sketched_99) / float(exact_99) - 1) < 0.04
    assert "|     DL| ATL|  10571|" in of("nu.flat_aggregate")
    failed = of("SELECT carrier, slowest_mile")
    assert "minutes  = None" in failed
    assert "group carrier = " in failed
    assert "TypeError" in of("session.replay")
    assert "1150" in of("spread(dep_delay) AS spread").replace(",", "")


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_the_tutorial_on_table_functions_tells_the_truth(tmp_path: Path) -> None:
    of = told(tmp_path, "03-tables")

    assert of("words.eval") == "['hancock', 'county', 'bar', 'harbor']"
    assert "airport    635       1049.0" in of("AS feet")
    assert of("kinds.eval") == "[('municipal', 'municipal'), ('water', 'seaplane')]"
    assert of("SELECT count(DISTINCT faa)") == "789 1458"
    both = of("LATERAL kinds(word)")
    assert "|     intl|international|     145|" in both
    assert both.count("MapInArrow TablePass") == 1
    assert "Angoon Seaplane Base|water|seaplane" in of("nu.join_lateral")
    failed = of("SELECT manufacturer, number, count(*) AS planes\nFROM")
    assert "model = '" in failed
    assert "invalid literal for int()" in failed
    assert "ValueError" in of("session.replay")
    lenient = of("quarantine")
    assert "|      BOEING|   737|  1037|" in lenient
    assert "1696 models have no number in front" in lenient
    assert re.search(r"idxmax +1170\..*max +156\.", of("by_time ="), re.S)
    assert re.search(r"^7 +50 +56\.0$", of("LATERAL boarding("), re.M)


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_the_tutorial_on_async_functions_tells_the_truth(tmp_path: Path) -> None:
    of = told(tmp_path, "04-async")

    assert of("day_hours.eval") == "14.91"
    asked = of("one after the other")
    assert "1,458 airports" in asked
    assert "'refused'" not in asked
    assert "async.call_seconds" in of("%udf metrics")
    needed = of("def requests").splitlines()
    assert needed[0].startswith("13 rows, 13 answers")
    # North of 66.5 degrees a branch answers that needs no request.
    assert needed[1].startswith("67 rows, 37 answers")
    unordered, ordered = of("napped").splitlines()
    assert unordered.endswith("0, 20, 40]")
    assert ordered == "[55, 56, 57, 58, 59]"
    assert of('buffer-capacity"').splitlines()[0] in ("3", "6")
    failed = of("polite(faa)")
    assert "did not return within 0.3 s" in failed
    assert "'JFK'" in failed
    assert "await asyncio.sleep(3600)" in failed
    lost = of("lost_hours(lat) AS lost")
    assert "Dillant Hopkins Airport" in lost
    assert "12.25" in lost


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_the_tutorial_on_streams_tells_the_truth(tmp_path: Path) -> None:
    of = told(tmp_path, "05-streaming")

    assert "on streams: accumulators are kept in Spark's state" in of("delay_index.explain()")
    assert of("board = {}").startswith("EV 37.0   YV 19.5   9E 14.4")
    assert of("arrive(8)").splitlines() == [
        "EV 21.5   9E 13.4   WN 8.2   UA 5.9   MQ 5.9   B6 5.1",
        "EV 20.8   9E 12.9   WN 10.2   MQ 7.3   UA 6.4   B6 5.5",
    ]
    assert of("session.suspend(query)\narrive").startswith("F9 53.2   EV 23.9   9E 19.4")
    remembered = of("state = session.state(query)")
    assert "batches 0 to 10" in remembered
    assert "[12357439.0, 1191515.0]" in remembered
    assert "[-24915.0, 4983.0]" in of("state.history")
    assert "|2013-02-09| 21.3|  132.8|" in of("AS of_late")
    assert "|     HA| 95.0|" in of("change_column")
    assert "seen: ARRAY" in of("except nu.SessionError")
    assert "as a table: True" in of("session.drain(query)")
    assert "|2013-02-08|      472|" in of("cancelled=cancelled").splitlines()[3]
    assert "state" in of("%udf state query")


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_the_tutorial_on_process_functions_tells_the_truth(tmp_path: Path) -> None:
    of = told(tmp_path, "06-process-functions")

    assert "before=5.0, after=70.0" in of("previous_delay.eval")
    assert "24.9" in of("groupBy(late)")
    plan = of("sentences.explain()")
    assert plan.count("MapInArrow") == 1
    assert "Sentence [records reused]" in plan
    assert of("again[0]").startswith("4262 ")
    assert "the largest count is 57979" in of("flights_so_far.explain()")
    assert "628 turns on the stream, 628 in one go" in of("session.drain(query)")
    assert of("session.state(").count("|") > 3
    failed = of("class Ratio")
    assert "step 2 of the chain previous_delay → Ratio" in failed
    assert "output.collect(turn.after / turn.before)" in failed
    assert "'all rows seen: 1000', 'committed', 'closed'" in of("class Audit")
    assert "| N949UW|     51|" in of("nu.process(punctual_run")
    assert "all rows seen: 1000" in of("%udf logs")


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda p: p.name)
def test_a_tutorial_has_a_question_a_picture_and_a_solution(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    assert re.search(r"\*\*.*\?\*\*|The question", notebook.cells[0].source, re.S)
    assert solutions(notebook)
    assert f"]({IN_REPOSITORY}/{path.stem}.png)" in notebook.cells[0].source
    assert (pictures_folder() / f"{path.stem}.png").stat().st_size <= 60_000
    (answer,) = [cell for cell in notebook.cells if "answer" in cell.metadata.get("tags", ())]
    assert re.search(r"title\b", answer.source)
    assert re.search(r"xlabel.*ylabel", answer.source, re.S)
    drawing = [cell for cell in notebook.cells if re.search(r"\bplt\.", cell.source)]
    assert all(CHART in cell.metadata.get("tags", ()) for cell in drawing)
    assert any(cell.source.startswith("**The answer.**") for cell in notebook.cells)


def test_charts_are_left_out_where_matplotlib_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = [nbformat.v4.new_code_cell(f"print({name!r})") for name in ("one", "drawn", "two")]
    cells[1].metadata["tags"] = [CHART]
    path = tmp_path / "some.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    found = importlib.util.find_spec
    for missing, shown in ((False, ["one", "drawn", "two"]), (True, ["one", "two"])):
        hidden = {"matplotlib"} if missing else set()
        monkeypatch.setattr(
            "importlib.util.find_spec",
            lambda name, *rest, hidden=hidden: None if name in hidden else found(name, *rest),
        )
        outputs: list[str] = []
        run_tutorial(path, lambda source, texts, outputs=outputs: outputs.extend(texts))
        assert outputs == shown


def test_a_copy_of_the_tutorials_has_their_pictures(tmp_path: Path) -> None:
    first = copy_tutorials(tmp_path / "mine")
    for path in first.parent.glob("*.ipynb"):
        shown = re.findall(r"!\[[^]]+\]\((.+?)\)", path.read_text("utf-8"))
        assert shown == [f"pictures/{path.stem}.png"], path
        assert (path.parent / shown[0]).exists()


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_the_tutorial_on_a_project_ends_in_a_plain_spark(tmp_path: Path) -> None:
    copy_tutorials(tmp_path)
    outputs: dict[str, str] = {}
    run_tutorial(
        tmp_path / "07-project.ipynb",
        lambda source, texts: outputs.update({source: "\n".join(texts)}),
    )

    def of(part: str) -> str:
        (found,) = [text for source, text in outputs.items() if part in source]
        return found

    assert "10.0       30.0    0.0     storm" in of("FOG_MILES = 2")
    assert "1740   100 18 60" in of("yield start // 60")
    answer = of("session.sql(ANSWER).show()")
    assert "|     rain|  19158|        29.4|" in answer
    module = (tmp_path / "project" / "waits.py").read_text()
    assert of("read_text()") == module.rstrip()
    assert "notebook_udf" not in module
    assert "load_flights" not in module
    assert "def minute_of_day(clock):" in module
    assert "1740   100 18 60" in (tmp_path / "project" / "waits_test.py").read_text()
    *table, loaded = of("subprocess.run").splitlines()
    assert "\n".join(table).strip() == answer.strip()
    assert loaded == "notebook_udf is loaded: False"


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_the_tutorial_on_a_job_of_ones_own_tells_the_truth(tmp_path: Path) -> None:
    of = told(tmp_path, "08-your-own-job")

    failed = of("import nightly\n")
    assert "PythonException: speed: TypeError" in failed
    assert "minutes = None" in failed
    assert "TypeError" in of("session.replay")
    assert "part_of_day" in of("costs / 1e9") or "Styler" in of("costs / 1e9")
    assert "Register both with this session" in of("session.plan(")
    assert "gives_none_for_762_none" in of("--force\nprint")
    mended = of("importlib.reload(nightly)\nnightly.by_part")
    assert "|  morning| 147248|     -1.1|395.4|" in mended
    assert "runs in Spark's JVM" in of("explain()")
    pandas_, ordinary = re.findall(r": ([\d.]+) s", of("def counted("))
    assert float(ordinary) < float(pandas_)
    assert of("before <> after") == "0"
    night = of("subprocess.run")
    assert mended.strip() in night
    assert "It ended by itself" in night
    assert "2 functions, 0 failed calls" in night
    assert "|   -1|     NULL|" in of("late.union(odd)")


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_the_tutorial_on_a_slow_function_tells_the_truth(tmp_path: Path) -> None:
    of = told(tmp_path, "09-my-udf-is-slow")

    assert of("crowd.eval") == "8"
    assert "sum(abs(other - minute) <= 15" in of("%udf profile waits")
    assert re.search(r"crowd_sorted .* yes", of("%udf bench crowd SELECT"))
    assert "ArrowEvalPython" in of("%udf plan waits")
    assert "self.due = {day: sorted(" in of("%udf profile faster")
    scan, in_order, once, nothing = map(float, re.findall(r": ([\d.]+)", of("forms = {")))
    assert scan > in_order > once > nothing
    assert re.search(r"earlier_sorted .* yes", of("%udf bench earlier SELECT"))
    assert "|375|" in re.sub(r"[ -]", "", of("SELECT max(earlier_once"))


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_the_tutorial_on_a_model_tells_the_truth(tmp_path: Path) -> None:
    of = told(tmp_path, "10-a-model-in-open")

    assert of("model.fit").startswith("166,666 flights, of which 14.8%")
    assert 0.3 < float(of("risk_loading.eval")) < 0.9
    rows_a_second = {
        way: int(rate.replace(",", ""))
        for way, rate in re.findall(
            r"^(as it is|risk_loading|late_risk).*? [\d.]+ +([\d,]+) ", of("%udf bench"), re.M
        )
    }
    assert rows_a_second["risk_loading"] < rows_a_second["as it is"] < rows_a_second["late_risk"]
    assert "no" not in re.findall(r"(\w+)\n", of("%udf bench"))
    tenths = [
        (float(predicted), float(late))
        for predicted, late in re.findall(r"^\d+ +\d+ +(0\.\d+) +(0\.\d+)", of("ntile(10)"), re.M)
    ]
    assert len(tenths) == 10
    assert all(abs(predicted - late) < 0.03 for predicted, late in tenths)
    assert tenths[-1][1] > 10 * tenths[0][1]
    assert "late_risk" in of("%udf metrics")
    assert "workers alive" in of("%udf pool")
    calm, _, late = re.findall(r"^(?:calm|watch|late) +\d+ +([\d.]+)", of("SELECT outlook"), re.M)
    assert float(calm) < 10 < 30 < float(late)


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda p: p.name)
def test_tutorials_are_stored_without_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
