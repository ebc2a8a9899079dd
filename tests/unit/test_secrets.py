"""Passwords and tokens in addresses are shown to nobody."""

from __future__ import annotations

import pytest

from notebook_udf.sanitize import without_secrets

SHOWN = {
    "--index-url https://user:s3cret@pypi.example/simple": "--index-url https://****@pypi.example/simple",
    "a @ git+ssh://s3cret@host/a.git@v1": "a @ git+ssh://****@host/a.git@v1",
    "https://a:s3cret@one/x, https://b:p@ss:w@two/y": "https://****@one/x, https://****@two/y",
    "Looking in indexes: http://s3cret@h:8080/simple\nmore": (
        "Looking in indexes: http://****@h:8080/simple\nmore"
    ),
    "https://pypi.example/simple/@scope": "https://pypi.example/simple/@scope",
    "mail me@example.org": "mail me@example.org",
    "humanize>=4": "humanize>=4",
}


@pytest.mark.parametrize(("text", "shown"), SHOWN.items())
def test_what_stands_before_the_host_is_masked(text: str, shown: str) -> None:
    assert without_secrets(text) == shown
