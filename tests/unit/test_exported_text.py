"""What an exported module holds: what its functions need, and no more."""

from __future__ import annotations

import ast
import importlib.util
import signal
import sys
from pathlib import Path
from types import ModuleType

import pytest

import notebook_udf as nu
from notebook_udf.export import declared
from notebook_udf.export.files import Exported, export
from notebook_udf.magics.exporting import cells, module_name


def exported(folder: Path, *sources: str, registered: dict[str, str] | None = None) -> Exported:
    made = cells([(source, "") for source in sources])
    target = folder / "made.py"
    return export(made, target, notebook="work.ipynb", folder=folder, registered=registered,
                  force=True)  # fmt: skip


def text_of(folder: Path, *sources: str) -> str:
    return exported(folder, *sources).module.read_text()


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("exported_here", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["exported_here"] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules["exported_here"]
    return module


def defined(text: str) -> list[str]:
    """What a module binds, imports included, without what every one has."""
    names: list[str] = []
    for node in ast.parse(text).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names += [alias.asname or alias.name for alias in node.names]
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [name for name in names if name not in ("sys", "cloudpickle", "functions", "register")]


def test_what_is_needed_and_no_more(tmp_path: Path) -> None:
    text = text_of(
        tmp_path,
        "%load_ext notebook_udf\nimport os, math\nimport json as j\nfrom re import sub, match",
        "A = 1\nB = A + 1\nC = 5\nunused = lambda: C",
        "def deep(x):\n    return match('a', x) and B\n\ndef other():\n    return os.getcwd()",
        "%%sparksql\nSELECT 1",
        "!ls\ntable = [deep(str(i)) for i in range(3)]\nprint(other())",
        "%%udf\n\n# Why it is there.\ndef f(x: float = math.pi) -> str:\n"
        "    def inner():\n        return deep(str(x))\n\n    return j.dumps(bool(inner()))\n\n\n"
        "f_shown = f",
    )
    assert sorted(defined(text)) == ["A", "B", "F", "deep", "f", "j", "match", "math"]
    assert "\n\n\n# Why it is there.\ndef f(" in text
    assert "import json as j\nimport math\nimport sys\nfrom re import match\n" in text


def test_a_name_is_what_it_was_when_the_function_was_registered(tmp_path: Path) -> None:
    made = exported(
        tmp_path,
        "RATE = 1",
        "RATE = 2\nNAMES = {}\nNAMES['a'] = 1\nNAMES.update(b=RATE)\nRATE += 1\nNAMES.keys()",
        "%%udf\ndef f() -> int:\n    return RATE + NAMES['b']",
        "RATE = 100",
    )
    assert imported(made.module).f() == 5
    text = made.module.read_text()
    assert "RATE = 1\n" not in text
    assert "100" not in text
    assert "keys" not in text


def test_statements_that_bind_in_other_ways(tmp_path: Path) -> None:
    made = exported(
        tmp_path,
        "from __future__ import annotations\nimport os.path\nimport xml.dom, xml.sax",
        "try:\n    import no_such_module_here as js\nexcept ImportError:\n    import json as js",
        "A, (B, C) = 1, (2, 3)\nfor i in range(3):\n    A += i\nif B:\n    D = 4; E = 5",
        "class P:\n    a = [x for x in (B, C)]\n\n    def m(self) -> Later:\n"
        "        return len(self.a) + late",
        "late = 10",
        "class Later:\n    pass",
        "%%udf f\ndef f() -> str:\n"
        "    return js.dumps([A, C, D, P().m(), xml.sax.__name__, os.path.sep])",
        "%%udf\ndef fact(n: int) -> int:\n    return 1 if n < 2 else n * fact(n - 1)",
        "%%udf louder --returns STRING\nlouder = lambda s: s.upper()",
    )
    module = imported(made.module)
    assert module.f() == '[4, 3, 4, 12, "xml.sax", "/"]'
    assert module.fact(5) == 120
    assert module.louder("a") == "A"
    assert made.plain


def test_annotations_as_text_may_be_names(tmp_path: Path) -> None:
    text = text_of(
        tmp_path,
        "from dataclasses import dataclass\nfrom typing import Annotated",
        "@dataclass\nclass Place:\n    lat: float\n    lon: 'float'\n\nunused = 1",
        "%%udf\ndef f(x: Annotated[float, 'miles']) -> 'Place | None':\n    return None",
    )
    assert "class Place:" in text
    assert "unused" not in text


def test_the_last_function_of_a_name_is_exported(tmp_path: Path) -> None:
    made = exported(
        tmp_path,
        "%%udf\ndef f() -> int:\n    return 1",
        "%%udf F\ndef g() -> int:\n    return 2",
    )
    assert made.functions == ("F",)
    assert "return 1" not in made.module.read_text()


def test_of_cells_that_ran_only_what_is_registered(tmp_path: Path) -> None:
    good = "def f() -> int:\n    return 1"
    made = exported(
        tmp_path, f"%%udf\n{good}", "%%udf\ndef f() -> int:\n    return bad",
        "%%udf\ndef g() -> int:\n    return 2", registered={"f": good, "h": ""},
    )  # fmt: skip
    assert made.functions == ("f",)
    assert made.notes == ("not exported, because no cell or @nu.register made it: h",)


def test_options_become_arguments(tmp_path: Path) -> None:
    text = text_of(
        tmp_path,
        "%%udf --on-error null --memory 512m --timeout 3s --nondeterministic --returns 'BIGINT'\n"
        "def f(x):\n    return x",
        "%%udf --returns 'a STRING, n INT' --timeout 1s\ndef g(x: str):\n    yield x, 1",
    )
    assert (
        "@nu.udf(\n"
        '    result_type="BIGINT",\n'
        "    deterministic=False,\n"
        '    on_error="null",\n'
        '    memory="512m",\n'
        '    timeout="3s",\n'
        ")\ndef f(x):"
    ) in text
    assert '@nu.udtf(timeout="1s", result_types="a STRING, n INT")\ndef g(' in text


def test_register_as_a_decorator_is_taken_off(tmp_path: Path) -> None:
    made = exported(
        tmp_path,
        "import notebook_udf as nu",
        '@nu.register(\n    name="shout",\n)\ndef loud(s: str) -> str:\n    return s.upper()',
        "@nu.register\ndef low(s: str) -> str:\n    return s.lower()",
    )
    assert made.functions == ("shout", "low")
    assert made.plain
    assert imported(made.module).loud("a") == "A"


def test_classes_bring_the_package(tmp_path: Path) -> None:
    made = exported(
        tmp_path,
        "import notebook_udf as nu\n\nclass Base(nu.ScalarFunction):\n    factor = 2",
        "%%udf twice\nclass Twice(Base):\n    def eval(self, x: int) -> int:\n"
        "        return self.factor * x",
    )
    assert made.functions == ("twice",)
    assert not made.plain
    assert "notebook-udf==" in made.requirements.read_text()


def test_a_class_with_the_methods_of_a_kind_is_exported(tmp_path: Path) -> None:
    made = exported(
        tmp_path,
        "class Counting:\n    def create_accumulator(self):\n        return [0]\n"
        "    def accumulate(self, acc, x: int):\n        acc[0] += 1",
        "%%udf counted\nfrom typing import NamedTuple\n"
        "class Pair(NamedTuple):\n    n: int\n"
        "class Count(Counting):\n    def get_value(self, acc) -> int:\n"
        "        return Pair(acc[0]).n",
        "%%udf\nclass tripled:\n    def eval(self, x: int) -> int:\n        return 3 * x",
    )
    assert made.functions == ("counted", "tripled")
    assert not made.plain
    assert imported(made.module).Count().get_value([2]) == 2


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (
            ["%%udf\ndef f(x: int) -> int:\n    y = x\n    return y * rate"],
            "f cannot be exported: cell 1, line 4 reads 'rate', which no cell defines",
        ),
        (
            ["%%udf\ndef f(x: int) -> int:\n    return rate", "rate = 1"],
            r"cell 1, line 3 reads 'rate', which is defined only later \(cell 2, line 1\)",
        ),
        (
            ["from math import *", "%%udf\ndef f(x: float) -> float:\n    return sin(x)"],
            r"may come from from math import \* \(cell 1, line 1\): import it by its name",
        ),
        (
            [
                "import notebook_udf as nu\nsession = nu.session()",
                "mean = session.sql('SELECT 1').first()[0]",
                "%%udf\ndef f(x: float) -> float:\n    return x - mean",
            ],
            "it needs session .cell 1, line 2., which is made with a Spark session",
        ),
        (
            [
                "K = 1",
                "%%udf\ndef f() -> int:\n    return K",
                "K = 2",
                "%%udf\ndef g() -> int:\n    return K",
            ],
            "f cannot be exported: it uses 'K' as cell 1, line 1 leaves it, and the module needs",
        ),
        (["%%udf\ndef f(:"], "cell 1, line 2: invalid syntax"),
        (["%%udf\nx = 1"], "cell 1: the cell defines no function"),
        (["%%udf --nonsense\ndef f() -> int: return 1"], "cell 1: unrecognized arguments"),
        (["%%udf\ndef f(x):\n    return x"], "cell 1, line 2: the result type of f is not known"),
        (["x = 1"], "work.ipynb has no function to export"),
        (
            ["import no_such_package_at_all as p", "%%udf\ndef f() -> int:\n    return p.one()"],
            "the module does not run by itself: .*no_such_package_at_all",
        ),
        (
            ["table = {}\nONE = table['a']", "%%udf\ndef f() -> int:\n    return ONE"],
            r"cell 1, line 2: KeyError: 'a': ONE = table\['a'\]",
        ),
        (
            ["def register():\n    return 1", "%%udf\ndef f() -> int:\n    return register()"],
            "the module has its own 'register'",
        ),
        (
            ["def h():\n    return get_ipython()", "%%udf\ndef f() -> int:\n    return h()"],
            "cell 1, line 2 reads 'get_ipython', which only a notebook has",
        ),
    ],
)
def test_what_cannot_be_exported_says_where(tmp_path: Path, sources: list[str], said: str) -> None:
    with pytest.raises(nu.NotebookUdfError, match=said):
        exported(tmp_path, *sources)
    assert not (tmp_path / "made.py").exists()


