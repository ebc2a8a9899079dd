"""Takes one protection after the other out of a copy of the package, and expects its test to fail.

``python -m tests.faults.mutations`` for all, or with the numbers of rows; a row that stays green
proves nothing, and is an error. What is taken out is data: a text of the source, and another.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "notebook_udf"
_COPIED = ("notebook_udf", "tests", "pyproject.toml", "extension/package.json")
_MOST_SECONDS = 400


@dataclass(frozen=True)
class Mutation:
    """A protection against the fault of a row: where it is, and the code without it."""

    row: int
    test: str
    file: str
    protected: str
    without: str


MUTATIONS = (
    Mutation(1, "test_01_exit_at_start.py", "pool/daemon.py",
             "    output = _output(folder, pid)\n", '    output = ""\n'),
    Mutation(2, "test_02_slow_start.py", "pool/daemon.py",
             "    signal.alarm(limit)\n", ""),
    Mutation(4, "test_04_deaf_worker.py", "pool/daemon.py",
             "            if now >= deadline:\n", "            if now >= deadline + 1000:\n"),
    Mutation(7, "test_07_killed_worker.py", "kernel/translation.py",
             'r"Python worker (exited unexpectedly|failed to connect)|EOFException"', 'r"(?!)"'),
    Mutation(14, "test_14_out_of_memory.py", "worker/runtime/memory_limit.py",
             "        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))\n", ""),
    Mutation(17, "test_17_failed_fork.py", "pool/daemon.py",
             "                    write_int(-(error.errno or 1), reply)\n",
             "                    reply.flush()\n"),
    Mutation(31, "test_31_secrets.py", "telemetry/wire.py",
             "os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)",
             "os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)"),
    Mutation(41, "test_41_full_disk_for_rows.py", "kernel/full_disk.py",
             '_SAID = "No space left on device"', '_SAID = "no such words"'),
    Mutation(45, "test_45_ports.py", "host/classic/spark_start.py",
             "        settings |= ADDRESS_CONF\n", ""),
    Mutation(46, "test_46_idle_daemon.py", "kernel/translation.py",
             "            if idle is None and self._store.workers():\n", "            if False:\n"),
    Mutation(47, "test_47_forged_records.py", "pool/view.py",
             "_is_daemon(above[0]) and os.getpid() in (each.pid for each in above)", "True"),
    Mutation(48, "test_48_kernel_forks.py", "kernel/owner.py",
             "        return os.getpid() == self._pid\n", "        return True\n"),
    Mutation(49, "test_49_full_disk.py", "worker/runtime/progress_file.py",
             "            os.posix_fallocate(file.fileno(), 0, _SIZE)\n",
             "            file.truncate(_SIZE)\n"),
    Mutation(50, "test_50_secrets.py", "sanitize.py",
             '    return _USER_INFO.sub(r"\\1****@", text)\n', "    return text\n"),
    Mutation(52, "test_52_archives.py", "worker/runtime/archives.py",
             "    if files > _MOST_FILES:\n", "    if False:\n"),
    Mutation(53, "test_53_control_characters.py", "errors.py",
             "plain(each) if isinstance(each, str) else each for each in args", "args"),
    Mutation(54, "test_54_runaway.py", "pool/memory_watch.py",
             "        if free > self.floor:\n", "        if True:\n"),
    Mutation(55, "test_55_clean_workers.py", "worker/runtime/clean_process.py",
             "        self._apply_variables({**self.variables, **(kept or {})})\n", ""),
    Mutation(56, "test_56_odd_machines.py", "worker/runtime/progress_file.py",
             "        path.touch(0o600)\n", ""),
)  # fmt: skip


def problems(mutation: Mutation) -> list[str]:
    """What is wrong with a mutation, before it is run."""
    found = []
    count = (PACKAGE / mutation.file).read_text("utf-8").count(mutation.protected)
    if count != 1:
        found.append(f"row {mutation.row}: what it replaces occurs {count} times")
    if not (ROOT / "tests/faults" / mutation.test).is_file():
        found.append(f"row {mutation.row}: there is no {mutation.test}")
    return found


def fails_without(mutation: Mutation) -> tuple[bool, str]:
    """Whether the row's test fails without the protection, and its last words."""
    with tempfile.TemporaryDirectory(prefix="without-") as made:
        folder = Path(made)
        for name in _COPIED:
            source, target = ROOT / name, folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
        file = folder / "notebook_udf" / mutation.file
        file.write_text(file.read_text("utf-8").replace(mutation.protected, mutation.without))
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
                   f"tests/faults/{mutation.test}"]  # fmt: skip
        try:
            ran = subprocess.run(
                command, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)},
                capture_output=True, text=True, timeout=_MOST_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return True, f"did not end within {_MOST_SECONDS} s"
        said = [line for line in ran.stdout.splitlines() if line.startswith(("E  ", "FAILED"))]
        # 1: tests failed. Anything else is no answer, a test that cannot be collected for one.
        if ran.returncode not in (0, 1):
            ended = f"row {mutation.row}: pytest ended with {ran.returncode}"
            raise RuntimeError(f"{ended}\n{ran.stdout}")
        return ran.returncode == 1, (said or [""])[0].strip()


def main(rows: Sequence[str]) -> int:
    """Runs the mutations of some rows, or all, and prints a table."""
    chosen = [m for m in MUTATIONS if not rows or str(m.row) in rows]
    wrong = [each for mutation in chosen for each in problems(mutation)]
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 2
    green = 0
    for mutation in chosen:
        begun = time.monotonic()
        red, said = fails_without(mutation)
        green += not red
        seconds = time.monotonic() - begun
        outcome = "red" if red else "GREEN"
        row = f"{mutation.row:3} {mutation.test:36} {outcome:6} {seconds:4.0f} s  {said[:90]}"
        print(row, flush=True)
    return 1 if green else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
