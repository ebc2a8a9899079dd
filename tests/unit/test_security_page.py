"""The security model: what it says of a session is proved by tests that are there."""

from __future__ import annotations

import re

import pytest

from tests.scripts import ROOT

TESTS = ROOT / "tests"
_PROOF = re.compile(r"<!-- proof: (.+?) -->")
PAGE = (ROOT / "docs/project/security.md").read_text("utf-8")
_PROOFS = [each for proof in _PROOF.findall(PAGE) for each in proof.split(", ")]


def test_every_part_has_a_proof() -> None:
    # What is not guarded needs none.
    sections = [part for part in PAGE.split("\n## ")[1:] if not part.startswith("What is not")]
    without = [part.splitlines()[0] for part in sections if not _PROOF.search(part)]
    assert without == []


@pytest.mark.parametrize("proof", sorted(set(_PROOFS)))
def test_a_proof_is_a_test(proof: str) -> None:
    path, _, name = proof.partition("::")
    assert re.search(rf"^(async )?def {name}\(", (TESTS / path).read_text("utf-8"), re.MULTILINE)
