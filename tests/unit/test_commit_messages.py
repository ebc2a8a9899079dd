"""The hook that reads a commit's message before git takes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HOOK = Path(__file__).parents[2] / ".ci" / "commit_message.py"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository that runs the hook."""
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    hook = tmp_path / ".git" / "hooks" / "commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{HOOK}" "$1"\n')
    hook.chmod(0o755)
    return tmp_path


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    names = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    command = ["git", *names, "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def commit(repository: Path, message: str) -> str:
    """What the hook says of it; "" where the commit was made."""
    made = git(repository, "commit", "--quiet", "--allow-empty", "-m", message)
    assert (made.returncode != 0) == ("commit refused" in made.stderr), made.stderr
    return made.stderr


@pytest.mark.parametrize(
    "message",
    [
        "codec: one reader of columns",
        "planner/rules, tests: a rule is a class",
        f"area: {'x' * 66}",
        "area: what changes\n\nWhy, in a body whose lines may be longer than a subject may be.",
        "fixup! what the next rebase takes away",
    ],
)
def test_a_message_in_form_is_taken(repository: Path, message: str) -> None:
    assert not commit(repository, message)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (f"area: {'x' * 67}", "73 characters"),
        ("What changes, without an area", "'area: what changes'"),
        ("area:what changes", "'area: what changes'"),
        ("area: what changes\nand why", "blank line"),
        ("Merge branch 'other'", "rebase"),
    ],
)
def test_a_message_out_of_form_is_refused_with_what_is_wrong(
    repository: Path, message: str, said: str
) -> None:
    assert said in commit(repository, message)


def test_a_merge_is_refused_whatever_it_is_called(repository: Path) -> None:
    assert not commit(repository, "area: first")
    git(repository, "checkout", "--quiet", "-b", "other")
    assert not commit(repository, "area: second")
    git(repository, "checkout", "--quiet", "main")
    merged = git(repository, "merge", "--no-ff", "-m", "area: all of it", "other")
    assert merged.returncode != 0
    assert "rebase" in merged.stderr
