"""The half of the mix that is only ever measured: nothing is tuned on it."""

from __future__ import annotations

from benchmarks.mix.kept_apart import days, keys, measures, money, texts

CASES = (*days.CASES, *keys.CASES, *measures.CASES, *money.CASES, *texts.CASES)

__all__ = ["CASES"]
