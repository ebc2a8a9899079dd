"""What functions import besides the kernel's packages: installed, shipped, changed, taken back."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import notebook_udf as nu
from notebook_udf import DataTypes


@pytest.fixture(autouse=True)
def nothing_stays(session: nu.Session) -> Iterator[None]:
    yield
    for dependency in session.dependencies:
        session.remove_dependency(dependency.name)
    for name in list(sys.modules):
        if name.startswith("helping_"):
            del sys.modules[name]


def first(session: nu.Session, query: str) -> object:
    return session.sql(query).first()[0]


def test_a_changed_file_takes_effect_in_the_next_query(session: nu.Session, tmp_path: Path) -> None:
    file = tmp_path / "helping_one.py"
    file.write_text("def rate():\n    return 1\n")
    added = session.add_python_file(file)
    assert (added.name, added.kind) == ("helping_one.py", "python file")
    assert "helping_one.py" in repr(session.dependencies)

    @nu.register(name="helped")
    def helped(x: int) -> int:
        import helping_one

        return x * helping_one.rate()

    import helping_one  # type: ignore[import-not-found]

    rate = helping_one.rate
    session.register_function("named", nu.udf(lambda x: rate(), result_type=DataTypes.BIGINT()))
    frame = session.sql("SELECT helped(10), named(0)")
    assert tuple(frame.first()) == (10, 1)
    for value in (2, 3):
        # As long as before, within the same second.
        file.write_text(f"def rate():\n    return {value}\n")
        assert tuple(frame.first()) == (10 * value, value)
        spark = session.spark.sql("SELECT sum(helped(id)) FROM range(0, 5, 1, 2)")
        assert spark.first()[0] == 10 * value


def test_a_package_with_modules_in_it(session: nu.Session, tmp_path: Path) -> None:
    package = tmp_path / "helping_pack"
    package.mkdir()
    (package / "__init__.py").write_text("from helping_pack.inner import VALUE\n")
    (package / "inner.py").write_text("VALUE = 1\n")
    session.add_python_file(package)

    @nu.register(name="packed")
    def packed(x: int) -> int:
        import helping_pack  # type: ignore[import-not-found]

        return int(helping_pack.VALUE)

    assert first(session, "SELECT packed(1)") == 1
    (package / "inner.py").write_text("VALUE = 2\n")
    assert first(session, "SELECT packed(1)") == 2


def zipped(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_archives_with_code_and_data(session: nu.Session, tmp_path: Path) -> None:
    path = tmp_path / "bundle.zip"
    code = (
        "from pathlib import Path\n\n\n"
        "def word():\n    return (Path(__file__).parent / 'word.txt').read_text()\n"
    )
    zipped(path, {"helping_arc.py": code, "word.txt": "one"})
    session.add_archive(path)

    @nu.register(name="archived")
    def archived(x: int) -> str:
        import helping_arc  # type: ignore[import-not-found]

        return str(helping_arc.word())

    assert first(session, "SELECT archived(1)") == "one"
    zipped(path, {"helping_arc.py": code, "word.txt": "two"})
    assert first(session, "SELECT archived(1)") == "two"
    session.remove_dependency("bundle.zip")
    with pytest.raises(
        nu.UserFunctionError, match=r"session.add_requirements\(\['helping_arc'\]\)"
    ):
        first(session, "SELECT archived(1)")


def test_aggregates_and_process_functions_find_them(session: nu.Session, tmp_path: Path) -> None:
    file = tmp_path / "helping_two.py"
    file.write_text("def times():\n    return 10\n")
    session.add_python_file(file)

    class Total(nu.AggregateFunction):
        def create_accumulator(self) -> list[int]:
            return [0]

        def accumulate(self, acc: list[int], x: int) -> None:
            import helping_two  # type: ignore[import-not-found]

            acc[0] += x * helping_two.times()

        def merge(self, acc: list[int], others: list[list[int]]) -> None:
            for other in others:
                acc[0] += other[0]

        def get_value(self, acc: list[int]) -> int:
            return acc[0]

    class Scaled(nu.OneInputStreamProcessFunction):
        def process_record(self, record: int, output: nu.Collector[int], ctx: object) -> None:
            import helping_two

            output.collect(record * helping_two.times())

    session.register_function("dependent_total", Total)
    rows = session.spark.range(4)

    def both() -> tuple[object, list[int]]:
        summed = first(session, "SELECT dependent_total(id) FROM range(4)")
        scaled = rows.transform(nu.process(Scaled)).collect()
        return summed, sorted(row[0] for row in scaled)

    assert both() == (60, [0, 10, 20, 30])
    file.write_text("def times():\n    return 20\n")
    assert both() == (120, [0, 20, 40, 60])


def test_requirements_are_installed_once_and_found(
    session: nu.Session,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "requirements.txt"
    file.write_text("humanize==4.9.0  # sizes in words\n")
    added = session.add_requirements(file)
    assert added.kind == "requirements"
    assert Path(added.folder).is_relative_to(tmp_path / "cache")

    @nu.register(name="in_words")
    def in_words(n: int) -> str:
        import humanize  # type: ignore[import-not-found]

        return f"{humanize.intword(n)}, {humanize.__version__}"

    assert first(session, "SELECT in_words(1000000)") == "1.0 million, 4.9.0"
    capsys.readouterr()
    assert session.add_requirements(["humanize==4.9.0"]).folder == added.folder
    assert capsys.readouterr().out == ""
    session.remove_dependency("humanize==4.9.0")
    (tmp_path / "more.txt").write_text("humanize==4.10.0\n")
    file.write_text("-r more.txt\n")
    assert first(session, "SELECT in_words(1000000)") == "1.0 million, 4.10.0"


def test_what_cannot_be_added_is_said(
    session: nu.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(nu.SessionError, match=r"(?s)pip could not install no-such.*ERROR"):
        session.add_requirements(["no-such-package-anywhere-at-all==1.0"])
    with pytest.raises(nu.DeclarationError, match=r"add_requirements..'humanize'.."):
        session.add_requirements("humanize")
    with pytest.raises(nu.DeclarationError, match="asks for no package"):
        session.add_requirements([])
    with pytest.raises(nu.DeclarationError, match="there is no file"):
        session.add_python_file(tmp_path / "missing.py")
    (tmp_path / "text.txt").write_text("no code")
    with pytest.raises(nu.DeclarationError, match=r"is no .py file"):
        session.add_python_file(tmp_path / "text.txt")
    with pytest.raises(nu.DeclarationError, match=r"is no .zip"):
        session.add_archive(tmp_path / "text.txt")
    (tmp_path / "json.py").write_text("")
    with pytest.raises(nu.DeclarationError, match="stand in the way of the module json"):
        session.add_python_file(tmp_path / "json.py")
    (tmp_path / "bad.zip").write_text("no archive")
    with pytest.raises(nu.SessionError, match="cannot be unpacked"):
        session.add_archive(tmp_path / "bad.zip")
    with pytest.raises(nu.DeclarationError, match="there are: none"):
        session.remove_dependency("anything")
    assert len(session.dependencies) == 0


def test_a_file_that_has_gone_is_named(session: nu.Session, tmp_path: Path) -> None:
    file = tmp_path / "helping_three.py"
    file.write_text("")
    session.add_python_file(file)

    # A worker looks for it, whatever it runs.
    @nu.register(name="alone", compile=False)
    def alone(x: int) -> int:
        return len(str(x))

    assert first(session, "SELECT alone(1)") == 1
    file.unlink()
    with pytest.raises(nu.NotebookUdfError, match=r"is gone, .*remove_dependency"):
        first(session, "SELECT alone(1)")
    session.remove_dependency("helping_three.py")
    assert first(session, "SELECT alone(1)") == 1
