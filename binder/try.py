"""Takes the steps that repo2docker takes with this folder, without a container.

The folder it is given holds everything: a copy of the repository, an empty home, a virtual
environment, and the only programs the steps can find: those of the machine without Java and Node,
which an empty machine does not have. Apt packages are not installed, but missed by name.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ABSENT = {"java", "javac", "node", "npm", "npx", "jupyter"}
# What a clone of the repository does not have.
_MADE = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "node_modules", "static", "__pycache__", ".*_cache",
    ".hypothesis", ".ipynb_checkpoints", "spark-warehouse",
)  # fmt: skip
# How this machine reaches the registries is no part of what is tried.
_KEPT = ("PIP_", "SSL_CERT", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "LANG", "TMPDIR")


def main() -> int:
    """Builds into an empty folder, or starts what was built there."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="empty, or not there yet")
    parser.add_argument("--start", action="store_true", help="serve what was built there")
    parser.add_argument("--port", type=int, default=8888)
    parser.add_argument("--prefix", default="/user/somebody/", help="as JupyterHub would set it")
    parser.epilog = "What stands after -- is handed to Jupyter."
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:end])
    folder = options.folder.resolve()
    if options.start:
        start(folder, options.port, options.prefix, sys.argv[end + 1 :])
    else:
        build(folder)
    return 0


def build(folder: Path) -> None:
    """The image, as a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        sys.exit(f"{folder} is not empty")
    (folder / "home").mkdir()
    _link_programs(folder / "bin")
    shutil.copytree(ROOT, folder / "repository", symlinks=True, ignore=_MADE)
    config = folder / "repository" / "binder"
    _check_apt(config / "apt.txt")
    run = subprocess.check_call
    run([_python(config / "runtime.txt"), "-m", "venv", str(folder / "venv")])
    settings = {"cwd": folder / "repository", "env": environment(folder)}
    if (config / "requirements.txt").exists():
        pip = [str(folder / "venv/bin/pip"), "install", "--no-cache-dir"]
        run([*pip, "-r", "binder/requirements.txt"], **settings)
    if (config / "postBuild").exists():
        run([str(config / "postBuild")], **settings)


def start(folder: Path, port: int, prefix: str, further: list[str]) -> None:
    """What the container runs; never returns."""
    variables = environment(folder) | {"JUPYTERHUB_SERVICE_PREFIX": prefix}
    command = [
        str(folder / "repository/binder/start"), "jupyter", "lab", "--no-browser",
        "--ip=127.0.0.1", f"--port={port}", f"--ServerApp.base_url={prefix}",
        "--ServerApp.port_retries=0", *further,
    ]  # fmt: skip
    os.chdir(folder / "repository")
    os.execve(command[0], command, variables)


def environment(folder: Path) -> dict[str, str]:
    """The variables of a step: nothing of ours, but for how registries are reached."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(_KEPT) or name.lower().endswith("_proxy")
    }
    path = os.pathsep.join([str(folder / "venv/bin"), str(folder / "bin")])
    return {**kept, "HOME": str(folder / "home"), "PATH": path, "SHELL": "/bin/bash"}


def _link_programs(folder: Path) -> None:
    folder.mkdir()
    for place in ("/usr/local/bin", "/usr/bin", "/bin"):
        for program in Path(place).iterdir() if Path(place).is_dir() else ():
            link = folder / program.name
            if program.name not in ABSENT and not link.is_symlink():
                link.symlink_to(program)


def _check_apt(path: Path) -> None:
    if not path.exists():
        return
    missing = []
    for name in path.read_text().split():
        query = ["dpkg-query", "-W", "-f", "${Status}", name]
        said = subprocess.run(query, capture_output=True, text=True).stdout
        if "ok installed" not in said:
            missing.append(name)
    if missing:
        sys.exit(f"apt packages that {path.name} asks for are missing: {', '.join(missing)}")


def _python(path: Path) -> str:
    """The Python that is asked for, else this one, which is said."""
    wanted = path.read_text().strip().replace("python-", "python")
    found = shutil.which(wanted, path="/usr/local/bin:/usr/bin:/bin")
    if found is None:
        print(f"{wanted} is not installed; {sys.executable} takes its place", file=sys.stderr)
    return found or sys.executable


if __name__ == "__main__":
    sys.exit(main())
