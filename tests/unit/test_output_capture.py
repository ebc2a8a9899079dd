"""What a worker's functions write is captured for a session, and given back when that is over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# In a process of its own: the descriptors and streams of a process are what it is about.
SCRIPT = """
import logging, os, sys
from pathlib import Path
from notebook_udf.worker.runtime.output_capture import Capture

def write(when):
    print("printed", when, flush=True)
    print("kept", when, file=kept, flush=True)
    os.write(1, f"native {when}\\n".encode())
    logging.warning("logged %s", when)

files = len(os.listdir("/proc/self/fd"))
level = logging.getLogger().level
kept = sys.stdout
before = sys.stdout, sys.stderr
capture = Capture(lambda: ("f", 1, 2), Path(sys.argv[1]))
kept = sys.stdout
capture.set_level("DEBUG")
write("during")
capture.finish_lines()
lines, _ = capture.log.take()
capture.release()
assert sorted(line.text for line in lines) == [
    "kept during", "logged during", "native during", "printed during"
], lines
assert before == (sys.stdout, sys.stderr)
assert logging.getLogger().level == level
assert len(os.listdir("/proc/self/fd")) == files
write("after")
assert capture.log.take() == ([], 0)
"""


def test_it_is_given_back(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == ["printed after", "kept after", "native after"]
    assert "logged after" in ran.stderr
    assert "during" not in ran.stdout + ran.stderr
