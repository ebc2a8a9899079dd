"""Finds a Chromium to test in, or gets one. As a command it prints where it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = (
    "no Chromium to test in: install one (on Debian and Ubuntu: apt-get install chromium), or let "
    "Playwright download its own (python -m playwright install --with-deps chromium)"
)


def installed() -> str | None:
    """A Chromium on PATH, else the one that Playwright downloaded, else None."""
    for name in NAMES:
        path = shutil.which(name)
        # Ubuntu's package of that name is a script that asks for a snap.
        if path and subprocess.run([path, "--version"], capture_output=True).returncode == 0:
            return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if os.path.exists(own) else None


def get() -> str | None:
    """A Chromium, installed if need be: Debian's as root, else Playwright's own."""
    found = installed()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"stdout": sys.stderr, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
        subprocess.run(["apt-get", "update", "-qq"], **quiet)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], **quiet)
        found = installed()
    if found is None:
        subprocess.run(
            [sys.executable, "-m", "playwright", "install", "chromium"], stdout=sys.stderr
        )
        found = installed()
    return found


if __name__ == "__main__":
    chromium = get()
    if chromium is None:
        sys.exit(HOW)
    print(f"browser tests run in {chromium}")
