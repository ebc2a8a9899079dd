"""The lexer: the words and signs of a query, cut as Spark's lexer cuts them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["word", "quoted", "string", "number", "hint", "sign", "end"]

_BLANKS = r"[ \t\n\f\r\v\u00a0\u1680\u2000-\u200a\u2028\u202f\u205f\u3000]+"
_DECIMAL = r"(?:\d+\.\d*|\.\d+)"
_TOKEN = re.compile(
    rf"""
    (?P<blank>{_BLANKS}|--(?:\\\n|[^\r\n])*)
  | (?P<hint>/\*\+)
  | (?P<comment>/\*)
  | (?P<string>[rR]'[^']*'|[rR]"[^"]*"|'(?:[^'\\]|\\.|'')*')
  | (?P<double>"(?:[^"\\]|\\.|"")*")
  | (?P<quoted>`(?:[^`]|``)*`)
  | (?P<number>(?:{_DECIMAL}(?:[eE][+-]?\d+)?(?:[bB][dD]|[fFdD])?
                |\d+[eE][+-]?\d+(?:[bB][dD]|[fFdD])?
                |\d+(?:[bB][dD]|[lLsSyYfFdD])?)(?!\w))
  | (?P<word>[^\W\d_]+://[\w/\-.?=&\#%]+|\w+)
  | (?P<sign><=>|\|>|\|\||->|=>|==|!=|<>|<=|>=|!>|!<|::|<<|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")


class Unreadable(Exception):
    """The query is not understood at a position of its text.

    Attributes
    ----------
    place
        The number of characters before it.
    """

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a name, a literal or a sign.

    Attributes
    ----------
    kind
        What it is. Signs are as long as they can be, but ``>`` always stands alone: several may
        close types.
    text
        As it was typed.
    start, end
        Its positions in the query.
    upper
        Words and signs in upper case; "" for what is never a keyword.
    """

    kind: Kind
    text: str
    start: int
    end: int
    upper: str = ""


def tokens_of(text: str, *, double_quoted_identifiers: bool = False) -> list[Token]:
    """The tokens of a query, with one of kind ``end`` behind them.

    ``double_quoted_identifiers`` is what Spark's setting of that name says.

    Raises
    ------
    Unreadable
        If a comment or a hint does not end.
    """
    found: list[Token] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        assert match is not None, "a sign is any character"
        group, start, place = match.lastgroup, place, match.end()
        if group == "blank":
            continue
        if group == "comment":
            place = _comment_end(text, start)
        elif group == "hint":
            end = text.find("*/", place)
            if end < 0:
                raise Unreadable("this hint does not end", start)
            place = end + 2
            found.append(Token("hint", text[start:place], start, place))
        elif group in ("word", "sign"):
            kind: Kind = "word" if group == "word" else "sign"
            found.append(Token(kind, match[0], start, place, match[0].upper()))
        elif group == "number":
            found.append(Token("number", match[0], start, place))
        elif group == "quoted" or (group == "double" and double_quoted_identifiers):
            found.append(Token("quoted", match[0], start, place))
        else:
            found.append(Token("string", match[0], start, place))
    found.append(Token("end", "", len(text), len(text)))
    return found


def _comment_end(text: str, start: int) -> int:
    """The position behind a bracketed comment, which may have others in it."""
    depth, place = 0, start
    while True:
        edge = _COMMENT_EDGE.search(text, place)
        if edge is None:
            raise Unreadable("this comment does not end", start)
        depth += 1 if edge[0] == "/*" else -1
        place = edge.end()
        if not depth:
            return place
