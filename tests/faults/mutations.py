"""Takes one protection after the other out of a copy of the package: its test has to fail then.

``python -m tests.faults.mutations`` for all, or with the numbers of rows; a row that stays green
proves nothing, and is an error. What is taken out is data: a text of the source, and another.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "notebook_udf"
PAGE = ROOT / "docs/project/faults.md"
_HEAD = """# What happens when things go wrong

Each row is a fault that was seen, and the test that makes it happen: it kills processes, fills
disks, attacks sockets. `make faults` runs them all. `make mutations` takes one protection after the
other out of the source, and expects its test to fail. It writes this table.

| fault | what is tested | by | protection taken out of | without it the test | on |
|---|---|---|---|---|---|
"""
_COPIED = ("notebook_udf", "tests", "pyproject.toml", "extension/package.json")
_MOST_SECONDS = 400


@dataclass(frozen=True)
class Mutation:
    """A protection against the fault of a row: where it is, and the code without it.

    ``test`` is a file of this folder, or a test elsewhere by its path below ``tests``.
    """

    row: int
    test: str
    file: str
    protected: str
    without: str


MUTATIONS = (
    Mutation(1, "test_01_exit_at_start.py", "pool/exit_report.py",
             "    output = _output(folder, pid)\n", '    output = ""\n'),
    Mutation(2, "test_02_slow_start.py", "pool/daemon.py",
             "    signal.alarm(limit)\n", ""),
    Mutation(3, "test_03_stop_while_starting.py", "kernel/folder.py",
             "all it holds.\"\"\"\n    shutil.rmtree(", "all it holds.\"\"\"\n    print("),
    Mutation(4, "test_04_deaf_worker.py", "pool/daemon.py",
             "            if now >= deadline:\n", "            if now >= deadline + 1000:\n"),
    Mutation(5, "test_05_killed_kernel.py", "pool/daemon.py",
             "        if self._folder is not None and kernel_is_gone():\n", "        if False:\n"),
    Mutation(6, "notebook/test_interrupt.py::test_interrupt_ends_the_job", "magics/interrupt.py",
             "        try:\n            cell.cancel()\n", "        try:\n            pass\n"),
    Mutation(7, "test_07_killed_worker.py", "kernel/translation.py",
             'r"Python worker (exited unexpectedly|failed to connect)|EOFException"', 'r"(?!)"'),
    Mutation(8, "test_08_killed_idle_worker.py", "pool/daemon.py",
             "report_exit(self._folder, pid, status, pid in self._asked, hogged)\n", "pass\n"),
    Mutation(9, "test_09_segfault.py", "kernel/translation.py",
             'text.find("Fatal Python error")', "-1"),
    Mutation(10, "test_10_exits.py", "worker/runtime/error_kinds.py",
             "FATAL = (CallTimedOut, MemoryError, SystemExit, KeyboardInterrupt, GeneratorExit)",
             "FATAL = (CallTimedOut, MemoryError)"),
    Mutation(11, "test_11_unsendable.py", "worker/runtime/failure.py",
             "    except (Exception, *FATAL) as second:\n",
             "    except ZeroDivisionError as second:\n"),
    Mutation(12, "test_12_hanging.py", "worker/runtime/task.py",
             "        if seconds:\n", "        if False:\n"),
    Mutation(13, "test_13_deadly_row.py", "worker/runtime/progress_file.py",
             "        name = position.function.encode()[:200]\n", "        return\n"),
    Mutation(14, "test_14_out_of_memory.py", "worker/runtime/memory_limit.py",
             "resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))\n", "pass\n"),
    Mutation(15, "test_15_one_bad_row.py", "worker/call/failure_report.py",
             "else pickled(arguments),\n", "else b'',\n"),
    Mutation(16, "test_16_limits.py", "functions/options.py",
             "    if size < SMALLEST_MEMORY:\n", "    if False:\n"),
    Mutation(17, "test_17_failed_fork.py", "pool/daemon.py",
             "                    write_int(-(error.errno or 1), reply)\n",
             "                    reply.flush()\n"),
    Mutation(18, "test_18_printing_child.py", "worker/runtime/output_capture.py",
             '        self._direct = True\n        self._partial = ""\n', "        pass\n"),
    Mutation(19, "unit/test_channel.py::test_a_message_past_the_limit_ends_its_connection_only",
             "telemetry/receiver.py",
             "        self._socket.maxmsgsize = MAX_MESSAGE_BYTES + _ENVELOPE_BYTES\n", ""),
    Mutation(20, "test_20_other_version.py", "specs/payload.py",
             "            if here.get(part) != there:\n", "            if False:\n"),
    # The file stands in the place of a pipe, where who writes waits for who reads.
    Mutation(21, "test_21_no_newline.py", "worker/runtime/output_capture.py",
             "os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)",
             "os.pipe()[1]"),
    Mutation(22, "test_22_flood.py", "worker/runtime/output_capture.py",
             "if self._tokens < 1 and not self._refill():\n", "if False:\n"),
    Mutation(24, "test_24_telemetry_gone.py", "worker/runtime/output_capture.py",
             "        except Exception:\n            # Arguments that",
             "        except ZeroDivisionError:\n            # Arguments that"),
    Mutation(25, "test_25_reused_worker.py", "worker/runtime/output_capture.py",
             "        logging.getLogger().setLevel(level)\n", "        pass\n"),
    Mutation(26, "unit/test_kept_state.py::test_a_read_that_failed_is_not_kept",
             "worker/state/cache.py",
             "        (value,) = self._entries.read([place])\n",
             "        self._read[place] = ABSENT\n"
             "        (value,) = self._entries.read([place])\n"),
    Mutation(27, "test_stream_faults.py", "worker/state/cache.py",
             "        self._entries.write(sent)\n", ""),
    Mutation(28, "test_28_stream_kills.py", "worker/state/cache.py",
             "        self._entries.write(sent)\n", ""),
    Mutation(29, "test_29_counted_once.py", "telemetry/store/run_store.py",
             '    if "done" in by_state:\n',
             "    if by_state:\n        return next(iter(by_state.values()))[0]\n    if False:\n"),
    Mutation(30, "test_30_wrong_secret.py", "pool/daemon.py",
             "        if not unix and not secret.is_known(connection):\n", "        if False:\n"),
    Mutation(31, "test_31_secrets.py", "telemetry/wire.py",
             "os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)",
             "os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)"),
    Mutation(32, "test_32_socket_folder.py", "kernel/folder.py",
             '    (folder / "workers").mkdir(mode=0o700)\n',
             '    folder.chmod(0o755)\n    (folder / "workers").mkdir(mode=0o700)\n'),
    Mutation(33, "test_33_odd_text.py", "render/markup.py",
             "        return escape(plain(child))\n", "        return child\n"),
    Mutation(34, "browser/test_saved.py::test_untrusted_it_shows_static_twins", "widgets/panel.py",
             '            "text/html": html,\n', ""),
    Mutation(35, "notebook/test_lab_news.py::test_every_request_is_answered", "widgets/requests.py",
             "    except Exception as error:\n", "    except ZeroDivisionError as error:\n"),
    Mutation(36, "spark/test_dropping.py::test_names_that_need_quotes", "sanitize.py",
             '    return "`" + name.replace("`", "``") + "`"\n', '    return "`" + name + "`"\n'),
    Mutation(37, "spark/test_registration.py::test_the_name_of_a_builtin_is_refused",
             "kernel/function_names.py", "    if not replace:\n", "    if False:\n"),
    Mutation(38, "unit/test_codecs.py::test_the_first_wrong_value_is_named_by_its_row",
             "worker/codec/column_encoder.py",
             'raise BadResult(index, value, data_type, "", refused.reason) from None\n',
             "converted.append(None)\n"),
    Mutation(39, "spark/test_registration.py::test_a_capture_is_refused_by_name_and_line",
             "functions/capture.py",
             "        if reason:\n            raise CaptureError(_message",
             "        if False:\n            raise CaptureError(_message"),
    Mutation(40, "test_40_missing_package.py", "kernel/translation.py",
             '    if failed.exception == "ModuleNotFoundError":\n', "    if False:\n"),
    Mutation(41, "test_41_full_disk_for_rows.py", "kernel/full_disk.py",
             '_SAID = "No space left on device"', '_SAID = "no such words"'),
    Mutation(42, "spark/test_state.py::"
             "test_a_checkpoint_of_another_query_is_refused_with_both_schemas",
             "kernel/streams/checkpoint_check.py",
             "        if not _fits(old, new):\n", "        if False:\n"),
    Mutation(43, "test_43_forks_that_return.py::test_a_copy_that_exits", "worker/runtime/forked.py",
             "    if caller is None:\n", "    if True:\n"),
    Mutation(44, "test_44_forks_that_raise.py", "worker/runtime/forked.py",
             "        os.register_at_fork(after_in_child=_in_copy)\n", "        pass\n"),
    Mutation(45, "test_45_ports.py", "host/classic/spark_start.py",
             "        with variables(outside):\n", "        with variables({}):\n"),
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
    Mutation(51, "test_51_endless_message.py", "telemetry/partial_messages.py",
             "            if each.silent and each.partial() > MAX_PARTIAL_BYTES\n",
             "            if False\n"),
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
    Mutation(57, "notebook/test_interrupt.py::test_interrupts_at_any_moment",
             "magics/interrupt.py",
             "        self._restore.append(_interrupt_after(waiting))\n",
             "        raise _interrupt(frame)\n"),
    Mutation(58, "test_58_lost_executor.py", "worker/call/quarantine.py",
             "        chosen += of_task[max(ended or of_task)]\n",
             "        chosen += [name for each in of_task.values() for name in each]\n"),
    Mutation(59, "test_59_adoption.py::test_it_is_left_as_it_was_found", "host/changes.py",
             "            if group.get(name) != value:\n", "            if True:\n"),
    Mutation(60, "test_60_far_workers.py::test_a_cluster_without_the_package",
             "kernel/translation.py",
             "        if _MISSING.search(text):\n", "        if False:\n"),
    Mutation(61, "notebook/test_own_classes.py::test_between_workers", "specs/pickling.py",
             "        return list(map(dumper(), values))\n", "        raise\n"),
    Mutation(62, "spark/test_sql_guard.py::"
             "test_a_misread_query_goes_to_spark_as_it_is_where_spark_can_answer",
             "planner/planned_query.py",
             "        if doubt is not None:\n            if tree",
             "        if False:\n            if tree"),
)  # fmt: skip


# Rows without one, and why.
WITHOUT = {
    23: "lines of output and records have no way in common, so there is nothing to take out",
}


def problems(mutation: Mutation) -> list[str]:
    """What is wrong with a mutation, before it is run."""
    found = []
    count = (PACKAGE / mutation.file).read_text("utf-8").count(mutation.protected)
    if count != 1:
        found.append(f"row {mutation.row}: what it replaces occurs {count} times")
    path, _, name = test_of(mutation).partition("::")
    if f"def {name or 'test_'}" not in (ROOT / path).read_text("utf-8"):
        found.append(f"row {mutation.row}: there is no {mutation.test}")
    return found


def test_of(mutation: Mutation) -> str:
    """The test as pytest knows it."""
    folder = "tests" if "/" in mutation.test.partition("::")[0] else "tests/faults"
    return f"{folder}/{mutation.test}"


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
                   "-m", "thorough or not thorough",
                   test_of(mutation)]  # fmt: skip
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
    lines = kept()
    for mutation in chosen:
        begun = time.monotonic()
        red, said = fails_without(mutation)
        green += not red
        seconds = time.monotonic() - begun
        outcome = "red" if red else "GREEN"
        name = mutation.test.rpartition("/")[2].partition("::")[0]
        row = f"{mutation.row:3} {name:36} {outcome:6} {seconds:4.0f} s  {said[:90]}"
        print(row, flush=True)
        lines.pop(mutation.row, None)
        if red:
            lines[mutation.row] = line_of(mutation, seconds)
        write(lines)
    return 1 if green else 0


def line_of(mutation: Mutation, seconds: float) -> str:
    """A row of the page: what is tested, where, and that it failed without its protection."""
    path = test_of(mutation).partition("::")[0]
    said = (ast.get_docstring(ast.parse((ROOT / path).read_text("utf-8"))) or "").partition("\n")[0]
    return (
        f"| {mutation.row} | {said} | `{test_of(mutation)}` | `{mutation.file}` | "
        f"fails after {seconds:.0f} s | {date.today()} |\n"
    )


def write(lines: dict[int, str]) -> None:
    """Writes the page: a line for each row, and why others have none."""
    others = "".join(f"\nRow {row} has none: {why}.\n" for row, why in WITHOUT.items())
    PAGE.write_text(_HEAD + "".join(lines[each] for each in sorted(lines)) + others, "utf-8")


def kept() -> dict[int, str]:
    """The rows of the page, by number."""
    if not PAGE.exists():
        return {}
    cells = [(line.split("|"), line) for line in PAGE.read_text("utf-8").splitlines(keepends=True)]
    return {int(c[1]): line for c, line in cells if len(c) > 1 and c[1].strip().isdigit()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
