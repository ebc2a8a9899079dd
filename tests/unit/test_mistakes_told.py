"""What is said of Spark's errors, without Spark: names, places, the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_udf.errors import Place, PlanningError
from notebook_udf.kernel.mistakes import Report, at_line, mistake_of, unquoted
from notebook_udf.source_excerpt import place_lines, place_of, place_text
from notebook_udf.suggestion import did_you_mean, nearest
from notebook_udf.widgets.card import card_html, card_text
from tests.unit.test_card import read


class Known:
    """The names that there are."""

    def functions(self) -> list[str]:
        return ["MyMedian", "_nu_whole_MyMedain_1", "median", "upper"]

    def kind(self, function: str) -> str:
        return "aggregate" if function == "MyMedian" else ""

    def tables(self, beside: str) -> list[str]:
        return [f"{beside.rpartition('.')[0]}.flights".lstrip("."), "airlines"]

    def schemas(self) -> list[str]:
        return ["default"]


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("MyMedain", ["MyMedian", "median"], "MyMedian"),
        ("mymedian", ["MyMedian"], "MyMedian"),
        ("flihgts", ["airlines", "flights"], "flights"),
        ("on_eror", ["memory", "on_error", "timeout"], "on_error"),
        ("buffercapacity", ["buffer_capacity", "timeout"], "buffer_capacity"),
        ("nope", ["carrier", "distance"], None),
        ("x", ["y"], None),
        ("", ["a"], None),
        ("a", [], None),
        ("ab", ["abc", "abd"], "abc"),
    ],
)
def test_the_nearest_name(name: str, known: list[str], found: str | None) -> None:
    assert nearest(name, known) == found
    assert did_you_mean(name, known) == ("" if found is None else f" (did you mean {found}?)")


@given(st.text(), st.lists(st.text(), max_size=6))
def test_a_known_name_is_its_own_nearest(name: str, known: list[str]) -> None:
    found = nearest(name, [*known, name])
    assert found is None or found.lower() == name.lower()


def test_hidden_names_are_nobodys_guess() -> None:
    said = Report("m", "UNRESOLVED_ROUTINE", "42883", {"routineName": "`MyMedain`"})
    assert mistake_of(said, Known()).meant == "did you mean MyMedian?"


@pytest.mark.parametrize(
    ("name", "typed"),
    [("`a`", "a"), ("`f`.`a`", "f.a"), ("`a b`", "`a b`"), ("`f`.`a``b`", "f.`a``b`"), ("a", "a")],
)
def test_names_as_one_types_them(name: str, typed: str) -> None:
    assert unquoted(name) == typed


def test_what_spark_says_is_cut_to_what_is_wrong_and_what_to_do() -> None:
    message = (
        "[SOME.THING] It is not so. Do it\nanother way. SQLSTATE: 42000; line 2 pos 3;\n"
        "'Project [x#1]\n+- Range (0, 3)"
    )
    told = mistake_of(Report(message, "SOME.THING", "42000"), Known())
    assert (told.headline, told.advice) == ("It is not so", "Do it another way")
    assert told.condition == "SOME.THING, SQLSTATE 42000"
    assert told.text == "It is not so\nDo it another way\nSOME.THING, SQLSTATE 42000"


@pytest.mark.parametrize(
    ("message", "headline"),
    [
        ("no condition at all", "no condition at all"),
        ("Can not load class b, please; line 1 pos 3", "Can not load class b, please"),
        ("[A] x\n== SQL (line 1, position 8) ==\nSELECT 1/0\n       ^^^", "x"),
        ("\n[A] Syntax error. SQLSTATE: 42601 (line 1, pos 0)\n\n== SQL ==\nx", "Syntax error"),
        ("", ""),
    ],
)
def test_messages_of_every_form(message: str, headline: str) -> None:
    assert mistake_of(Report(message), Known()).headline == headline


def placed(told: Place | None) -> str:
    assert told is not None
    return told.text[told.start : told.end]


def test_a_place_is_the_name_and_not_the_call_around_it() -> None:
    query = "SELECT uper(carrier) FROM t"
    said = Report("m", "UNRESOLVED_ROUTINE", "", {"routineName": "`uper`"}, Place(query, 7, 20))
    assert placed(mistake_of(said, Known()).place) == "uper"


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("SELECT idd FROM t", "idd"),
        ("SELECT `idd` FROM t", "`idd`"),
        ("SELECT f(idd), idd FROM t", "idd"),
        ("SELECT t . idd FROM t", "idd"),
        ("SELECT idd2 FROM t", None),
    ],
)
def test_where_a_query_was_rewritten_its_own_name_is_looked_for(
    query: str, marked: str | None
) -> None:
    said = Report(
        "m", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", "", {"objectName": "`idd`"}, near=query
    )
    place = mistake_of(said, Known()).place
    assert (placed(place) if place is not None else None) == marked
    assert place is None or "(idd" not in query or place.start == query.rindex("idd")


@pytest.mark.parametrize(
    ("parameters", "marked"),
    [
        ({"expression": '"(a + f(b))"', "type": '"INT"'}, "a  +  f( b )"),
        ({"expression": '"A"', "expressionAnyValue": '"any_value(a)"'}, "a"),
        ({"windowName": "w"}, "w"),
        ({"targetType": '"INT"'}, None),
        ({"count": "1"}, None),
        ({"referenceNames": "[`t`.`a`]"}, None),
    ],
)
def test_what_an_error_is_about_is_looked_for_where_spark_points_nowhere(
    parameters: dict[str, str], marked: str | None
) -> None:
    query = "SELECT f(a), a  +  f( b ), CAST(1 AS INT) OVER w FROM t"
    place = mistake_of(Report("m", "ANY", "", parameters, near=query), Known()).place
    assert (placed(place) if place is not None else None) == marked


def test_of_a_whole_query_what_the_error_is_about_is_marked_or_its_first_word() -> None:
    query = "SELECT a FROM t WHERE f(a) > 1"
    whole = Place(query, 0, len(query))
    about = Report("m", "ANY", "", {"condition": '"(f(a) > 1)"'}, whole)
    assert placed(mistake_of(about, Known()).place) == "f(a) > 1"
    assert placed(mistake_of(Report("m", "ANY", place=whole), Known()).place) == "SELECT"


@pytest.mark.parametrize(
    ("near", "said"), [("", "Spark alone does not"), ("q", "cannot be called")]
)
def test_a_function_that_there_is_was_not_misspelt(near: str, said: str) -> None:
    report = Report("m", "UNRESOLVED_ROUTINE", "", {"routineName": "`MyMedian`"}, near=near)
    told = mistake_of(report, Known())
    assert said in told.headline
    assert "aggregate function MyMedian" in told.headline
    assert not told.meant


@pytest.mark.parametrize(
    ("query", "column", "meant", "marked"),
    [
        ("SELEC 1", 0, "SELECT", "SELEC"),
        ("SELECT a FORM t", 14, "FROM", "FORM"),
        ("SELECT a FROM t GROPU BY a", 22, "GROUP", "GROPU"),
        ("SELECT left right", 12, "", "right"),
        ("SELECT a FROM flights b c", 24, "", "c"),
    ],
)
def test_a_misspelt_keyword(query: str, column: int, meant: str, marked: str) -> None:
    said = Report("m", "PARSE_SYNTAX_ERROR", place=at_line(query, 1, column))
    told = mistake_of(said, Known())
    assert told.meant == (f"did you mean {meant}?" if meant else "")
    assert placed(told.place) == marked


@given(st.text(alphabet="ab \n\t'`", max_size=400), st.data())
def test_every_place_can_be_shown(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    rows = place_lines(Place(text, start, end))
    assert 1 <= len(rows) <= 3
    (meant,) = [each for _, _, each in rows if each is not None]
    line = next(line for _, line, each in rows if each is not None)
    assert 0 <= meant[0] <= meant[1] <= len(line)
    assert len(place_text(Place(text, start, end)).split("\n")) <= 4
    shown = text[start:end].partition("\n")[0].replace("\t", " ").rstrip()
    assert line[meant[0] : meant[1]].rstrip("…").startswith(shown[:20])


def test_an_error_with_a_place_marks_it_in_both_forms() -> None:
    error = PlanningError("f takes 1 argument (a), and is given 2")
    error.place = Place("SELECT f(1, 2) < 3", 7, 8)
    assert card_text(error).endswith("-->    1 SELECT f(1, 2) < 3\n                ^")
    assert "-->    1 SELECT f(1, 2) < 3" in read(card_html(error))


def test_an_error_is_found_in_the_statement_that_led_to_it() -> None:
    def declared(**options: object) -> None:
        raise PlanningError("f: no option 'on_eror'; there are others")

    try:
        declared(
            name="f",
            on_eror="null",
        )
    except PlanningError as error:
        place = place_of(error)
    assert placed(place) == "on_eror"
