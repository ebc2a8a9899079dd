"""Secrets in a report: none of a job's own words shows one, and what is no secret is left."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from notebook_udf.reports.secret_values import Masking

MASKED = [
    "postgresql://user:SECRET@host/db",
    "password=SECRET",
    "PASSWORD = 'SECRET'",
    'db_password: "SECRET and more"',
    '{"api_key": "SECRET"}',
    "{'access_key': 'SECRET'}",
    "if password == 'SECRET':",
    'token := "SECRET"',
    "https://host/path?sig=1&token=SECRET&page=2",
    "Authorization: Bearer SECRETSECRET",
    "curl -H 'authorization: Basic SECRETSECRET='",
    "sent bearer SECRETSECRETSECRET",
    "--api-token SECRET",
    "--db.password=SECRET",
    "fs.azure.account.key.mine: SECRET==",
    "AWS_SECRET_ACCESS_KEY=SECRET",
    "spark.hadoop.fs.s3a.secret.key SECRET".replace(" ", "="),
    "AKIASECRETSECRET1234",
    "-----BEGIN RSA PRIVATE KEY-----\nSECRET\n-----END RSA PRIVATE KEY-----",
    'token = """SECRET\nSECRET"""',
    'password "SECRET"',
]
LEFT = [
    "password=None",
    "def f(password: str, token: int = 3) -> str:",
    "tokens = line.split()",
    "token = words[0]",
    "the token is not valid",
    "password = os.environ['PASSWORD']",
    "rows: 3, seconds: 4",
    "https://host/path?page=2",
]


@pytest.mark.parametrize("text", MASKED)
def test_a_secret_is_masked(text: str) -> None:
    shown = Masking().text(f"before {text} after")
    assert "SECRET" not in shown.replace("AWS_SECRET_ACCESS_KEY", "")
    assert "****" in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")


@pytest.mark.parametrize("text", LEFT)
def test_what_is_none_is_left(text: str) -> None:
    assert Masking().text(text) == text


def test_what_the_job_was_given_as_a_secret_is_masked_wherever_it_stands() -> None:
    masking = Masking([
        {"MY_TOKEN": "abc$+def", "HOME": "/home/me", "USE_TOKEN": "true", "KEY_TOKEN": "x"},
        {"spark.ssl.keyPassword": "abc$+defghi", "spark.app.name": "abcdefghi"},
    ])  # fmt: skip
    assert masking.text("with abc$+defghi, abc$+def in /home/me") == "with ****, **** in /home/me"
    assert masking.text("true x abcdefghi") == "true x abcdefghi"


def test_values_have_the_names_before_them() -> None:
    masking = Masking()
    given = ["job.py", "--password", "hunter2", "--day", "1", "--token=hunter2", "--secret", "-v"]
    shown = ["job.py", "--password", "****", "--day", "1", "--token=****", "--secret", "-v"]
    assert masking.arguments(given) == shown

    @dataclass(frozen=True)
    class Seen:
        arguments: tuple[tuple[str, str], ...]
        texts: list[str]
        number: int

    seen = Seen((("password", "'hunter2'"), ("x", "1")), ["pwd=hunter2"], 3)
    assert masking.everything(seen) == Seen((("password", "****"), ("x", "1")), ["pwd=****"], 3)


@pytest.mark.timeout(10)
@pytest.mark.parametrize("text", ["x" * 16_000, "-" * 16_000, "token" * 4_000, "a.b-" * 4_000])
def test_a_long_line_takes_no_long_time(text: str) -> None:
    Masking().text(text)
