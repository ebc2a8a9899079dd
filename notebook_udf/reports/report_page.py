"""The page of a report: one HTML file that fetches nothing, below five megabytes.

It stands alone for years, so that nothing in it needs a kernel. Its only script is the search in
the log; without scripts all of it can be read.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from notebook_udf.functions.metrics import describe
from notebook_udf.plan.html_renderer import plan_html
from notebook_udf.pool.worker_table import HEADERS, worker_rows
from notebook_udf.render.format import counted, megabytes, nanoseconds, seconds, versioned
from notebook_udf.render.markup import (
    Child,
    Element,
    Tag,
    a,
    details,
    div,
    h1,
    h3,
    li,
    main,
    nav,
    ol,
    p,
    page,
    pre,
    script,
    strong,
    summary,
    ul,
)
from notebook_udf.reports.checks import BrokenCheck, Check
from notebook_udf.reports.page_parts import (
    SEARCH,
    STYLE,
    box,
    fitting,
    part,
    policy,
    remark,
    wide_table,
)
from notebook_udf.reports.sightings import SeenFunction, SeenQuery, Sighting
from notebook_udf.reports.worker_chart import worker_chart
from notebook_udf.sanitize import one_line, plain
from notebook_udf.telemetry.store.function_sums import FunctionTotals
from notebook_udf.telemetry.store.run_store import EARLIER
from notebook_udf.telemetry.timeseries.latencies import Percentiles
from notebook_udf.telemetry.user_views import line_text
from notebook_udf.widgets.failed_calls import FailureData

_MEGABYTE = 1_000_000
# Together below five megabytes, with what is around them.
_MOST = {"queries": 1.6, "failed": 0.5, "functions": 0.6, "workers": 0.3, "log": 1.4}
_NAME = 120
_ERROR = 2_000
_LINE = 1_000
_SOURCE = 20_000
_MOST_FAILED = 100
_MOST_ROWS = 400
_MOST_WORKERS = 200
_TOTALS = (
    "function", "query", "rows", "bundles", "rows/s", "waiting", "decode", "user code", "encode",
    "p50", "p95", "p99", "max", "errors",
)  # fmt: skip
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")

form, label, select, option = Tag("form"), Tag("label"), Tag("select"), Tag("option")
header, footer = Tag("header"), Tag("footer")


@dataclass(frozen=True)
class JobStory:
    """What is told of a job beside what its sessions saw; its texts hold no secrets.

    Attributes
    ----------
    title, command
        The job's name, and how it was started; "" for a block of code.
    began, ended
        In seconds since the epoch; ``ended`` is None while it runs.
    state
        How it ended, in a sentence.
    is_fine
        Whether it ended well.
    account
        The traceback of the exception that ended it; "" without one.
    checks, broken
        The checks that were asked for, and those that functions have failed.
    remarks
        What could not be seen, and why.
    """

    title: str
    command: str
    began: float
    ended: float | None
    state: str
    is_fine: bool
    account: str = ""
    checks: tuple[Check, ...] = ()
    broken: tuple[BrokenCheck, ...] = ()
    remarks: tuple[str, ...] = ()


def report_page(job: JobStory, sightings: Sequence[Sighting]) -> str:
    """The page of a job, and of what the sessions in it saw, which holds no secrets any more."""
    parts = [
        ("checks", "Checks", _checks(job)),
        ("failed", "Failed calls", _failed(sightings)),
        ("queries", "Queries", _queries(sightings)),
        ("functions", "Functions", _functions(sightings)),
        ("workers", "Workers", _workers(sightings)),
        ("logs", "Logs", _logs(sightings)),
    ]
    # Of a job that runs nothing is told yet.
    told = parts if job.ended is not None else []
    shown = [(name, title, inside) for name, title, inside in told if inside is not None]
    links = ul(li(a(title, href=f"#{name}")) for name, title, _ in shown)
    return page(
        f"{job.title}: {job.state}",
        a("Skip to the report", href="#report", class_="nu-skip"),
        header(h1(job.title), _state(job), nav(links, aria_label="Parts of the report")),
        main(
            _summary(job, sightings),
            (part(name, title, inside) for name, title, inside in shown),
            id="report",
            tabindex=-1,
        ),
        footer(remark("Written by notebook-udf. Nothing is fetched to show this page.")),
        script(SEARCH),
        style=STYLE,
        policy=policy(),
    )


def _state(job: JobStory) -> Element:
    mood = "nu-fine" if job.is_fine and not job.broken else "nu-failed"
    said: list[Child] = [plain(job.state, _ERROR)]
    if job.broken:
        said.append(div(f"{counted(len(job.broken), 'check')} failed."))
    return div(said, class_=f"nu-state {mood}", role="status")


def _summary(job: JobStory, sightings: Sequence[Sighting]) -> list[Child]:
    rows = [("began", _moment(job.began))]
    if job.command:
        rows.append(("command", one_line(job.command, _ERROR)))
    for each in sightings:
        rows.append(("Spark", f"{each.spark}, {each.master}, {each.app}"))
    if job.ended is None:
        return [wide_table("The job", ("what", "value"), rows)]
    queries = sum(len(each.queries) + each.more_queries for each in sightings)
    calls = sum(total.rows_in for each in sightings for total in each.totals)
    rows.append(("took", seconds(job.ended - job.began)))
    rows.append(("queries", f"{queries:,}"))
    rows.append(("rows that functions took", f"{calls:,}"))
    rows.append(("failed calls", f"{sum(len(each.failures) for each in sightings):,}"))
    notes = [*job.remarks, *(note for each in sightings for note in each.notes)]
    return [
        wide_table("The job", ("what", "value"), [(n, one_line(v, _ERROR)) for n, v in rows]),
        details(summary("Traceback"), box("Traceback", pre(plain(job.account, 20_000))), open="")
        if job.account
        else None,
        details(
            summary(f"{counted(len(notes), 'note')} on what could be seen"),
            ul(li(plain(note, _ERROR)) for note in notes),
        )
        if notes
        else None,
    ]


def _checks(job: JobStory) -> Child:
    if not job.checks:
        return None
    broken = [
        (each.check.text, each.function, f"{each.shown_value} {each.where}".rstrip(), "failed")
        for each in job.broken
    ]
    failed = {each.check.text for each in job.broken}
    held = [(each.text, "all", "", "held") for each in job.checks if each.text not in failed]
    rows = [tuple(one_line(cell, _NAME) for cell in row) for row in (*broken, *held)]
    return wide_table(
        "Checks, each of what is wrong", ("check", "function", "value", "result"), rows
    )


# Failed calls ------------------------------------------------------------------------------------


def _failed(sightings: Sequence[Sighting]) -> Child:
    calls = [call for each in sightings for call in each.failures]
    if not calls:
        return None
    counts: dict[tuple[str, str], int] = {}
    for call in calls:
        key = (call.data["function"], call.exception)
        counts[key] = counts.get(key, 0) + 1
    rows = [
        (one_line(function, _NAME), one_line(error, _NAME), f"{count:,}")
        for (function, error), count in sorted(counts.items(), key=lambda item: -item[1])
    ]
    shown, more = fitting((_call(call.data) for call in calls[:_MOST_FAILED]), _most("failed"))
    left = len(calls) - len(shown)
    return [
        wide_table("By function and error", ("function", "error", "calls"), rows[:_MOST_ROWS]),
        shown,
        remark(f"{counted(left, 'more failed call')} not shown.") if more or left else None,
    ]


def _call(call: FailureData) -> Element:
    code = "\n".join(
        f"{'-->' if here else '   '} {number:4d}  {text}".rstrip()
        for number, text, here in call["code"]
    )
    values = [(name, value) for name, value in call["arguments"]]
    outcomes = {"null": "its result was NULL", "quarantine": "its row was quarantined"}
    place = f"query {call['query']}, {call['position']}; {_moment(call['time'])}"
    said = outcomes.get(call["outcome"])
    frames = "\n".join(call["frames"])
    return div(
        h3(call["headline"]),
        p(place, f"; {said}" if said else ""),
        wide_table("Values", ("argument", "value"), values) if values else None,
        box("Code", pre(code)) if code else None,
        details(summary("Traceback"), box("Traceback of the call", pre(frames)))
        if frames
        else None,
    )


# Queries -----------------------------------------------------------------------------------------


def _queries(sightings: Sequence[Sighting]) -> Child:
    told: list[Child] = []
    if not sightings:
        told.append(remark("The job created no SparkSession."))
    for each in sightings:
        if not each.lists_queries:
            told.append(
                remark("Spark Connect does not list queries: functions have theirs by its id.")
            )
    queries = [(each, query) for each in sightings for query in each.queries]
    if queries:
        rows = [
            (
                str(query.number),
                one_line(query.text, _NAME),
                _ending(query),
                seconds(query.seconds) if query.ended is not None else "–",
                ", ".join(one_line(name, _NAME) for name in query.functions[:10]) or "–",
            )
            for _, query in queries[-_MOST_ROWS:]
        ]
        head = ("query", "what", "state", "took", "functions")
        told.append(wide_table("Queries, the last at the end", head, rows))
        # Failed ones are of more worth than the first, where not all fit.
        worth = sorted(queries, key=lambda pair: (not pair[1].error, pair[1].plan is None))
        shown, _ = fitting((_query(*pair) for pair in worth), _most("queries"))
        told.append(shown)
        left = len(queries) - len(shown) + sum(each.more_queries for each in sightings)
        if left:
            told.append(remark(f"{counted(left, 'more query')} not shown in detail."))
    elif any(each.lists_queries for each in sightings):
        told.append(remark("Spark ran no query."))
    return told


def _ending(query: SeenQuery) -> str:
    return "failed" if query.error else "running" if query.ended is None else "done"


def _query(sighting: Sighting, query: SeenQuery) -> Element:
    totals = [total for total in sighting.totals if total.query == str(query.number)]
    ranks = _ranks(sighting.percentiles)
    took = f", {seconds(query.seconds)}" if query.ended is not None else ""
    head = f"Query {query.number}: {one_line(query.text, _NAME)} ({_ending(query)}{took})"
    costs = [_total(total, ranks) for total in totals[:_MOST_ROWS]]
    error = plain(query.error, _ERROR)
    return details(
        summary(strong(head)),
        box(f"Error of query {query.number}", pre(error, class_="nu-failed")) if error else None,
        wide_table(f"Costs of functions in query {query.number}", _TOTALS, costs)
        if costs
        else None,
        div(
            plan_html(query.plan),
            class_="nu-scroll",
            role="group",
            aria_label=f"Plan of query {query.number}",
            tabindex=0,
        )
        if query.plan is not None
        else remark("Its plan was not read."),
        open="" if query.error else None,
    )


# Functions ---------------------------------------------------------------------------------------


def _functions(sightings: Sequence[Sighting]) -> Child:
    told: list[Child] = []
    totals = [(each, total) for each in sightings for total in each.totals]
    if totals:
        rows = [_total(total, _ranks(each.percentiles)) for each, total in totals[-_MOST_ROWS:]]
        told.append(wide_table("Costs by function and query", _TOTALS, rows))
        if len(totals) > _MOST_ROWS:
            told.append(remark(f"The first {len(totals) - _MOST_ROWS:,} are not shown."))
    own = [metric for each in sightings for metric in each.metrics][-_MOST_ROWS:]
    if own:
        cells = [
            tuple(
                one_line(text, _NAME)
                for text in (m.function, m.query, m.name, describe(m.kind, m.value))
            )
            for m in own
        ]
        told.append(wide_table("Their metrics", ("function", "query", "metric", "value"), cells))
    functions = [function for each in sightings for function in each.functions]
    shown, more = fitting(map(_function, functions), _most("functions"))
    told.append(shown)
    if more:
        left = counted(len(functions) - len(shown), "more function")
        told.append(remark(f"The source of {left} is not shown."))
    if not told or not (totals or functions):
        return remark(
            "No function was registered, and none was called that is watched: see the plans of "
            "the queries for others."
        )
    return told


def _function(function: SeenFunction) -> Element:
    version = f", version {function.version}" if function.version else ""
    source = plain(function.source, _SOURCE)
    return details(
        summary(strong(one_line(function.name, _NAME)), f" ({function.kind}{version})"),
        p(one_line(function.signature, _ERROR)),
        box(f"Source of {function.name}", pre(source))
        if source
        else remark("Its source is not known."),
    )


_Ranks = dict[tuple[str, str, int], Percentiles]


def _ranks(percentiles: Iterable[Percentiles]) -> _Ranks:
    return {(each.query, each.function, each.version): each for each in percentiles}


def _total(t: FunctionTotals, ranks: _Ranks) -> tuple[str, ...]:
    rank = ranks.get((t.query, t.function, t.version))
    of = None if rank is None else (rank.p50_ns, rank.p95_ns, rank.p99_ns, rank.max_ns)
    return (
        versioned(one_line(t.function, _NAME), t.version),
        "earlier ones" if t.query == EARLIER else one_line(t.query, _NAME) or "–",
        f"{t.rows_in:,}",
        f"{t.bundles:,}",
        f"{t.rows_per_second:,.0f}",
        *map(nanoseconds, (t.wait_ns, t.decode_ns, t.user_ns, t.encode_ns)),
        *(("–",) * 4 if of is None else map(nanoseconds, of)),
        f"{t.errors:,}",
    )


# Workers -----------------------------------------------------------------------------------------


def _workers(sightings: Sequence[Sighting]) -> Child:
    told: list[Child] = []
    for each in sightings:
        if not each.workers:
            continue
        chart = worker_chart(each.timelines)
        last = each.workers[-_MOST_WORKERS:]
        rows = [
            (*row[:6], megabytes(worker.view.peak_memory), *row[6:], worker.ended or "lives")
            for worker, row in zip(last, worker_rows(w.view for w in last), strict=True)
        ]
        head = (*HEADERS[:6], "peak", *HEADERS[6:], "how it ended")
        told += [chart, wide_table("Each worker", head, rows)]
        if len(each.workers) > len(last):
            told.append(remark(f"The first {len(each.workers) - len(last):,} are not shown."))
    return told or remark("No worker was seen.")


# Logs --------------------------------------------------------------------------------------------


def _logs(sightings: Sequence[Sighting]) -> Child:
    lines = [line for each in sightings for line in each.lines]
    count = sum(each.line_count for each in sightings)
    missing = sum(each.missing_lines for each in sightings)
    if not lines:
        return remark("Functions wrote nothing.")
    # The end of a log is looked at first, so that its beginning is what is left out.
    shown, _ = fitting(
        (li(plain(line_text(line), _LINE), data_level=line.level) for line in reversed(lines)),
        _most("log"),
    )
    left = count - len(shown)
    return [
        _search(),
        remark(
            f"{counted(len(shown), 'line')}"
            + (f", the last of {count:,}" if left > 0 else "")
            + (f"; {missing:,} more were not sent by workers" if missing else "")
            + "."
        ),
        div(
            ol(reversed(shown)),
            class_="nu-box nu-log",
            id="log",
            role="group",
            aria_label="Log lines",
            tabindex=0,
        ),
    ]


def _search() -> Element:
    return form(
        label("Search ", Element("input", None, {"id": "search-text", "type": "search"})),
        label(
            "Level ",
            select(
                option("all", value=""), (option(level) for level in _LEVELS), id="search-level"
            ),
        ),
        div(id="search-said", role="status"),
        remark("/ goes to the search, Enter to the lines, Escape empties it."),
        id="search",
        class_="nu-search",
        role="search",
        aria_label="Log lines",
        hidden="",
    )


def _most(of: str) -> int:
    return int(_MOST[of] * _MEGABYTE)


def _moment(when: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S %z", time.localtime(when))
