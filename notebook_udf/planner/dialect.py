"""Spark's SQL as a tree and as text again; no other module of the planner knows the grammar."""

from __future__ import annotations

import logging
import re
from itertools import pairwise
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.tokens import TokenType

from notebook_udf.errors import PlanningError

_KNOWN = ("ARRAY", "COALESCE", "COUNT", "EXISTS", "FILTER", "IF", "IFNULL", "NVL", "TRANSFORM")


class Spark4(Spark):  # type: ignore[misc]
    """Spark's SQL, read so that it is written again as it was.

    A doubled quote is a quote, and does not end one text of two. Functions stay the names and
    arguments that they are: sqlglot would put functions of its own, and sometimes other ones, in
    their place. Those it still knows are what the planner asks for by class.
    """

    class Tokenizer(Spark.Tokenizer):  # type: ignore[misc]
        STRING_ESCAPES = ("\\", "'", '"')

    class Parser(Spark.Parser):  # type: ignore[misc]
        # Else a comma is written as CROSS JOIN, which is another plan.
        JOINS_HAVE_EQUAL_PRECEDENCE = False
        FUNCTIONS = {name: Spark.Parser.FUNCTIONS[name] for name in _KNOWN}  # noqa: RUF012

        def parse(self, raw_tokens: Any, sql: str | None = None) -> Any:
            # Else GROUP BY window(...) is taken for the clause WINDOW name AS (...).
            for token, after in pairwise(raw_tokens):
                if token.token_type == TokenType.WINDOW and after.token_type == TokenType.L_PAREN:
                    token.token_type = TokenType.VAR
            return super().parse(raw_tokens, sql)

    class Generator(Spark.Generator):  # type: ignore[misc]
        TYPE_MAPPING = {**Spark.Generator.TYPE_MAPPING, exp.DType.TIME: "TIME"}  # noqa: RUF012


def parsed(query: str) -> exp.Expression:
    """The query as a tree.

    Raises
    ------
    PlanningError
        If it is not understood, with the place.
    """
    logger = logging.getLogger("sqlglot")
    before, logger.disabled = logger.disabled, True
    try:
        return sqlglot.parse_one(query, read=Spark4)
    except sqlglot.errors.SqlglotError as error:
        # Parts of the query are underlined in it, for terminals.
        plain = re.sub(r"\x1b\[\d+m", "", str(error))
        raise PlanningError(
            f"the query calls functions of this package and cannot be read: {plain}"
        ) from None
    finally:
        logger.disabled = before


def text(node: exp.Expression) -> str:
    """A tree as Spark's SQL: to hand it to Spark, to compare it by, and to show it."""
    written: str = node.sql(dialect=Spark4, normalize_functions=False)
    return written
