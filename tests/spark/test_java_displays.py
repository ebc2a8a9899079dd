"""Lists, dicts and texts that a function makes of constants, in the JVM, next to Python's."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from java_calls import Java, answered_alike, wrong_rows
from pyspark.sql.types import ArrayType, DataType, LongType, StringType

TEXT, LONG = StringType(), LongType()
WORDS = ["inc", "ltd", "a+b"]
NAMED = {"word": r"[a-z]+", "number": r"\d+", "pair": r"(\d)-(\d)"}


def formats_in_a_list(text: str) -> str | None:
    formats = ["%Y-%m-%d", "%m/%d/%Y", "%d %b %Y", "%H:%M"]
    for how in formats:
        try:
            return datetime.strptime(text, how).isoformat()
        except ValueError:
            continue
    return None


def patterns_beside_a_list_that_grows(text: str) -> str:
    patterns = [r"water\s*\(a\)", r"\bwater\b", "x+"]
    for pattern in patterns:
        text = re.sub(pattern, "aqua", text, flags=re.IGNORECASE)
    seen = []
    for part in text.split(","):
        if part not in seen:
            seen.append(part)
    return "|".join(seen)


def patterns_as_keys(text: str) -> str:
    full = {" ST$": " STREET", " ST ": " STREET ", " AVE$": " AVENUE", r"(\d)-(\d)": r"\2 to \1"}
    for short, long in full.items():
        text = re.sub(short, long, text)
    return text


def more_keys_than_one_instruction_has(text: str) -> str:
    full = {
        " ST$": " STREET", " ST ": " STREET ", " AVE$": " AVENUE", " AVE ": " AVENUE ",
        " RD$": " ROAD", " RD ": " ROAD ", " DR$": " DRIVE", " DR ": " DRIVE ",
        " CT$": " COURT", " CT ": " COURT ", " PL$": " PLACE", " PL ": " PLACE ",
        " LN$": " LANE", " LN ": " LANE ", " STE ": " SUITE ", " APT ": " APARTMENT ",
        "a": "1", "b": "2", "c": "3", " ST$": "!",  # noqa: F601
    }  # fmt: skip
    for short, long in full.items():
        text = re.sub(short, long, text)
    return text + full.get(text, "") + str(len(full))


def words_in_a_pattern(text: str) -> str:
    for word in WORDS:
        text = re.sub(rf"\b{re.escape(word)}\b", "", text)
        text = re.sub(r"\b" + word.replace("+", "") + "%s" % r"\b", "<>", text)  # noqa: UP031
    return text


def classes_in_a_pattern(text: str) -> str:
    marks = '!"$x'
    return re.sub("[" + marks + "]+", " ", text) + "|".join(["a", marks])


def one_pattern_of_all(text: str) -> str:
    endings = ["Jr", "Sr", "III"]
    return re.sub(r"\b(" + "|".join(endings) + r")\b\.?", "", text)


def names_of_patterns(text: str) -> list[str]:
    found = []
    for name, pattern in NAMED.items():
        if re.findall(pattern, text):
            found.append(name.upper())
            text = re.sub(pattern, f"[{name}]", text)
    return [*found, text]


def one_of_two_patterns(text: str) -> list[str]:
    mark = "|" if "|" in text else ";"
    return [part.strip() for part in re.split("[" + mark + "]", text)]


def replacements_that_do_not_fit(text: str) -> str:
    for pattern in ["a+", "(b)"]:
        for replacement in ["z", r"<\1>"]:
            try:
                text = re.sub(pattern, replacement, text)
            except re.error:
                text += "!"
    return text


def keys_that_are_put_together(text: str) -> int:
    known = {"x_a": 1, "x_b": 2}
    return sum(known.get("x_" + letter, 100) for letter in "abc" if letter in text)


def changed_by_two_names(text: str) -> str:
    words = ["a", "b", "c"]
    other = words
    if text:
        other += [text]
    words[0] = "q"
    words.sort()
    return ",".join(words)


def changed_where_it_is_one_of_two(text: str) -> str:
    short, long = ["a", "b", "c"], ["a", "b", "c", "d"]
    chosen = short if len(text) < 4 else long
    chosen.append(text)
    return ",".join(short) + ",".join(long)


def changed_by_another_function(text: str) -> str:
    def grow(words: list[str]) -> None:
        words.append(text)

    words = ["a", "b", "c"]
    grow(words)
    return ",".join(words)


def put_last(words: list[str], text: str) -> None:
    words.append(text)
    words[0] = "q"


def changed_by_a_helper(text: str) -> str:
    words, few = ["a", "b", "c"], ["a", "b"]
    put_last(words, text)
    put_last(few, text)
    return ",".join(words + few)


def stands_in_a_list_that_is_changed(text: str) -> str:
    inner = [1, 2, 3]
    rows = [inner, inner]
    rows[0][1] = len(text)
    return str(inner[1] + rows[1][1])


def counted_up(text: str) -> list[int]:
    found = [0, 0, 0]
    for letter in text:
        found[ord(letter) % 3] += 1
    return found


def given_back(text: str) -> list[int]:
    return [1, 2, 3] if text else [4, 5, 6, 7]


FUNCTIONS: list[tuple[Callable[..., Any], DataType]] = [
    (formats_in_a_list, TEXT),
    (patterns_beside_a_list_that_grows, TEXT),
    (patterns_as_keys, TEXT),
    (more_keys_than_one_instruction_has, TEXT),
    (words_in_a_pattern, TEXT),
    (classes_in_a_pattern, TEXT),
    (one_pattern_of_all, TEXT),
    (names_of_patterns, ArrayType(TEXT)),
    (one_of_two_patterns, ArrayType(TEXT)),
    (replacements_that_do_not_fit, TEXT),
    (keys_that_are_put_together, LONG),
    (changed_by_two_names, TEXT),
    (changed_where_it_is_one_of_two, TEXT),
    (changed_by_another_function, TEXT),
    (changed_by_a_helper, TEXT),
    (stands_in_a_list_that_is_changed, TEXT),
    (counted_up, ArrayType(LONG)),
    (given_back, ArrayType(LONG)),
]
PARTS = [
    *("12 MAIN ST", " ST ", " AVE", "AVE ", "3-4", "inc", "ltd", "a+b", "ab", "x", "$", '"', "|"),
    *(";", ",", "water", "Water (a)", "Jr.", "III", "Sr", " ", "2024-02-29", "2/29/2024", "23:59"),
    *("1 May 2024", "é", "😀", "\n", "b", "aaa", "xx"),
]


@pytest.mark.parametrize(("function", "result"), FUNCTIONS)
def test_each_row_is_as_in_python(
    java: Java, function: Callable[..., Any], result: DataType
) -> None:
    chance = random.Random(7)
    texts = ["", *PARTS, *("".join(chance.choices(PARTS, k=3)) for _ in range(400))]
    assert wrong_rows(java, function, result, texts) == []


def matrix(n: int) -> int:
    rows = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    return rows[n % 3][n % 2] + sum(rows[1]) + len(rows)


def weighted(n: int) -> int:
    weights = [7, 9, 10, 5, 8]
    return sum(w * int(d) for w, d in zip(weights, str(abs(n)), strict=False)) + weights[n % 5]


def units(n: int) -> str:
    made = []
    for unit in ["B", "KB", "MB"]:
        made.append(f"{n}{unit}".rjust(6) + f"{unit}|" + unit.lower() + "-".join(["a", unit]))
        n //= 2
    return " ".join(made)


@pytest.mark.parametrize(("function", "result"), [(matrix, LONG), (weighted, LONG), (units, TEXT)])
def test_of_numbers(java: Java, function: Callable[..., Any], result: DataType) -> None:
    rows = [(n,) for n in (*range(-20, 20), 12345, 1 << 62, -(1 << 63))]
    assert answered_alike(java, function, [LONG], result, rows) == len(rows)
