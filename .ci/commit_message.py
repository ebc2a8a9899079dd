#!/usr/bin/env python3
"""Refuses a commit whose message is not in form; git hands over the file that holds it.

The subject says ``area: what changes`` in at most 72 characters, a blank line parts it from the
body, and branches are rebased, not merged. What a later rebase takes away (``fixup! ...``) is let
through.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LONGEST = 72
_FORM = re.compile(r"[a-z][\w.,/ -]*: \S.*")
_PASSING = re.compile(r"(fixup|squash|amend)! ")


def mistake(message: str, merging: bool = False) -> str | None:
    """What is wrong with a message, and what to do; None where nothing is."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject, *rest = "\n".join(lines).strip("\n").splitlines() or [""]
    if merging or subject.startswith("Merge "):
        return "a merge commit: rebase the branch instead (git merge --abort, git rebase)"
    if _PASSING.match(subject):
        return None
    if not _FORM.fullmatch(subject):
        return f"the subject says 'area: what changes', as in 'codec: one reader': {subject!r}"
    if len(subject) > LONGEST:
        return f"the subject has {len(subject)} characters, and may have {LONGEST}: {subject!r}"
    if rest and rest[0].strip():
        return f"a blank line has to part the subject from the body: {rest[0]!r}"
    return None


def is_merging() -> bool:
    """Whether the commit is to end a merge."""
    asked = ["git", "rev-parse", "--quiet", "--verify", "MERGE_HEAD"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def main(path: str) -> int:
    found = mistake(Path(path).read_text("utf-8"), is_merging())
    if found is not None:
        print(f"commit refused: {found}", file=sys.stderr)
    return int(found is not None)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
