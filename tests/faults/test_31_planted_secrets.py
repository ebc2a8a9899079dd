"""A notebook that uses secrets, saved, converted and exported: none of it holds one.

Neither does what others on the machine can see: arguments, environments, Spark's event log.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import nbclient
import nbformat
import pytest
from nbconvert import HTMLExporter

from tests.guarded_index import SECRET, guarded_index
from tests.scripts import ROOT

CELLS = (
    "%load_ext notebook_udf\nimport notebook_udf as nu\n"
    "session = nu.session(workers=2, conf={{'spark.eventLog.enabled': 'true',"
    " 'spark.eventLog.dir': 'file:{events}'}})",
    "session.add_requirements(['--index-url http://user:{secret}@{index}', 'secretly-helping'])",
    "%%udf\ndef helped(i: int) -> int:\n    import secretly_helping\n    print('helped', i)\n"
    "    return secretly_helping.VALUE // i",
    "session.sql('SELECT helped(id) FROM range(1, 5)')",
    "session.sql('SELECT helped(id) FROM range(3)').collect()",
    "session.add_requirements(['--index-url http://user:{secret}@{index}', 'no-such-package'])",
    "session.dependencies",
    "session.functions",
    "session.pool",
    "session.metrics()",
    "session.logs()",
    "%udf export -o {folder}/exported.py",
    # Spark lets go of the workers of a query that failed; those of this one are still there.
    "session.sql('SELECT helped(id) FROM range(1, 5)').collect()",
    # What is seen from outside goes to a file that is not searched.
    "import json, psutil\n"
    "family = [psutil.Process(), *psutil.Process().children(recursive=True)]\n"
    "seen = []\n"
    "for each in family:\n"
    "    try:\n        seen.append([each.cmdline(), each.environ()])\n"
    "    except (psutil.NoSuchProcess, psutil.ZombieProcess):\n        pass\n"
    "keys = json.loads((session.folder / 'channel.json').read_text())\n"
    "with open('{facts}', 'w') as file:\n    json.dump([seen, keys], file)",
    "session.stop()",
)
# The cells whose errors are looked at, too.
FAILING = (4, 5)


@pytest.mark.timeout(180)
def test_nothing_that_is_kept_or_seen_holds_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, events, facts = tmp_path / "folder", tmp_path / "events", tmp_path / "facts"
    folder.mkdir()
    events.mkdir()
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    with guarded_index(tmp_path / "index") as index:
        named = {
            "secret": SECRET,
            "index": index,
            "events": events,
            "folder": folder,
            "facts": facts,
        }
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell.format(**named)) for cell in CELLS]
        )
        for number in FAILING:
            notebook.cells[number].metadata["tags"] = ["raises-exception"]
        nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute(
            cwd=str(folder)
        )
    for number in FAILING:
        assert [output.output_type for output in notebook.cells[number].outputs].count("error") == 1
    # What was typed is the author's.
    for cell in notebook.cells:
        cell.source = cell.source.replace(SECRET, "")
    (folder / "saved.ipynb").write_text(nbformat.writes(notebook))
    (folder / "saved.html").write_text(HTMLExporter().from_notebook_node(notebook)[0])
    seen, keys = json.loads(facts.read_text())
    secrets = [SECRET, *(value for name, value in keys.items() if "secret" in name)]
    assert len(secrets) > 1
    for path in (path for place in (folder, events) for path in place.rglob("*") if path.is_file()):
        text = path.read_bytes()
        assert [secret for secret in secrets if secret.encode() in text] == [], path
    assert len(seen) > 3
    for arguments, environment in seen:
        shown = json.dumps([arguments, environment])
        assert [secret for secret in secrets if secret in shown] == [], arguments
    assert {path.name for path in folder.iterdir()} >= {"exported.py", "saved.html", "saved.ipynb"}
    assert any(path.stat().st_size for path in events.rglob("*") if path.is_file())
