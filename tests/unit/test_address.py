"""The address of the repository stands in pyproject.toml; what repeats it says the same."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
OTHER = "https://github.com/some-body/their.project"
_LINK = re.compile(r"(?:github\.com|mybinder\.org/v2/gh)/([\w.-]+/[\w.-]+)")


@pytest.fixture
def address() -> ModuleType:
    path = ROOT / "docs" / "_hooks" / "address.py"
    spec = importlib.util.spec_from_file_location("address", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(address: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that have the address, which the module changes."""
    for name in ("pyproject.toml", *address.REPEATED):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(address, "ROOT", tmp_path)
    monkeypatch.setattr(address, "PROJECT", tmp_path / "pyproject.toml")
    return tmp_path


def repositories(text: str) -> set[str]:
    return set(_LINK.findall(text))


def test_files_that_repeat_the_address_name_the_same(address: ModuleType) -> None:
    own = address.repository().removeprefix("https://github.com/")
    for name in address.REPEATED:
        assert repositories((ROOT / name).read_text("utf-8")) == {own}, name
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["repository-code"] == address.repository()


def test_no_other_file_has_the_address(address: ModuleType) -> None:
    own = address.repository().removeprefix("https://github.com/")
    known = {ROOT / name for name in ("pyproject.toml", *address.REPEATED)}
    folders = ("docs", "notebook_udf", "notebooks", "binder", "extension/src", ".github")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    files += [path for path in ROOT.iterdir() if path.is_file()]
    naming = [
        path for path in files if own in repositories(path.read_text("utf-8", errors="replace"))
    ]
    assert set(naming) <= known


def test_the_readme_installs_the_package_under_its_name(address: ModuleType) -> None:
    installed = re.findall(
        r"^pip install '?([\w-]+)", (ROOT / "README.md").read_text("utf-8"), re.M
    )
    assert installed == [address.package()]


def test_another_address_is_written_into_all(address: ModuleType, copy: Path) -> None:
    assert set(address.change(OTHER + "/")) == {"pyproject.toml", *address.REPEATED}
    assert address.repository() == OTHER
    assert address.binder("1.ipynb") == (
        "https://mybinder.org/v2/gh/some-body/their.project/main?urlpath=lab/tree/notebooks/1.ipynb"
    )
    for name in address.REPEATED:
        assert repositories((copy / name).read_text("utf-8")) == {"some-body/their.project"}
    assert address.change(OTHER) == []


@pytest.mark.parametrize("url", ["", "notebook-udf", "https://gitlab.com/a/b", OTHER + "/tree"])
def test_what_is_no_address_of_a_repository_changes_nothing(
    address: ModuleType, copy: Path, url: str
) -> None:
    with pytest.raises(ValueError, match="is not of the form"):
        address.change(url)
    assert address.repository() != OTHER
