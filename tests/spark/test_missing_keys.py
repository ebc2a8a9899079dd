"""Results that are a TypedDict: keys that it may lack are NULL, all others have to be there."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, Required, TypedDict

import pytest
import typing_extensions as te
from pyspark.sql.types import LongType, StringType, StructField, StructType

import notebook_udf as nu
from notebook_udf import Collector, DataTypes, udaf, udf, udtaf, udtf


class Part(TypedDict, total=False):
    n: int
    word: str


class Told(TypedDict):
    n: int
    word: NotRequired[str]


class Longer(Part, total=False):
    key: Required[int]
    more: list[Part]


@dataclass
class Around:
    part: Part
    others: dict[str, Part]


class Loose(te.TypedDict, total=False):
    """Of the package that has what later versions of Python say of keys."""

    n: te.ReadOnly[Annotated[int, "INT"]]
    word: Annotated[te.Required[str], "STRING"]
    sure: Annotated[int, DataTypes.BIGINT(nullable=False)]
    one: te.ReadOnly[NotRequired[Part]]


Made = TypedDict("Made", {"a b": int, "class": NotRequired[str]})


class One(TypedDict, total=False):
    n: int


def made(*given: Any, annotation: Any = Part) -> Callable[..., Any]:
    """A function that answers the values in turn."""

    def f(i: int) -> Any:
        return given[i]

    f.__annotations__["return"] = annotation
    return f


def results(session: nu.Session, *given: Any, annotation: Any = Part) -> list[Any]:
    function = made(*given, annotation=annotation)
    session.register_function("parts", function)
    frame = session.sql(f"SELECT id, parts(id) AS r FROM range({len(given)}) ORDER BY id")
    found = [row.r.asDict(recursive=True) if row.r else row.r for row in frame.collect()]
    assert session.functions["parts"].eval(0) == given[0]
    return found


def test_missing_keys_of_a_result_are_null(session: nu.Session) -> None:
    assert results(session, {}, {"n": 1}, {"word": "a", "n": 2}, None, {"n": None}) == [
        {"n": None, "word": None},
        {"n": 1, "word": None},
        {"n": 2, "word": "a"},
        None,
        {"n": None, "word": None},
    ]


def test_a_key_alone_may_be_missing(session: nu.Session) -> None:
    assert results(session, {"n": 1}, {"n": 2, "word": "b"}, annotation=Told) == [
        {"n": 1, "word": None},
        {"n": 2, "word": "b"},
    ]
    assert results(session, {"key": 3}, {"key": 4, "more": [{}, {"n": 5}]}, annotation=Longer) == [
        {"n": None, "word": None, "key": 3, "more": None},
        {
            "n": None, "word": None, "key": 4,
            "more": [{"n": None, "word": None}, {"n": 5, "word": None}],
        },
    ]  # fmt: skip


def test_what_is_said_of_keys_in_other_words(session: nu.Session) -> None:
    none = {"n": None, "sure": None, "one": None}
    assert results(session, {"word": "a"}, {"word": "b", "one": {}}, annotation=Loose) == [
        {**none, "word": "a"},
        {**none, "word": "b", "one": {"n": None, "word": None}},
    ]
    assert results(session, {"a b": 1}, annotation=Made) == [{"a b": 1, "class": None}]
    assert results(session, {"n": 1}, annotation=Told | None) == [{"n": 1, "word": None}]


def test_keys_are_missing_inside_of_other_types(session: nu.Session) -> None:
    session.register_function("parts", made([{}, {"n": 1}], annotation=list[Part]))
    assert session.sql("SELECT parts(0)[1].n, parts(0)[0].word").first() == (1, None)
    session.register_function("parts", made({"a": {"n": 1}}, annotation=dict[str, Part]))
    assert session.sql("SELECT parts(0)['a'].n, parts(0)['a'].word").first() == (1, None)
    around = Around({"n": 1}, {"a": {}})
    session.register_function("parts", made(around, annotation=Around | None))
    assert session.sql("SELECT parts(0).part.n, parts(0).others['a'].n").first() == (1, None)
    # A dict whose class makes up what is missing has it not.
    session.register_function("parts", made(collections.defaultdict(int, n=1)))
    assert session.sql("SELECT parts(0).n, parts(0).word").first() == (1, None)


def test_spark_knows_nothing_of_it(session: nu.Session) -> None:
    record = session.register_function("parts", made({}))
    struct = StructType([StructField("n", LongType()), StructField("word", StringType())])
    assert record.definition.result_type == struct
    frames = [session.spark.range(1).select(record("id").alias("r")),
              session.sql("SELECT parts(id) AS r FROM range(1)")]  # fmt: skip
    for frame in frames:
        assert frame.schema == StructType([StructField("r", struct)])
    # Nor does a function that takes such a row have to be given another one.
    session.register_function("word_of", udf(lambda part: part["word"], Part, "string"))
    assert session.sql("SELECT word_of(parts(0)) AS w").first().w is None


class Last:
    def create_accumulator(self) -> Any:
        return [0]

    def accumulate(self, acc: Any, x: int) -> None:
        acc[0] = max(acc[0], x)

    def merge(self, acc: Any, others: Any) -> None:
        acc[0] = max([acc[0], *(other[0] for other in others)])

    def get_value(self, acc: Any) -> Part:
        return {"n": acc[0]}


class Each(Last):
    get_value = None  # type: ignore[assignment]

    def emit_value(self, acc: Any) -> Iterator[Part]:
        yield {"n": acc[0]}
        yield {}


class Collects:
    def process_record(self, record: int, output: Collector[Part], ctx: Any) -> None:
        output.collect({"n": record})


class Counts:
    def process_record(self, record: Part, output: Collector[Part], ctx: Any) -> None:
        output.collect({"word": str(record["n"])})


async def fetched(x: int) -> Part:
    return {"n": x}


def one_row(x: int) -> Part:
    return {"word": "a"}


def one_column(x: int) -> Iterator[One]:
    yield {"n": x}
    yield {}


def listed(x: int) -> Iterator[Part]:
    yield {"n": x}
    yield {"word": "b"}


def rows(frame: Any) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, frame.collect()), key=str)


def test_every_kind_of_function_may_leave_keys_out(session: nu.Session) -> None:
    session.register_function("py_last", udaf(Last))
    query = "SELECT r.n, r.word FROM (SELECT py_last(id) AS r FROM range(3))"
    assert rows(session.sql(query)) == [(2, None)]
    framed = "SELECT py_last(id) OVER (ORDER BY id ROWS 1 PRECEDING) AS r FROM range(2)"
    assert rows(session.sql(f"SELECT r.* FROM ({framed})")) == [(0, None), (1, None)]
    each = session.register_function("each_part", udtaf(Each))
    made_rows = session.spark.range(3).transform(nu.flat_aggregate(each("id")))
    assert rows(made_rows) == [(2, None), (None, None)]
    session.register_function("fetched", fetched)
    assert rows(session.sql("SELECT fetched(4).n, fetched(4).word")) == [(4, None)]
    session.register_function("listed", udtf(listed))
    lateral = "SELECT t.* FROM range(1), LATERAL listed(id) AS t"
    assert rows(session.sql(lateral)) == [(0, None), (None, "b")]
    assert rows(session.spark.sql(lateral)) == [(0, None), (None, "b")]
    for number, function in enumerate((one_row, one_column)):
        session.register_function(f"listed{number}", udtf(function))
    assert rows(session.sql("SELECT * FROM listed0(1)")) == [(None, "a")]
    assert rows(session.sql("SELECT * FROM listed1(1)")) == [(1,), (None,)]
    collected = session.spark.range(2).transform(nu.process(Collects))
    assert rows(collected) == [(0, None), (1, None)]
    assert rows(collected.transform(nu.process(Counts))) == [(None, "0"), (None, "1")]
    given = session.spark.range(1).transform(nu.process(Collects, output_type=Part))
    assert rows(given) == [(0, None)]


@pytest.mark.parametrize(
    ("annotation", "value", "said"),
    [
        (Told, {"word": "a"}, "the field 'n' is missing"),
        (Longer, {"n": 1}, "the field 'key' is missing"),
        (Part, {"n": 1, "words": "a"}, "there is no field 'words'; the fields are n, word"),
        (Part, {"n": "one"}, "takes whole numbers"),
        (Around, Around({}, {"a": {"m": 1}}), "there is no field 'm'"),
        (list[Told], [{"n": 1}, {}], "the field 'n' is missing"),
        (Loose, {"n": 1}, "the field 'word' is missing"),
    ],
)
def test_what_is_not_optional_has_to_be_there(
    session: nu.Session, annotation: Any, value: Any, said: str
) -> None:
    session.register_function("parts", made(value, annotation=annotation))
    with pytest.raises(nu.ResultError) as caught:
        session.sql("SELECT parts(0)").collect()
    assert said in str(caught.value)
    with pytest.raises(nu.ResultError) as caught:
        session.functions["parts"].eval(0)
    assert said in str(caught.value)


def test_a_class_and_a_decorator_may_say_it(session: nu.Session) -> None:
    session.register_function("parts", udf(lambda x: {"word": x}, result_type=Part))
    assert session.sql("SELECT parts('a').word, parts('a').n").first() == ("a", None)
    first = session.functions["parts"].hash
    # A type of the same columns that lacks nothing is another one.
    typed = udf(lambda x: {"word": x}, result_type="n bigint, word string")
    session.register_function("parts", typed)
    assert session.functions["parts"].hash != first
