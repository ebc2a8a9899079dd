"""Texts: words of a sentence, names, and parts of a text."""

from __future__ import annotations

import re
import string

from benchmarks.mix.case import Case
from benchmarks.mix.columns import (
    FIRST_NAMES,
    LAST_NAMES,
    digits,
    joined,
    one_of,
    person,
    sentence,
    sometimes_null,
    whole,
)

STOP_WORDS = {"a", "and", "because", "i", "is", "it", "like", "that", "the", "this", "was", "we"}
POSITIVE_WORDS = ["good", "great", "love", "awesome", "like", "best"]
COMMON_WORDS = ["the", "is", "like", "and"]


def initials(name: str | None) -> str | None:
    if name is None:
        return None
    return "".join(word[0].upper() for word in name.split())


def word_count(text: str | None) -> int:
    if text is None:
        return 0
    return len(text.split(" "))


def mask_mobile(mobile: str | None) -> str | None:
    if mobile is None or len(mobile) < 6:
        return mobile
    hidden = "*" * (len(mobile) - 5)
    return f"{mobile[:2]}{hidden}{mobile[-3:]}"


def clean_text(text: str | None) -> str:
    if text is None:
        return ""
    text = text.strip()
    text = re.sub(r"[\n\t]+", "", text)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r",\s*,", ",,", text)
    text = text.replace('"', "").replace("'", "")
    return text


def remove_stop_words(text: str) -> str:
    letters = "".join([c for c in text if c not in string.punctuation])
    lowered = letters.lower()
    words = [word for word in lowered.split() if word not in STOP_WORDS]
    return " ".join(words)


def count_hashtags(text: str | None) -> int:
    if text:
        return len(re.findall(r"#\w+", text))
    return 0


def positive_words(text: str | None) -> list[str]:
    if text is None:
        return []
    words = re.split(r"\W+", text)
    found = []
    for word in words:
        word = word.strip().lower()
        if word in POSITIVE_WORDS and word not in COMMON_WORDS:
            found.append(word)
    return found


def snake_case(name: str | None) -> str | None:
    if name is None:
        return None
    return name.strip().lower().replace(" ", "_")


def split_values(values: str, delimiter: str) -> list[str]:
    parts = values.split(delimiter)
    return [part for part in parts if part != ""]


def underscore_prefix(name: str) -> str:
    if "://" in name:
        name = name.split("/")[-1]
    return "_".join(name.split("_")[:-1])


def yes_or_no(answer: str | None) -> bool | None:
    if answer is None:
        return None
    word = answer.strip().lower()
    if word in ("yes", "y", "true"):
        return True
    if word in ("no", "n", "false"):
        return False
    return None


def _distance(one: str, other: str) -> int:
    previous = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        current = [i]
        for j, right in enumerate(other, 1):
            cost = 0 if left == right else 1
            current.append(min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost))
        previous = current
    return previous[-1]


def name_similarity(one: str | None, other: str | None) -> float:
    if not one or not other:
        return 0.0
    distance = _distance(one.upper(), other.upper())
    return 1 - distance / max(len(one), len(other))


CASES = (
    Case(
        initials,
        "https://open-exam-prep.com/study-guides/databricks-engineer/"
        "development-and-ingestion/user-defined-functions",
        (sometimes_null(person(1)),),
        "string",
        ((("Ada Lovelace",), "AL"), ((None,), None)),
    ),
    Case(
        word_count,
        "PhilippeMitch/Prescriber-Analytics:src/main/python/bin/udfs.py",
        (sometimes_null(sentence(1)),),
        "bigint",
        ((("one two three",), 3), ((None,), 0)),
    ),
    Case(
        mask_mobile,
        "mohankrishna02/interview-scenerios-spark-sql:Scenerio12.py",
        (sometimes_null(joined("'9'", digits(1, 9))),),
        "string",
        ((("9856765434",), "98*****434"), (("123",), "123")),
    ),
    Case(
        clean_text,
        "HoloClean/HoloClean-Legacy-deprecated:holoclean/utils/wrangler/transform_functions.py",
        (sometimes_null(joined("'  '", person(1), "',  , \"'", sentence(5), "' \\n'")),),
        "string",
        (((' a  "b",\n',), "a b,"), ((None,), "")),
    ),
    Case(
        remove_stop_words,
        "ken2190/myutil:utilmy/sspark/src/zexample/Markdium-python.py",
        (sentence(1),),
        "string",
        ((("This is the Day, at last!",), "day at last"),),
    ),
    Case(
        count_hashtags,
        "turan1609/My_some_Spark_solutions:udtf.py",
        (sometimes_null(sentence(1)),),
        "bigint",
        ((("Learning #AI with #ML",), 2), ((None,), 0)),
    ),
    Case(
        positive_words,
        "tdfree84/data-science:twitter/ps.py",
        (sometimes_null(sentence(1)),),
        "array<string>",
        ((("I like it: good, GREAT!",), ["good", "great"]), ((None,), [])),
    ),
    Case(
        snake_case,
        "MrPowers/spark-test-example:"
        "src/main/scala/com/github/mrpowers/spark/test/example/Converter.scala",
        (sometimes_null(joined(person(1), one_of(3, " ", " Id", " Full Name"))),),
        "string",
        (((" Full Name",), "full_name"), ((None,), None)),
    ),
    Case(
        split_values,
        "tranhung0302/Spark-Practice-Exercises-With-Solutions:excercises/1/code.py",
        (
            joined(
                f"CAST({whole(1, 0, 99_999)} AS STRING)",
                one_of(2, "#0#0#", "@1000.0@", "$", "#text#@", "^x^y"),
            ),
            one_of(3, "#", "@", "$", "^"),
        ),
        "array<string>",
        ((("50000.0#0#0#", "#"), ["50000.0", "0", "0"]), (("1$", "$"), ["1"])),
    ),
    Case(
        underscore_prefix,
        "gabfr/truck-data-wrangler:common/udfs.py",
        (
            joined(
                one_of(1, "s3://bucket/raw/", "", "trips_"),
                one_of(2, "truck_", "load_", "driver_"),
                digits(3, 6),
                "'_'",
                digits(4, 2),
            ),
        ),
        "string",
        ((("s3://a/b/truck_1_2.csv",), "truck_1"), (("plain",), "")),
    ),
    Case(
        yes_or_no,
        "personalml/example:dextra/dna/commons/functions.py",
        (sometimes_null(one_of(1, "Yes", "no", " y", "N", "maybe")),),
        "boolean",
        (((" YES",), True), (("n",), False), (("?",), None)),
    ),
    Case(
        name_similarity,
        "BlackShadowA/VisualStudio:esempi/Levenshtein.py",
        (sometimes_null(one_of(1, *LAST_NAMES)), one_of(2, *LAST_NAMES, *FIRST_NAMES)),
        "double",
        ((("jon", "John"), 0.75), (("", "x"), 0.0)),
    ),
)
