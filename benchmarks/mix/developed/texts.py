"""Texts: masking, names, codes and words."""

from __future__ import annotations

import string

from benchmarks.mix.case import Case
from benchmarks.mix.columns import (
    FIRST_NAMES,
    digits,
    joined,
    one_of,
    person,
    sentence,
    sometimes_null,
    whole,
)

STATES = {
    "CALIFORNIA": "CA",
    "FLORIDA": "FL",
    "ILLINOIS": "IL",
    "NEW YORK": "NY",
    "NORTH CAROLINA": "NC",
    "TEXAS": "TX",
    "WASHINGTON": "WA",
}
STATE_NAMES = {code: name.title() for name, code in STATES.items()}
POSITIVE = "{ABCDEFGHI"
NEGATIVE = "}JKLMNOPQR"


def mask_email(email: str | None) -> str | None:
    if email is None:
        return None
    try:
        at = email.index("@")
    except ValueError:
        return email
    if at < 3:
        return "*" * at + email[at:]
    stars = "*" * (at - 2)
    return email[0] + stars + email[at - 1 :]


def title_case(text: str | None) -> str | None:
    if text is None:
        return None
    words = []
    for word in text.split(" "):
        words.append(word[:1].upper() + word[1:])
    return " ".join(words)


def reversed_words(name: str) -> str:
    parts = name.replace(",", " ").split()
    turned = parts[::-1]
    return " ".join(turned)


def clean_postcode(postcode: str | None) -> str | None:
    if not postcode:
        return None
    code = postcode.replace(" ", "").upper()
    if len(code) >= 6:
        return f"{code[:4]} {code[4:]}"
    if len(code) >= 4:
        return code[:4]
    return None


def state_code(state: str | None) -> str:
    if state is None:
        return "INVALID"
    return STATES.get(state.strip().upper(), "INVALID")


def matched_state(location: str | None) -> str:
    if location is None:
        return ""
    cleaned = location
    for mark in string.punctuation:
        cleaned = cleaned.replace(mark, " ")
    for part in cleaned.split():
        if part in STATE_NAMES:
            return part
    for name, code in STATES.items():
        if name in cleaned.upper():
            return code
    return ""


def hashtags(text: str | None) -> list[str]:
    found: list[str] = []
    if not text:
        return found
    for word in text.split(" "):
        if word.startswith("#"):
            tag = "".join(letter for letter in word[1:] if letter not in string.punctuation)
            if tag:
                found.append(tag.lower())
    return found


def code_points(text: str | None) -> int | None:
    if text is None:
        return None
    numbers = [str(ord(letter)) for letter in text]
    if not numbers:
        return None
    return int("".join(numbers))


def decode_overpunch(value: str | None) -> float | None:
    if not value:
        return None
    number = int(value[:-1])
    last = value[-1]
    if last in NEGATIVE:
        return -(number * 10 + NEGATIVE.index(last)) / 100
    digit = POSITIVE.index(last)
    return (number * 10 + digit) / 100


CASES = (
    Case(
        mask_email,
        "mantukumardeka/DataEngineering-Codes:PySparkCodes/work_and_delete.py",
        (
            sometimes_null(
                joined(
                    f"lower({one_of(1, *FIRST_NAMES)})",
                    digits(2, 3),
                    one_of(3, "@gmail.com", "@example.org", "@mail.example.com", ""),
                )
            ),
        ),
        "string",
        ((("renuka92@gmail.com",), "r******2@gmail.com"), (("nobody",), "nobody")),
    ),
    Case(
        title_case,
        "aerusinfotech07/CBA-Tech-Training:"
        "PySparkMaterials/pyspark-udf-user-defined-function/example_05.py",
        (sometimes_null(f"lower({person(1)})"),),
        "string",
        ((("john jones",), "John Jones"), ((None,), None)),
    ),
    Case(
        reversed_words,
        "BlackShadowA/VisualStudio:esempi/Levenshtein.py",
        (joined(person(1), one_of(3, "", " Junior", ", PhD")),),
        "string",
        ((("Ada Lovelace",), "Lovelace Ada"), (("a,b c",), "c b a")),
    ),
    Case(
        clean_postcode,
        "mztrk/assessment-rent-airbnb:src/data_pipeline/cleaning.py",
        (sometimes_null(joined(digits(1, 4), one_of(2, " ab", "CD", "xy ", "", " z"))),),
        "string",
        ((("1016 ab",), "1016 AB"), (("1016",), "1016"), (("x",), None)),
    ),
    Case(
        state_code,
        "kiran5july/km_spark:format_state_from_dict.py",
        (sometimes_null(one_of(1, "Illinois", "North Carolina", "XX", "texas ", "NEW YORK")),),
        "string",
        ((("Illinois",), "IL"), (("XX",), "INVALID"), ((None,), "INVALID")),
    ),
    Case(
        matched_state,
        "Kyle1668/cse184-pronoun-analysis:etl_pipeline/etl_util.py",
        (
            sometimes_null(
                one_of(1, "Austin, TX", "somewhere in Florida", "NY/NJ", "the moon", "Seattle (WA)")
            ),
        ),
        "string",
        ((("Austin, TX",), "TX"), (("in Florida!",), "FL"), (("the moon",), "")),
    ),
    Case(
        hashtags,
        "malli3131/SparkApps:Batch_sentiment/spark_hashtag.py",
        (sometimes_null(sentence(1)),),
        "array<string>",
        ((("see #Spark, and #AI!",), ["spark", "ai"]), ((None,), [])),
    ),
    Case(
        code_points,
        "AWS-Big-Data-Projects/big-data-solutions:glue/create_python_udf.py",
        (sometimes_null(one_of(1, *FIRST_NAMES[:4])),),
        "bigint",
        ((("Fred",), 70114101100), (("",), None)),
    ),
    Case(
        decode_overpunch,
        "d-rooy/signed-overpunch:notebooks/pyspark_decode_overpunch.py",
        (
            sometimes_null(
                joined(f"CAST({whole(1, 1, 9999)} AS STRING)", one_of(2, *POSITIVE, *NEGATIVE))
            ),
        ),
        "double",
        ((("12A",), 1.21), (("12J",), -1.21), (("",), None)),
    ),
)
