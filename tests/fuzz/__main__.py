"""Fuzzes the targets that are named, or all, and says how many values a second were tried."""

from __future__ import annotations

import argparse
import sys

import notebook_udf as nu
from tests.fuzz.running import fuzz, fuzz_queries
from tests.fuzz.targets import TARGETS


def main() -> int:
    """Ends with the first failure, which is raised."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(TARGETS)}, queries")
    parser.add_argument("--seconds", type=float, default=600.0, help="for each of them")
    options = parser.parse_args()
    names = [*TARGETS, "queries"]
    unknown = set(options.names) - set(names)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}, but {', '.join(names)}")
    for name in options.names or names:
        if name == "queries":
            with nu.session(workers=2) as session:
                tried = fuzz_queries(session, options.seconds)
        else:
            tried = fuzz(name, options.seconds)
        pace = tried / options.seconds
        print(f"{name}: quiet for {options.seconds:g} s, {tried:,} values, {pace:,.1f} a second")
    return 0


if __name__ == "__main__":
    sys.exit(main())
