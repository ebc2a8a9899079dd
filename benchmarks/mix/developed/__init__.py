"""The half of the mix that this project may be tuned on."""

from __future__ import annotations

from benchmarks.mix.developed import arrays, days, measures, money, texts, web

CASES = (*arrays.CASES, *days.CASES, *measures.CASES, *money.CASES, *texts.CASES, *web.CASES)

__all__ = ["CASES"]
