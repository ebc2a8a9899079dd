"""Says measured figures so that a reader needs not know how they were named.

A benchmark names a difference for what it wants to show, and writes it with its sign: that
something "slows by -0.96 %" means that it was 0.96 % faster. The page of figures says what was
compared with what, and *more* or *less*. Numbers stay as they were measured.
"""

from __future__ import annotations

import re

# What a name says, and how the page says it; these are differences.
_DIFFERENCES = (
    (r"The live cell slows (.+) by", r"Time of \1 with the live cell, against without it"),
    (r"(.+ lines) printed in (.+) slow the job by", r"Time of a job that prints \1 in \2, "
     "against one that prints none"),
    (r"Cost of telemetry, (.+)", r"Time of \1 with telemetry, against without it"),
    (r"Cost of watching (.+)", r"Time of \1 while it is watched, against unwatched"),
    (r"Cost of a row row by row (.+), among (.+) against one among (.+)",
     r"Time for one row of \2, against one row of \3, row by row \1"),
    (r"Cost of a row (.*?),? ?among (.+) against one among (.+)",
     r"Time for one row of \2, against one row of \3, \1"),
    (r"OVER, (a frame of .+) against one of (.+)",
     r"Time of OVER with \1, against a frame of \2"),
    (r"A profile of (.+), beyond the same query without one",
     r"Processor time of a query with a profile of \1, against without one"),
    (r"(.+): growth in an hour", r"\1: change in an hour"),
)  # fmt: skip
# Shares, which have no sign.
_SHARES = ((r"(.+), one core in (.+)", r"\1: share of one core in \2"),)
_PERCENT = re.compile(r"(-?)([\d.,]+) %")
_COUNT = re.compile(r"(\d+)\.00( functions)?")


def plain(figure: str, measured: str) -> tuple[str, str]:
    """What was measured, and the result, as the page says them."""
    for form, said in _DIFFERENCES:
        if re.fullmatch(form, figure):
            return re.sub(form, said, figure).rstrip(", "), difference(measured)
    for form, said in _SHARES:
        if re.fullmatch(form, figure):
            return re.sub(form, said, figure), measured
    return figure, _COUNT.sub(r"\1\2", measured) if _COUNT.fullmatch(measured) else measured


def difference(measured: str) -> str:
    """A share with a sign in words; what is no share stays."""
    found = _PERCENT.fullmatch(measured)
    if found is None:
        return measured
    sign, size = found.groups()
    if not float(size.replace(",", "")):
        return "no change"
    return f"{size} % {'less' if sign else 'more'}"
