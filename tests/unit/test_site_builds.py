"""The documentation site builds strictly: no broken link or anchor, no page left out."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from runpy import run_path

import pytest
import yaml

import notebook_udf as nu
from benchmarks.results import read
from tests.browser import gallery
from tests.built_site import build_site

ROOT = Path(__file__).resolve().parents[2]
Plain = Callable[[str, str], tuple[str, str]]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, with the outputs of tutorials that have been run already, and of no others."""
    folder = tmp_path_factory.mktemp("site")
    build_site(folder)
    return folder


@pytest.fixture(scope="module")
def plain() -> Plain:
    return run_path(str(ROOT / "docs" / "_hooks" / "plain_figures.py"))["plain"]


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    pages = "\n".join(path.read_text("utf-8") for path in (site / "reference").glob("*.html"))
    named = set(re.findall(r'id="notebook_udf\.(\w+)"', pages))
    assert set(nu.__all__) - named == set()


def test_figures_are_those_that_were_measured(site: Path, plain: Plain) -> None:
    rows = read((ROOT / "benchmarks" / "RESULTS.md").read_text("utf-8"))
    shown = html.unescape(re.sub(r"<[^>]+>", "", (site / "figures.html").read_text("utf-8")))
    assert len(rows) > 10
    for row in rows:
        figure, measured = plain(row.figure, row.measured)
        assert re.sub(r"[*`_]", "", figure) in re.sub(r"[*`_]", "", shown)
        assert measured in shown


def test_figures_are_said_in_plain_words(plain: Plain) -> None:
    for row in read((ROOT / "benchmarks" / "RESULTS.md").read_text("utf-8")):
        figure, measured = plain(row.figure, row.measured)
        assert re.fullmatch(r"[^-].*", measured), figure
        if measured.endswith("%"):
            assert "share of" in figure
        # The number itself stays.
        digits = re.sub(r"^-|\.00$", "", row.measured.split()[0])
        assert digits in measured or measured == "no change"
    assert plain("The live cell slows a run of 3 bundles a second by", "-0.96 %") == (
        "Time of a run of 3 bundles a second with the live cell, against without it",
        "0.96 % less",
    )
    assert plain("Cost of a row among 16 M against one among 1 M", "4.50 %") == (
        "Time for one row of 16 M, against one row of 1 M",
        "4.50 % more",
    )
    assert plain("kernel, threads: growth in an hour", "0.00 %")[1] == "no change"


def test_bars_that_are_not_cleared_are_told(site: Path, plain: Plain) -> None:
    rows = read((ROOT / "benchmarks" / "RESULTS.md").read_text("utf-8"))
    missed = [row for row in rows if row.cleared != "yes"]
    for page in ("figures.html", "explanation/when-it-is-fast.html"):
        text = html.unescape(re.sub(r"<[^>]+>", "", (site / page).read_text("utf-8")))
        for row in missed:
            told = "{} ({}, wanted {})".format(*plain(row.figure, row.measured), row.bar)
            assert re.sub(r"[*`_]", "", told) in re.sub(r"[*`_]", "", text), page
        assert "{{" not in text, page


def test_every_tutorial_is_shown_with_its_solution(site: Path) -> None:
    tutorials = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert tutorials == sorted(p.stem for p in (site / "tutorials").glob("[0-9]*.html"))
    for name in tutorials:
        page = (site / "tutorials" / f"{name}.html").read_text("utf-8")
        assert "<details>" in page, name
        assert "load_ext" in page, name
        assert f'src="../images/tutorials/{name}.png"' in page, name
        assert (site / "images" / "tutorials" / f"{name}.png").exists()


def test_pages_fetch_nothing_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        page = path.read_text("utf-8")
        fetched = re.findall(r'<(?:script|img|iframe)[^>]*\bsrc="(https?:[^"]+)', page)
        fetched += re.findall(r'<link[^>]*rel="stylesheet"[^>]*href="(https?:[^"]+)', page)
        assert not fetched, path


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_in_the_repository_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    for link in links:
        if not re.match(r"https?:|mailto:", link):
            assert (ROOT / link.partition("#")[0]).exists(), link


def test_the_readme_leads_to_every_tutorial() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        assert f"?urlpath=lab/tree/notebooks/{path.name})" in readme, path.name
        assert f"(notebooks/{path.name})" in readme, path.name


def test_figures_in_the_readme_are_those_that_were_measured() -> None:
    rows = read((ROOT / "benchmarks" / "RESULTS.md").read_text("utf-8"))
    measured = {row.figure: row.measured for row in rows}
    readme = (ROOT / "README.md").read_text("utf-8")
    quoted = re.findall(r"<!-- figure: (.+?) -->([\d.,]+ ×)", readme)
    assert len(quoted) >= 3
    for figure, said in quoted:
        assert measured[figure] == said, figure
    # Others would not be found out of date.
    assert set(re.findall(r"[\d.,]+ ×", readme)) == {said for _, said in quoted}


def test_the_changelog_is_by_version_and_knows_this_one() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    versions = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert versions[0] == "Unreleased"
    form = r"\d+\.\d+\.\d+ – \d{4}-\d\d-\d\d"
    assert all(re.fullmatch(form, version) for version in versions[1:])
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert versions[1] == f"{nu.__version__} – {citation['date-released']}"
    groups = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    assert groups <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_papers_of_the_repository_can_be_read() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == nu.__version__
    assert citation["license"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text("utf-8")
    for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(path.read_text("utf-8"))
        assert path.name == "config.yml" or {"name", "description", "body"} <= set(form), path


def test_every_error_is_explained() -> None:
    page = (ROOT / "docs" / "how-to" / "troubleshoot.md").read_text("utf-8")
    headings = " ".join(re.findall(r"^### (.+)$", page, re.MULTILINE))
    raised = {
        name
        for name in nu.__all__
        if isinstance(kind := getattr(nu, name), type) and issubclass(kind, nu.NotebookUdfError)
    }
    # Bases, of which the page's first lines tell.
    raised -= {"NotebookUdfError", "WorkerError", "RemoteError"}
    assert {name for name in raised if not re.search(rf"\b{name}\b", headings)} == set()


def test_the_gallery_shows_its_pictures_with_their_cells() -> None:
    page = (ROOT / "docs" / "gallery.md").read_text("utf-8")
    for cell in (gallery.SLOW, gallery.LIVE, *gallery.STORY.values()):
        assert f"\n{cell}\n```" in page, cell
    shown = set(re.findall(r"images/gallery/([\w-]+)\.png", page))
    assert shown == {path.stem for path in gallery.TARGET.glob("*.png")}
    assert {name.removesuffix("-dark") for name in shown} == {*gallery.STORY, "live", "lab"}
