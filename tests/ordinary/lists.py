"""Ordinary functions that take or give lists."""

from __future__ import annotations

import re


def maxrun(a: list[int]) -> int:
    best = cur = 0
    for x in a:
        cur = cur + 1 if x > 0 else 0
        best = max(best, cur)
    return best


def cum(a: list[float]) -> list[float]:
    out, t = ([], 0.0)
    for x in a:
        t += x
        out.append(t)
    return out


def norm(a: list[float]) -> list[float]:
    t = sum(a)
    return [x / t for x in a]


def top(a: list[int], n: int) -> list[int]:
    return sorted(a, reverse=True)[:n]


def topk(a: list[str]) -> list[str]:
    return sorted(a, key=len)


def flat(a: list[str]) -> str:
    return ",".join(x for x in a if x)


def idx(a: list[str], v: str) -> int:
    return a.index(v) if v in a else -1


def cont(a: list[str], b: str) -> bool:
    return b in a


def fa(s: str) -> list[str]:
    return re.findall("#(\\w+)", s)


def spl(s: str) -> list[str]:
    return re.split("[,;]\\s*", s)


def mp(a: list[int]) -> list[int]:
    return [x * x for x in a]


def mode(a: list[int]) -> int:
    return max(a, key=a.count)


def mink(a: list[str]) -> str:
    return min(a, key=len)


def sl(a: list[int]) -> list[int]:
    return a[1:3]


def lst(a: list[int]) -> int:
    return a[-1] if a else 0


def cat(a: list[int], b: list[int]) -> list[int]:
    return a + b


def up(a: list[str]) -> list[str]:
    return [x.upper() for x in a]


def en(a: list[str]) -> list[str]:
    return [f"{i}:{x}" for i, x in enumerate(a, 1)]


def zipd(k: list[str], v: list[int]) -> str:
    return ",".join((f"{a}{b}" for a, b in zip(k, v, strict=False)))


def amin(a: list[float]) -> float:
    return min(a)


def amean(a: list[float]) -> float | None:
    return sum(a) / len(a) if a else None


def amean3(a: list[float]) -> float:
    return round(sum(a) / len(a), 3)


def comp(a: list[int]) -> list[int]:
    return [x * 2 for x in a if x % 2 == 0]


def srt(a: list[int]) -> list[int]:
    return sorted(a)


def uniq(a: list[str]) -> list[str]:
    return sorted(set(a))


def jn(a: list[str]) -> str:
    return ", ".join(a)


def dot(a: list[float], b: list[float]) -> float:
    return sum((x * y for x, y in zip(a, b, strict=False)))
