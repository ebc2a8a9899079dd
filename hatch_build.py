"""Builds what browsers load from ``extension``: the widgets' scripts and the lab extension.

Node 20.19 or newer is taken from PATH; without it, a build requirement brings one.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent / "extension"))
import npm

# What is only for checking types is most of it, and is not needed to build.
INSTALL = ["ci", "--omit=dev", "--no-audit", "--no-fund"]


class Scripts(BuildHookInterface[Any]):
    """Runs before a wheel is packed, also before one that only points to this folder."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [] if npm.on_path() else [npm.FROM_PYPI]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        scripts = root / "notebook_udf" / "widgets" / "static"
        if _older(root / "extension", scripts):
            program = npm.command()
            for arguments in (INSTALL, ["run", "build"]):
                self.app.display_info(f"npm {' '.join(arguments)}")
                _run([*program, *arguments], root / "extension")
        # They are ignored by git, which hatchling follows unless told of them.
        build_data["artifacts"].append("/notebook_udf/widgets/static/*.js")


def _older(sources: Path, scripts: Path) -> bool:
    """Whether a script is missing or its sources are newer."""
    wanted = [
        scripts / f"{folder.name}.js"
        for folder in (sources / "src").iterdir()
        if (folder / "widget.tsx").exists()
    ]
    wanted.append(sources / "build" / "labextensions" / "notebook-udf" / "package.json")
    if not all(script.exists() for script in wanted):
        return True
    files = [*(sources / "src").rglob("*"), sources / "package-lock.json", *sources.glob("*.mjs")]
    newest = max(file.stat().st_mtime for file in files if file.is_file())
    return newest > min(script.stat().st_mtime for script in wanted)


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stdout, file=sys.stderr)
        raise SystemExit(
            f"{' '.join(command)} failed in {folder}; its output is above. Without a network, "
            f"build the scripts elsewhere and put them into notebook_udf/widgets/static and "
            f"extension/build"
        )
