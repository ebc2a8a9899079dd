"""A worker of another version: refused before anything is unpickled."""

from __future__ import annotations

import shutil
from pathlib import Path

import notebook_udf as nu
from tests.scripts import ROOT, script, told


def test_worker_of_another_version_is_refused_before_unpickling(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "notebook_udf", tmp_path / "notebook_udf")
    door = tmp_path / "notebook_udf" / "__init__.py"
    current = f'__version__ = "{nu.__version__}"'
    assert current in door.read_text()
    door.write_text(door.read_text().replace(current, '__version__ = "9.9"'))
    body = f"""
    session = nu.session(workers=1)
    session._warmup.wait()
    environment = session.spark.sparkContext.environment
    environment["PYTHONPATH"] = {str(tmp_path)!r} + os.pathsep + environment["PYTHONPATH"]
    class Trap:
        def __reduce__(self):
            return os.mkdir, ({str(tmp_path / "unpickled")!r},)
        def __call__(self, i):
            return i
    session.register_function("f", udf(Trap(), result_type="bigint"))
    try:
        session.sql("SELECT f(id) FROM range(3)").collect()
    except nu.NotebookUdfError as error:
        tell(kind=type(error).__name__, text=str(error))
    """
    with script(body) as process:
        facts = told(process)
        assert facts["kind"] == "VersionMismatch"
        assert nu.__version__ in facts["text"]
        assert "9.9" in facts["text"]
        assert not (tmp_path / "unpickled").exists()
