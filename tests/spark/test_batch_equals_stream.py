"""What a stream ends with is what a batch answers of the rows that survive.

Each key is an example of its own, so that one query tries many of them; the keys that differ say
which. Functions are those of ``sample_aggregates``.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from sample_aggregates import (
    CountAggregateFunction,
    CountDistinctAggregateFunction,
    Longest,
    RetractingSum,
    Sum,
    Text,
)
from streaming import TIGHT, Stream, last, with_conf

import notebook_udf as nu
from notebook_udf import udaf

MICRO_BATCHES = 3
PUT_IN = st.sampled_from(["+I", "+U", "insert", "update_postimage"])
TAKEN_OUT = st.sampled_from(["-U", "-D", "update_preimage", "delete"])

Changes = list[list[tuple[int | None, str]]]

queries = settings(
    max_examples=1,
    deadline=None,
    database=None,
    # A key that differs is as small as it gets, and each try is a query.
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)


@st.composite
def changelogs(draw: st.DrawFn) -> tuple[Changes, list[int | None]]:
    """Micro-batches of changes of one key, and the values that survive them."""
    rows: Counter[int | None] = Counter()
    batches: Changes = []
    for _ in range(MICRO_BATCHES):
        batch = []
        for takes in draw(st.lists(st.booleans(), max_size=6)):
            present = list(rows.elements())
            if takes and present:
                value = draw(st.sampled_from(present))
                rows[value] -= 1
                batch.append((value, draw(TAKEN_OUT)))
            else:
                value = draw(st.none() | st.integers(-3, 3))
                rows[value] += 1
                batch.append((value, draw(PUT_IN)))
        batches.append(batch)
    return batches, list(rows.elements())


def grown(values: range, left: range) -> tuple[Changes, list[int | None]]:
    """Changes of a key whose views outgrow its accumulator; of some only a few are left."""
    gone = sorted(set(values) - set(left))
    put_in: Changes = [[(value, "+I") for value in values], [], []]
    put_in[1] = [(value, "-D") for value in gone[::2]]
    put_in[2] = [(value, "-D") for value in gone[1::2]]
    return put_in, list(left)


@pytest.fixture(scope="module")
def samples(session: nu.Session) -> nu.Session:
    for name, function in {
        "e_count": udaf(CountAggregateFunction()),
        "e_distinct": udaf(CountDistinctAggregateFunction()),
        "e_sum": udaf(Sum, result_type="bigint"),
        "e_change": udaf(RetractingSum, result_type="bigint"),
        "e_max": udaf(Longest, result_type="bigint"),
        "e_text": udaf(Text, result_type="bigint"),
    }.items():
        session.register_function(name, function)
    return session


def same(
    session: nu.Session,
    folders: pytest.TempPathFactory,
    keys: dict[str, tuple[Changes, list[int | None]]],
    calls: dict[str, Column],
    change_column: str | None,
    confs: dict[str, str],
) -> None:
    """Checks that a stream over the changes ends as a batch over what survives."""
    # The first that is tried is the simplest, without any change.
    assume(sum(len(batch) for changes, _ in keys.values() for batch in changes) > len(keys))
    spark = session.spark
    folder = folders.mktemp("stream")
    stream = Stream(spark, folder, "k string, v bigint, op string")
    for number in range(MICRO_BATCHES):
        # Rows of the keys come in turn, as they would.
        left = {key: list(changes[number]) for key, (changes, _) in keys.items()}
        batch = []
        while left := {key: rows for key, rows in left.items() if rows}:
            batch += [(key, *rows.pop(0)) for key, rows in left.items()]
        stream.put(batch)
    aggregated = nu.aggregate(by="k", change_column=change_column, **calls)
    with with_conf(spark, confs):
        found = last(stream.run(stream.rows.transform(aggregated)))
    alive = [(key, value) for key, (_, rows) in keys.items() for value in rows]
    rows: DataFrame = spark.createDataFrame(alive, "k string, v bigint")
    expected = last([list(map(tuple, rows.transform(nu.aggregate(by="k", **calls)).collect()))])
    assert {key: found.get(key) for key in expected} == expected
    emptied = {key: row for key, row in found.items() if key not in expected}
    assert all(not any(row) for row in emptied.values()), emptied
    if change_column is not None:
        # Of a group without rows nothing is remembered.
        remembered = session.state(stream.checkpoint).to_dict()["e_distinct"]
        assert {(key,) for key in remembered} == set(expected)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("confs", [{}, TIGHT], ids=["default", "tight"])
@queries
@given(st.lists(changelogs(), min_size=40, max_size=40))
def test_a_stream_of_changes_ends_with_what_survives(
    samples: nu.Session,
    tmp_path_factory: pytest.TempPathFactory,
    confs: dict[str, str],
    changes: list[tuple[Changes, list[int | None]]],
) -> None:
    f = samples.functions
    keys = {f"k{number}": each for number, each in enumerate(changes)}
    assume(any(batch for each, _ in changes for batch in each))
    keys["large"] = grown(range(600), range(560))
    keys["shrunk"] = grown(range(530), range(3))
    value = F.coalesce("v", F.lit(0))
    calls = {
        "n": f["e_count"]("v"),
        "different": f["e_distinct"]("v"),
        "total": f["e_change"](value),
        "greatest": f["e_max"](value),
        "once": f["e_change"](value).distinct(),
        "positive": f["e_count"]("v").filter(F.col("v") > 0),
    }
    same(samples, tmp_path_factory, keys, calls, "op", confs)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("confs", [{}, TIGHT], ids=["default", "tight"])
@pytest.mark.parametrize("merging", [True, False], ids=["merging", "not merging"])
@queries
@given(
    st.lists(
        st.lists(
            st.lists(st.tuples(st.none() | st.integers(-3, 3), st.just("+I")), max_size=5),
            min_size=MICRO_BATCHES,
            max_size=MICRO_BATCHES,
        ),
        min_size=30,
        max_size=30,
    )
)
def test_a_stream_of_rows_ends_as_they_do_in_a_table(
    samples: nu.Session,
    tmp_path_factory: pytest.TempPathFactory,
    merging: bool,
    confs: dict[str, str],
    changes: list[Changes],
) -> None:
    f = samples.functions
    keys: dict[str, tuple[Changes, list[int | None]]] = {
        f"k{number}": (each, [value for batch in each for value, _ in batch])
        for number, each in enumerate(changes)
    }
    value = F.coalesce("v", F.lit(0))
    calls = {
        "total": f["e_sum"](value),
        "some": f["e_sum"](value).filter(F.col("v") > 0),
        "length": f["e_text"]("v"),
    }
    if not merging:
        calls |= {"different": f["e_distinct"]("v"), "once": f["e_sum"](value).distinct()}
    same(samples, tmp_path_factory, keys, calls, None, confs)
