"""Unit tests that do a worker's work in this process leave it the kernel's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from notebook_udf.functions.definition import doorway


@pytest.fixture(autouse=True)
def in_the_kernel_again() -> Iterator[None]:
    before = doorway.inside_worker
    yield
    doorway.inside_worker = before