def test_examples_over_tables_of_the_notebook_are_left_out_and_said(tmp_path: Path) -> None:
    made = exported(
        tmp_path,
        "%%udf --try 'SELECT distance FROM flights'\ndef f(x: float) -> float:\n    return x",
    )
    assert made.notes == (
        "the example of f reads flights, which only the notebook has: there is no test of it",
    )
    assert "SELECT distance" not in made.tests.read_text()


def test_modules_beside_the_notebook_are_named(tmp_path: Path) -> None:
    (tmp_path / "beside_it.py").write_text("def one():\n    return 1\n")
    made = exported(
        tmp_path, "%%udf\nimport beside_it\ndef f() -> int:\n    return beside_it.one()"
    )
    assert made.notes == ("beside_it.py stands beside the notebook: ship it with the module",)
    assert "# beside_it: no installed package" in made.requirements.read_text()


def test_a_name_that_cannot_be_imported_is_refused(tmp_path: Path) -> None:
    with pytest.raises(nu.NotebookUdfError, match="cannot be imported"):
        export([], tmp_path / "two words.py", notebook="work.ipynb")


def written(folder: Path, name: str, *sources: str, force: bool = False) -> Exported:
    made = cells([(source, "") for source in sources])
    return export(made, folder / name, notebook="work.ipynb", folder=folder, force=force)


