"""``session.bench``: ways to run a function, measured in turn on a sample of a user's rows.

Variants are derived from the function: with another option, or inside a batch function that calls
it per element. Comparing and advising is up to ``bench``.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame

from notebook_udf.bench.bench_result import Bench, Way
from notebook_udf.bench.interleave import in_turn, next_sample
from notebook_udf.bench.result_diff import Difference, difference
from notebook_udf.errors import DeclarationError, NotebookUdfError, PlanningError
from notebook_udf.functions.capture import freeze
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.kind_traits import Gives, Takes
from notebook_udf.kernel.kinds import KINDS, kind_of
from notebook_udf.kernel.preview import columns_of
from notebook_udf.kernel.sources import Arguments, arguments_for
from notebook_udf.registry import RegisteredFunction, fingerprint
from notebook_udf.render.format import counted
from notebook_udf.sanitize import first_line

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

REPEATS = 5
# How long the slowest way should take, and the sample sizes that are tried to get there.
_SECONDS = 1.0
_FIRST_ROWS = 2_000
_MOST_ROWS = 2_000_000
_READING = "reading"
_VALUE = 200

Told = Callable[[str], object]


def bench(
    session: Session,
    name: str,
    query: DataFrame | str,
    *,
    against: Sequence[str],
    repeats: int,
    rows: int | None,
    progress: Told,
) -> Bench:
    """Measures the ways of a registered function; see ``Session.bench``."""
    if repeats < 1:
        raise DeclarationError(f"repeats={repeats} is no number of runs; {REPEATS} are a good one")
    if rows is not None and rows < 1:
        raise DeclarationError(f"rows={rows} is no number of rows")
    record = _measurable(session, name)
    arguments = arguments_for(session, record, query)
    if arguments.rows.isStreaming:
        raise PlanningError("a stream has no end to measure: take the bench of a table of its rows")
    others = [_measurable(session, other) for other in against]
    for other in others:
        _check_takes(other, record, len(arguments.names))
    types = arguments.rows.select(*columns_of(arguments.names)).schema
    ways, notes = _ways(session, record, [field.dataType for field in types.fields])
    ways += [_Form(Way(other.name, "other"), other) for other in others]
    with contextlib.closing(_Bench(session, record, ways, arguments, progress)) as run:
        run.sample(rows)
        return run.measure(repeats, [*arguments.notes, *notes])


def _measurable(session: Session, name: str) -> RegisteredFunction:
    if name not in session.functions:
        raise DeclarationError(session.functions.unknown(name))
    record = session.functions[name]
    if not KINDS[record.kind].is_measurable:
        kinds = ", ".join(name for name, kind in KINDS.items() if kind.is_measurable)
        raise DeclarationError(
            f"{record.name} is a {record.kind} function: bench measures {kinds} ones"
        )
    return record


def _check_takes(other: RegisteredFunction, record: RegisteredFunction, count: int) -> None:
    parameters = other.definition.parameters
    if _shape(other) != _shape(record):
        raise DeclarationError(
            f"{other.name} is a {other.kind} function and {record.name} a {record.kind} one"
        )
    if len(parameters) != count and not any(p.startswith("*") for p in parameters):
        raise PlanningError(
            f"{other.name} takes {', '.join(parameters) or 'nothing'}, and is to be called with "
            f"the {counted(count, 'argument')} of {record.name}"
        )


def _shape(record: RegisteredFunction) -> tuple[Takes, Gives]:
    return record.definition.traits.takes, record.definition.traits.gives


@dataclass
class _Form:
    """A way to run the function, and the record to run."""

    way: Way
    record: RegisteredFunction


def _ways(
    session: Session, record: RegisteredFunction, inputs: Sequence[Any]
) -> tuple[list[_Form], list[str]]:
    """The function as it is and the variants derived from it, with notes on them."""
    definition = record.definition
    notes: list[str] = []
    if definition.options.on_error == "quarantine":
        notes.append("rows that raise are not quarantined here: they give NULL")
        options = replace(definition.options, on_error="null")
        definition = replace(definition, options=options)
        record = _derived(record, "as it is", definition)
    variants = kind_of(session, record).variants(inputs)
    others = [
        _Form(Way(words, kind), _derived(record, kind, changed))
        for kind, words, changed in variants.others
    ]
    own = _Form(Way(f"as it is ({variants.own})", "own"), record)
    return [own, *others], [*notes, *variants.notes]


def _derived(
    record: RegisteredFunction, what: str, definition: FunctionDefinition
) -> RegisteredFunction:
    same = definition.function is record.definition.function
    payload = record.payload if same else freeze(definition)
    return replace(
        record,
        name=f"{record.name} ({what})",
        version=0,
        definition=definition,
        payload=payload,
        hash=fingerprint(payload, definition),
    )


class _Bench:
    """One comparison, from its sample to its result."""

    def __init__(
        self,
        session: Session,
        record: RegisteredFunction,
        forms: list[_Form],
        arguments: Arguments,
        progress: Told,
    ) -> None:
        self._session = session
        self._record = record
        self._forms = forms
        self._arguments = arguments
        self._told = progress
        self._rows: DataFrame | None = None
        self._count = 0
        self._notes: list[str] = []

    # The sample ------------------------------------------------------------------------------

    def sample(self, rows: int | None) -> None:
        """Persists a sample: that many rows, or as many as take the slowest way about a second."""
        wanted = _FIRST_ROWS if rows is None else rows
        self._take(wanted)
        # The first run of a plan includes its compilation, which does not grow with the rows.
        self._try()
        if rows is not None:
            return
        while True:
            more = next_sample(wanted, self._try(), target=_SECONDS, most=_MOST_ROWS)
            if more == wanted or self._count < wanted:
                break
            wanted = more
            self._take(wanted)
        if self._count == wanted:
            self._notes.append(
                f"a sample: the first {counted(wanted, 'row')}, for a run of about a second "
                f"(rows= or --rows takes others)"
            )

    def _take(self, most: int) -> None:
        self._told(f"taking {counted(most, 'row')}")
        self.close()
        width = max(1, self._session.pool.size)
        # LIMIT leaves one partition, and the workers are to share the rows.
        rows = self._arguments.rows.limit(most).repartition(width).persist()
        self._rows = rows
        self._count = rows.count()
        if not self._count:
            raise PlanningError(f"{self._record.name} has nothing to run on: there are no rows")

    def _try(self) -> float:
        """Runs each way once; returns the seconds of the slowest one that does not fail."""
        slowest = 0.0
        for form in [form for form in self._forms if not form.way.error]:
            self._told(f"{form.way.name}, on {counted(self._count, 'row')}")
            start = time.perf_counter()
            try:
                self._run(form)
            except NotebookUdfError as error:
                if form.way.kind == "own":
                    raise
                form.way = replace(form.way, error=first_line(error))
                continue
            slowest = max(slowest, time.perf_counter() - start)
        return slowest

    def close(self) -> None:
        """Unpersists the sample."""
        rows, self._rows = self._rows, None
        if rows is not None:
            # After an interrupt the JVM may be gone, or busy with its end.
            with contextlib.suppress(Exception):
                rows.unpersist()

    # Runs ------------------------------------------------------------------------------------

    def measure(self, repeats: int, notes: Sequence[str]) -> Bench:
        """Measures the ways in turn, then compares their results."""
        assert self._rows is not None
        # By position, because a function may be compared with itself.
        cases = {str(at): form for at, form in enumerate(self._forms) if not form.way.error}
        runs: dict[str, Callable[[], object]] = {
            case: partial(self._run, form) for case, form in cases.items()
        }
        runs[_READING] = partial(_compute, self._rows)

        def before(case: str, turn: int) -> None:
            what = "the rows alone" if case == _READING else cases[case].way.name
            self._told(f"run {turn} of {repeats}: {what}")

        seconds = in_turn(runs, repeats, warm=False, before=before)
        for case, form in cases.items():
            form.way = replace(form.way, runs=seconds[case])
        compared = all(form.record.definition.deterministic for form in self._forms)
        noted = [*notes, *self._notes]
        if compared:
            self._compare(list(cases.values()))
        else:
            noted.append("a function here is not deterministic: results were not compared")
        return Bench(
            self._record.name,
            self._count,
            tuple(form.way for form in self._forms),
            median(seconds[_READING]),
            compared,
            tuple(noted),
        )

    def _run(self, form: _Form) -> None:
        _compute(self._applied(form))

    def _compare(self, forms: Sequence[_Form]) -> None:
        self._told("comparing results")
        own = self._in_order(forms[0]).toArrow()
        for form in forms[1:]:
            found = difference(own, self._in_order(form).toArrow())
            if found is not None:
                form.way = replace(form.way, different=found, row=self._row(found))

    def _row(self, found: Difference) -> tuple[tuple[str, str], ...]:
        """The input of the first row that differs, where a row has one result."""
        if _shape(self._record) != ("row", "value") or self._rows is None:
            return ()
        rows: pa.Table = self._rows.toArrow().slice(found.first - 1, 1)
        values = (repr(column[0].as_py())[:_VALUE] for column in rows.columns)
        return tuple(zip(rows.column_names, values, strict=True))

    def _in_order(self, form: _Form) -> DataFrame:
        """The function's results, those of groups sorted by key so that ways can be compared."""
        rows, keys = self._applied(form), columns_of(self._arguments.keys)
        return rows.orderBy(*keys) if keys else rows

    def _applied(self, form: _Form) -> DataFrame:
        """The function's results on the sample."""
        assert self._rows is not None
        rows, record = self._rows, form.record
        arguments, keys = columns_of(self._arguments.names), columns_of(self._arguments.keys)
        return kind_of(self._session, record).results(rows, arguments, keys)


def _compute(rows: DataFrame) -> None:
    """Computes every row and keeps none."""
    rows.write.format("noop").mode("overwrite").save()
