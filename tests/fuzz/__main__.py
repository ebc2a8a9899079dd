"""Fuzzes the targets that are named, or all, and says how many values a second were tried."""

from __future__ import annotations

import argparse
import sys
from functools import partial

import notebook_udf as nu
from tests.fuzz.java_functions import WRITTEN
from tests.fuzz.running import (
    fuzz,
    fuzz_aggregates,
    fuzz_arrow,
    fuzz_java,
    fuzz_queries,
    fuzz_rows,
    fuzz_written,
)
from tests.fuzz.targets import TARGETS

_OF_PYTHON = {**{name: partial(fuzz, name) for name in TARGETS}, "arrow": fuzz_arrow}
_OF_SPARK = {
    "queries": fuzz_queries,
    "java": fuzz_java,
    "rows": fuzz_rows,
    "aggregates": fuzz_aggregates,
    **{name: partial(fuzz_written, name) for name in WRITTEN},
}


def main() -> int:
    """Ends with the first failure, which is raised."""
    names = [*_OF_PYTHON, *_OF_SPARK]
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(names)}")
    parser.add_argument("--seconds", type=float, default=600.0, help="for each of them")
    options = parser.parse_args()
    unknown = set(options.names) - set(names)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}, but {', '.join(names)}")
    for name in options.names or names:
        if name in _OF_SPARK:
            with nu.session(workers=2) as session:
                tried = _OF_SPARK[name](session, options.seconds)
        else:
            tried = _OF_PYTHON[name](options.seconds)
        pace = tried / options.seconds
        print(f"{name}: quiet for {options.seconds:g} s, {tried:,} values, {pace:,.1f} a second")
    return 0


if __name__ == "__main__":
    sys.exit(main())
