"""Aggregate functions against Spark's own kinds of Python aggregates."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path

import notebook_udf as nu
from benchmarks.means import COLUMNS, FRAMES, GROUPS, WeightedMean, groups_table, window_table
from benchmarks.measure import Figure, Timing, in_turn, ratio
from benchmarks.rival import Rival
from benchmarks.spellings import MEANS, OTHERS
from benchmarks.workload import PARTITIONS, consume

REPEATS = 5

# How many times as fast as Spark's Arrow aggregate, and as its pandas one.
_BARS = {"many": (9.0, 25.0), "few": (1.2, 1.6)}
# Of a weighted mean however it is written; of what is no sum.
_SPELLING_BARS = {"few": (5.0, 2.0), "many": (12.0, 6.0)}
_WINDOW_BARS = {1_000: (4.0, 12.0), 10_000: (5.0, 15.0)}


def run() -> list[Figure]:
    """Groups: few, many, and beside built-ins."""
    session = nu.session(workers=PARTITIONS)
    groups_table(session.spark).createOrReplaceTempView("rows")
    session.register_function("wmean", WeightedMean())
    session.register_function("walked", nu.udaf(WeightedMean(), compile=False))
    cases: dict[str, Callable[[], object]] = {}
    for key in GROUPS:
        walked = session.sql(f"SELECT {key}, walked(v, w) FROM rows GROUP BY {key}")
        alone = session.sql(f"SELECT {key}, wmean(v, w) FROM rows GROUP BY {key}")
        built_in = session.sql(f"SELECT {key}, sum(v), count(*) FROM rows GROUP BY {key}")
        mixed = session.sql(f"SELECT {key}, wmean(v, w), sum(v), count(*) FROM rows GROUP BY {key}")
        cases[f"ours {key}"] = _query(alone)
        cases[f"walked {key}"] = _query(walked)
        cases[f"built-in {key}"] = _query(built_in)
        cases[f"mixed {key}"] = _query(mixed)
    with Rival("aggregates") as rival:
        for key in GROUPS:
            cases[f"arrow {key}"] = rival.case(f"arrow {key}")
            cases[f"pandas {key}"] = rival.case(f"pandas {key}")
        t = in_turn(cases, REPEATS)
    figures = []
    for key, count in GROUPS.items():
        arrow, pandas = _BARS[key]
        name = f"Weighted mean, 2 M rows in {count:,} groups, against Spark's"
        ours = t[f"ours {key}"]
        figures += [
            ratio(f"{name} Arrow aggregate", ours, t[f"arrow {key}"], at_least=arrow),
            ratio(f"{name} pandas aggregate", ours, t[f"pandas {key}"], at_least=pandas),
            ratio(
                f"{name} Arrow aggregate, a row at a time (compile=False)",
                t[f"walked {key}"],
                t[f"arrow {key}"],
            ),
            ratio(
                f"{name} pandas aggregate, a row at a time (compile=False)",
                t[f"walked {key}"],
                t[f"pandas {key}"],
            ),
            _mixed(count, t[f"mixed {key}"], ours, t[f"built-in {key}"]),
        ]
    return figures


def run_spellings() -> list[Figure]:
    """A weighted mean in five ways, over BIGINT and DOUBLE, and aggregates that are no sums."""
    session = nu.session(workers=PARTITIONS)
    groups_table(session.spark).createOrReplaceTempView("rows")
    cases: dict[str, Callable[[], object]] = {}
    # The name of a figure, of its case, of its rival's.
    figures: list[tuple[str, str, str, float]] = []

    def add(name: str, key: str, sql: str, rival: str, bar: float) -> None:
        case = f"{name} {key}"
        cases[case] = _query(session.sql(f"SELECT {key}, {sql} FROM rows GROUP BY {key}"))
        title = f"{name}, 2 M rows in {GROUPS[key]:,} groups, against Spark's Arrow aggregate"
        figures.append((title, case, f"{rival} {key}", bar))

    for place, (name, mean) in enumerate(MEANS.items()):
        session.register_function(f"mean{place}", nu.udaf(mean(), result_type="double"))
        for key, (bar, _) in _SPELLING_BARS.items():
            for kind, columns in COLUMNS.items():
                add(f"Weighted mean, {name}, {kind}", key, f"mean{place}({columns})", kind, bar)
    for place, (name, (other, result)) in enumerate(OTHERS.items()):
        session.register_function(f"other{place}", nu.udaf(other(), result_type=result))
        for key, (_, bar) in _SPELLING_BARS.items():
            add(name.capitalize(), key, f"other{place}(n)", name, bar)
    with Rival("spellings") as rival:
        for each in dict.fromkeys(rival_case for _, _, rival_case, _ in figures):
            cases[each] = rival.case(each)
        t = in_turn(cases, REPEATS)
    return [
        ratio(title, t[case], t[rival_case], at_least=bar)
        for title, case, rival_case, bar in figures
    ]


def run_windows() -> list[Figure]:
    """Frames that move over rows."""
    session = nu.session(workers=PARTITIONS)
    window_table(session.spark).createOrReplaceTempView("ordered")
    session.register_function("wmean", WeightedMean())
    cases: dict[str, Callable[[], object]] = {}
    for size in FRAMES:
        cases[f"ours {size}"] = _query(
            session.sql(
                "SELECT p, o, wmean(v, w) OVER (PARTITION BY p ORDER BY o "
                f"ROWS BETWEEN {size - 1} PRECEDING AND CURRENT ROW) FROM ordered"
            )
        )
    with Rival("windows") as rival:
        for size in FRAMES:
            for kind in ("arrow", "pandas"):
                cases[f"{kind} {size}"] = rival.case(f"{kind} {size}")
        t = in_turn(cases, REPEATS)
    # Alone and often, and last: what differs here is less than what a first few runs do.
    ours = {name: case for name, case in cases.items() if name.startswith("ours")}
    warmed = in_turn(ours, 4 * REPEATS)
    figures = []
    for size in FRAMES:
        arrow, pandas = _WINDOW_BARS[size]
        name = f"OVER a frame of {size:,} rows, 200,000 rows, against Spark's"
        mine = t[f"ours {size}"]
        figures += [
            ratio(f"{name} Arrow window", mine, t[f"arrow {size}"], at_least=arrow),
            ratio(f"{name} pandas window", mine, t[f"pandas {size}"], at_least=pandas),
        ]
    short, long = (warmed[f"ours {size}"] for size in FRAMES)
    figures.append(
        _apart("OVER, a frame of 10,000 rows against one of 1,000", long.median / short.median, 15)
    )
    return figures


def run_scaling() -> list[Figure]:
    """As many groups as rows, in bounded memory; and the cost of a row as rows get more.

    A row at a time, because where Spark adds up no worker holds a group.
    """
    session = nu.session(workers=PARTITIONS)
    frame = groups_table(session.spark)
    wmean = session.register_function("wmean", nu.udaf(WeightedMean(), compile=False))
    single = frame.transform(nu.aggregate(by="single", mean=wmean("v", "w")))
    t = in_turn({"single": _query(single)}, REPEATS)["single"]
    peak = max(_peak_bytes(worker.pid) for worker in session.pool)
    frame.unpersist()
    figures = [
        Figure(
            "2,000,000 groups: the largest worker",
            peak / (1 << 20),
            "MB",
            "stated",
            True,
            f"{t.median:.3f} s, median of {len(t.seconds)}",
        )
    ]
    costs = {}
    for rows in (1_000_000, 16_000_000):
        frame = groups_table(session.spark, rows)
        query = frame.transform(nu.aggregate(by="few", mean=wmean("v", "w")))
        median = statistics.median(in_turn({"q": _query(query)}, REPEATS)["q"].seconds)
        costs[rows] = median / rows
        frame.unpersist()
    small, large = costs.values()
    figures.append(_apart("Cost of a row among 16 M against one among 1 M", large / small, 15))
    return figures


def _query(frame: object) -> Callable[[], object]:
    return lambda: consume(frame)


def _mixed(groups: int, mixed: Timing, ours: Timing, built_in: Timing) -> Figure:
    value = mixed.median / (ours.median + built_in.median)
    return Figure(
        f"Beside sum and count in one query, {groups:,} groups, against the two added up",
        value,
        "×",
        "≤ 1.3×",
        value <= 1.3,
        f"{mixed.median:.3f} s against {ours.median:.3f} s + {built_in.median:.3f} s",
    )


def _apart(name: str, ratio: float, percent: float) -> Figure:
    value = 100 * (ratio - 1)
    return Figure(name, value, "%", f"≤ {percent:g} %", value <= percent, f"{ratio:.2f} times")


def _peak_bytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) << 10
