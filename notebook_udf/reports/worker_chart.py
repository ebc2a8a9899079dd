"""Workers over time: a strip for each, as high as the share of the time that it was in functions.

The chart is a picture of what the tables beside it say in figures; it has a text of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from notebook_udf.render.format import counted, percent, seconds
from notebook_udf.render.markup import Element, Tag, g, path, rect, svg, text, title
from notebook_udf.telemetry.timeseries.timeline import Timeline

_POINTS = 160
# The workers that did most; others are in the table.
_MOST = 16
_WIDTH = 900
_LEFT = 90
_HEIGHT = 22
_GAP = 6

figure, figcaption = Tag("figure"), Tag("figcaption")


def worker_chart(timelines: Sequence[Timeline]) -> Element | None:
    """The chart of all queries' workers; None if no bundle is known."""
    if not timelines:
        return None
    start = min(line.start for line in timelines)
    end = max(line.start + line.width * _length(line) for line in timelines)
    span = max(end - start, 1e-3)
    busy = _busy(timelines, start, span)
    most = sorted(busy, key=lambda pid: -sum(busy[pid]))[:_MOST]
    strips = [
        _strip(pid, busy[pid], place * (_HEIGHT + _GAP), span)
        for place, pid in enumerate(sorted(most))
    ]
    height = len(strips) * (_HEIGHT + _GAP)
    told = f"Share of the time that workers were in functions, over {seconds(span)}"
    if len(busy) > len(most):
        told += f"; the {counted(len(most), 'worker')} that did most, of {len(busy):,}"
    picture = svg(
        title(told),
        strips,
        role="img",
        viewBox=f"0 0 {_WIDTH} {height}",
        class_="nu-chart",
    )
    return figure(figcaption(told), picture)


def _length(line: Timeline) -> int:
    return max((len(worker.busy_ns) for worker in line.workers), default=0)


def _busy(timelines: Iterable[Timeline], start: float, span: float) -> dict[int, list[float]]:
    """Nanoseconds in functions of each worker, in points of equal width."""
    found: dict[int, list[float]] = {}
    for line in timelines:
        for worker in line.workers:
            points = found.setdefault(worker.pid, [0.0] * _POINTS)
            for at, value in enumerate(worker.busy_ns):
                _spread(points, value, line.start + at * line.width - start, line.width, span)
    return found


def _spread(points: list[float], value: float, begin: float, width: float, span: float) -> None:
    """Adds a value to the points that its time covers, to each its share."""
    low = begin / span * _POINTS
    high = max(low + 1e-9, (begin + width) / span * _POINTS)
    for at in range(max(0, int(low)), min(_POINTS, int(high) + 1)):
        shared = min(high, at + 1) - max(low, at)
        if shared > 0:
            points[at] += value * shared / (high - low)


def _strip(pid: int, busy: list[float], top: int, span: float) -> Element:
    name = f"worker {pid}" if pid > 0 else "others"
    whole = span * 1e9 / _POINTS
    step = (_WIDTH - _LEFT) / _POINTS
    bottom = top + _HEIGHT
    bars = [
        (_LEFT + at * step, _HEIGHT * min(1.0, value / whole))
        for at, value in enumerate(busy)
        if value > 0
    ]
    drawn = "".join(f"M{x:.1f} {bottom}v{-high:.1f}h{step:.1f}V{bottom}z" for x, high in bars)
    share = percent(min(1.0, sum(busy) / (span * 1e9)))
    return g(
        title(f"{name}: {share} of the time in functions"),
        rect(x=_LEFT, y=top, width=_WIDTH - _LEFT, height=_HEIGHT),
        path(d=drawn) if drawn else None,
        text(name, x=0, y=bottom - 6),
    )
