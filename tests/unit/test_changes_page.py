"""The page on what a session changes names every conf that it sets, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from notebook_udf.launch.confs import ADDRESS_CONF, LOCAL_CONF, SQL_CONF, START_CONF, UI_CONF
from notebook_udf.launch.warehouse import WAREHOUSE_CONF

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "add-and-remove.md"
# Set where Spark is started, and not by a table of the source.
ELSEWHERE = {"spark.driver.memory", WAREHOUSE_CONF, UI_CONF}


def test_confs_are_those_of_the_source() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("|")]
    named = {name for row in rows for name in re.findall(r"`(spark\.[\w.]+)`", row)}
    assert named == {*SQL_CONF, *START_CONF, *LOCAL_CONF, *ADDRESS_CONF, *ELSEWHERE}


def test_their_values_are_those_of_the_source() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("|")]
    for name, value in {**SQL_CONF, **LOCAL_CONF, **ADDRESS_CONF}.items():
        (row,) = (row for row in rows if f"`{name}`" in row)
        # Of a class the page has the name.
        assert value.rpartition(".state.")[2] in row, name