PLAIN = "%%udf\ndef f(x: int) -> int:\n    return x"


def test_modules_of_one_folder_share_their_requirements(tmp_path: Path) -> None:
    asked = tmp_path / "requirements.txt"
    asked.write_text("# of the project\nPandas>=2\nrequests")
    made = written(tmp_path, "one.py", PLAIN)
    assert any("Pandas>=2, which was left" in note for note in made.notes)
    first = asked.read_text()
    assert first.startswith("# of the project\nPandas>=2\nrequests\npyarrow==")
    assert "pandas==" not in first
    again = written(tmp_path, "two.py", "import numpy as np", PLAIN)
    assert again.notes == made.notes
    assert asked.read_text() == first
    written(
        tmp_path, "three.py", "import numpy as np", PLAIN.replace("return x", "return np.abs(x)")
    )
    assert asked.read_text().startswith(first)
    assert "numpy==" in asked.read_text().removeprefix(first)


@pytest.mark.parametrize("name", ["json.py", "class.py", "pyspark.py", "notebook_udf.py", "a-b.py"])
def test_a_module_hides_no_other(tmp_path: Path, name: str) -> None:
    with pytest.raises(nu.NotebookUdfError, match="-o"):
        written(tmp_path, name, PLAIN)
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_may_be_named_like_a_module_of_pythons() -> None:
    assert module_name(Path("json.ipynb")) == Path("json_functions.py")
    assert module_name(Path("Class.ipynb")) == Path("class_functions.py")


@pytest.mark.parametrize("name", ["made.py", "made_test.py", "requirements.txt"])
def test_nothing_is_written_through_a_link_to_nowhere(tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / name).symlink_to(elsewhere)
    with pytest.raises(nu.NotebookUdfError, match=r"is a link to .*elsewhere, which is not there"):
        written(tmp_path, "made.py", PLAIN, force=True)
    assert not elsewhere.exists()


def test_a_cell_that_no_file_can_hold_is_named_or_left_out(tmp_path: Path) -> None:
    half = "x = 1\nhalf = '\ud83d'"
    with pytest.raises(nu.DeclarationError, match=r"cell 2, line 2: no file .* U\+D83D: remove"):
        exported(tmp_path, "%%udf\ndef f(x: int) -> int:\n    return x", half)
    null = "if half:\n    pass\n\x00"
    with pytest.raises(nu.DeclarationError, match=r"cell 1, line 3: no file .* U\+0000: remove"):
        exported(tmp_path, null)
    assert [cell.code for cell in cells([(half, ""), (null, "")], lenient=True)] == ["", ""]


def test_a_constant_that_exits_is_named(tmp_path: Path) -> None:
    with pytest.raises(nu.DeclarationError, match=r"SystemExit: 3.*K = sys\.exit\(3\)"):
        written(
            tmp_path,
            "made.py",
            "import sys\nK = sys.exit(3)",
            PLAIN.replace("return x", "return K"),
        )


def test_a_constant_without_end_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declared, "_MOST_SECONDS", 1)
    endless = "def ends():\n    while True:\n        pass\n\nK = ends()"
    with pytest.raises(nu.DeclarationError, match="takes more than 1 s"):
        written(tmp_path, "made.py", endless, PLAIN.replace("return x", "return K"))
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
