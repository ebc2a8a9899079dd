"""A password in an index's address: used by pip, and shown, stored or logged nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import notebook_udf as nu
from notebook_udf.launch.cache_folder import cache_folder
from tests.guarded_index import SECRET, guarded_index

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[str]:
    """The address of an index with one package, without its password."""
    with guarded_index(tmp_path) as address:
        yield address


def test_a_package_of_an_index_with_a_password(
    session: nu.Session, index: str, capfd: pytest.CaptureFixture[str]
) -> None:
    added = session.add_requirements(
        [f"--index-url http://user:{SECRET}@{index}", "secretly-helping"]
    )
    try:

        def helped(i: int) -> int:
            import secretly_helping  # type: ignore[import-not-found]

            return int(secretly_helping.VALUE) + i

        session.register_function("helped_in_secret", helped)
        assert session.sql("SELECT helped_in_secret(1)").first()[0] == 43
        shown = [
            repr(added),
            repr(session.dependencies),
            session.dependencies._repr_html_(),
            str(session.spark.sparkContext.getConf().getAll()),
            str(session.spark.sql("SET").collect()),
            *(file.read_text("utf-8", "replace") for file in files(session)),
            *capfd.readouterr(),
        ]
        assert [text for text in shown if SECRET in text] == []
        assert "****@" in repr(session.dependencies)
    finally:
        # By the name that it was given, or by the one that it has.
        session.remove_dependency(f"--index-url http://user:{SECRET}@{index}, secretly-helping")
    assert list(session.dependencies) == []


def test_an_error_of_pip(session: nu.Session, index: str) -> None:
    wanted = [f"--index-url http://user:{SECRET}@{index}", "there-is-no-such-package"]
    with pytest.raises(nu.SessionError) as caught:
        session.add_requirements(wanted)
    assert "there-is-no-such-package" in str(caught.value)
    assert SECRET not in str(caught.value)


def test_an_address_given_as_if_it_were_a_file(session: nu.Session) -> None:
    with pytest.raises(nu.DeclarationError) as caught:
        session.add_requirements(f"git+https://user:{SECRET}@host/a.git")
    assert SECRET not in str(caught.value)


def files(session: nu.Session) -> Iterator[Path]:
    """What is stored: in the session's folder and beside the packages."""
    for folder in (session.folder, cache_folder("packages")):
        yield from (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
