"""The command line: ``notebook-udf demo``, ``lab``, ``run``, ``export`` and ``doctor``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from notebook_udf import __version__
from notebook_udf.errors import NotebookUdfError
from notebook_udf.tutorials import FIRST, copy_tutorials, run_tutorial, tutorials_folder

COPY = "notebook-udf-tutorials"


def main(arguments: list[str] | None = None) -> int:
    """Runs a command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="notebook-udf",
        description="Python functions on Spark, written, watched and debugged in a notebook.",
    )
    parser.add_argument("--version", action="version", version=f"notebook-udf {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    demo = commands.add_parser(
        "demo", help="run the first tutorial here, on 336,776 real flights, and print its results"
    )
    demo.set_defaults(run=lambda _: run_demo())
    lab = commands.add_parser("lab", help="open JupyterLab on the first tutorial")
    lab.add_argument(
        "--folder",
        type=Path,
        default=Path(COPY),
        help="where your copy of the tutorials goes (default: %(default)s)",
    )
    lab.add_argument("--no-browser", action="store_true", help="only print the address")
    lab.set_defaults(run=lambda options: open_lab(options.folder, browser=not options.no_browser))
    job = commands.add_parser(
        "run",
        help="run a job as it is, and write what it did on Spark to one HTML file",
        description="Runs a Python job as `python JOB.py ARGS` does, and writes its queries, "
        "functions, failed calls and logs to one HTML file. The job's exit code is passed on; it "
        "is 3 if the job ends well but fails a check, 2 if it could not begin. --report and "
        "--fail-on may stand behind the job's arguments as well: what follows a -- is the job's "
        "alone.",
    )
    job.add_argument(
        "--report", metavar="FILE.html", help="default: named like the job, here, with -report"
    )
    job.add_argument(
        "--fail-on",
        action="append",
        default=[],
        metavar="CHECK",
        help="what is wrong with a function, as in 'p99>2s' or 'errors>0'; may be repeated. "
        "Metrics: rows, bundles, rows/s, seconds, waiting, decode, user code, encode, p50, p95, "
        "p99, max, errors, failed",
    )
    job.add_argument("job", metavar="JOB.py")
    job.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS")
    job.set_defaults(run=lambda o: run_file(o.job, o.arguments, o.report, o.fail_on))
    export = commands.add_parser(
        "export",
        help="write the functions of a notebook as a module, with tests",
        description="Writes the functions of a notebook as a module, with tests. What the module "
        "runs when it is imported is run (constants, decorators, base classes): export a "
        "stranger's notebook only when you have read it.",
    )
    export.add_argument("notebook", type=Path, metavar="NOTEBOOK.ipynb")
    export.add_argument(
        "-o", "--output", type=Path, metavar="MODULE.py", help="default: named like the notebook"
    )
    export.add_argument("--force", action="store_true", help="overwrite files that are there")
    export.set_defaults(run=lambda o: run_export(o.notebook, o.output, force=o.force))
    doctor = commands.add_parser(
        "doctor", help="say what is wrong with Java, Python, memory, packages, and how to fix it"
    )
    doctor.add_argument("--json", action="store_true", help="as a document, for other programs")
    doctor.add_argument(
        "--spark",
        default="",
        metavar="URL",
        help="ask a cluster's executors too: its master, or a Connect server's address",
    )
    doctor.set_defaults(run=lambda o: run_doctor(o.spark, as_json=o.json))
    options = parser.parse_args(arguments)
    try:
        code: int = options.run(options)
    except NotebookUdfError as error:
        print(f"notebook-udf: {error}", file=sys.stderr)
        return 1
    return code


def run_demo() -> int:
    """Runs the first tutorial without a browser and prints its cells and their output."""
    from nbclient.exceptions import CellExecutionError
    from rich.console import Console
    from rich.syntax import Syntax
    from rich.text import Text

    console = Console()
    started = time.monotonic()

    def show(source: str, outputs: list[str]) -> None:
        # Unwrapped: a terminal breaks lines where it must, and a table in a file stays a table.
        console.print(Syntax(source, "python", background_color="default"), soft_wrap=True)
        for output in outputs:
            # Text and not a string: what a worker printed may look like markup.
            console.print(Text.from_ansi(output), soft_wrap=True)
        console.print()

    console.print(f"Running {FIRST}; starting Spark takes some seconds …", highlight=False)
    try:
        run_tutorial(tutorials_folder() / FIRST, show)
    except CellExecutionError as error:
        console.print(Text.from_ansi(f"A cell failed that should not: {error}"), soft_wrap=True)
        return 1
    console.print(f"Done in {time.monotonic() - started:.0f} s.", highlight=False)
    return 0


def run_export(notebook: Path, target: Path | None, *, force: bool) -> int:
    """Exports a notebook's functions and prints which files were written."""
    from notebook_udf.magics.exporting import export_notebook, module_name

    print(export_notebook(notebook, target or module_name(notebook), force=force))
    return 0


def run_file(job: str, arguments: list[str], report: str | None, fail_on: list[str]) -> int:
    """Runs a job with a report; see ``reports.job_run``."""
    from notebook_udf.reports.job_run import job_options, run_job

    try:
        return run_job(job_options(job, arguments, report, fail_on))
    except NotebookUdfError as error:
        # Before the job began: its own errors are told as Python tells them.
        print(f"notebook-udf run: {error}", file=sys.stderr)
        return 2


def run_doctor(spark: str, *, as_json: bool) -> int:
    """Examines this machine, and a cluster if one is named; exits with 1 if something is wrong."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from notebook_udf.doctor import examine, is_well, to_json

    if spark:
        print(f"Asking the executors of {spark}, which starts Spark there …", file=sys.stderr)
    findings = examine(spark)
    if as_json:
        print(to_json(findings))
        return 0 if is_well(findings) else 1
    marks = {"fine": ("✓", "green"), "look": ("!", "yellow"), "wrong": ("✗", "bold red")}
    table = Table.grid(padding=(0, 2))
    for each in findings:
        mark, style = marks[each.state]
        table.add_row(Text(mark, style), Text(each.what, "bold"), Text(each.found))
        if each.mend:
            table.add_row("", "", Text(f"→ {each.mend}", style))
    console = Console()
    console.print(table)
    wrong = sum(each.state == "wrong" for each in findings)
    ending = f"{wrong} to fix" if wrong else "Nothing is wrong: notebook-udf demo shows it working"
    console.print(Text(f"{ending}."))
    return 1 if wrong else 0


def open_lab(folder: Path, *, browser: bool) -> int:
    """Opens JupyterLab on the first tutorial; ends when the server does. Never returns."""
    first = copy_tutorials(folder)
    command = [sys.executable, "-m", "jupyterlab", str(first)]
    if not browser:
        command.append("--no-browser")
    os.execv(sys.executable, command)


if __name__ == "__main__":
    sys.exit(main())
