"""What ``compile.java`` makes of texts is what Python does, in a JVM."""

from __future__ import annotations

import math
import random
import struct
import sys
from collections.abc import Callable, Iterable
from typing import Any
from unicodedata import category

import pytest
from java_calls import Java

EVERY = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
SPACES = [c for c in EVERY if c.isspace()]
# Sharp s, dotless and dotted i, sigmas, digraphs, ligatures, marks, digits of other scripts,
# superscripts, letters and emoji beyond 0xFFFF, and what stands at the ends of ranges.
ODD = list(
    "\u00df\u1e9e\u0131\u0130\u03c2\u03c3\u03a3\u0149\u01c6\u01c5\u01c4\ufb01\ufb03\u1fb3"
    "\u1fbc\u1f88\u0390\u10d0\u1c90\u0301\u0307\u0345\u00ad\u02b0\u00aa\u24d0\u2167\u00e9"
    "\u00c5\u212a\u65e5\ud55c'\u2019\u0663\uff13\u07c0\U0001d7d7\u00b2\u00bd\u4e94\u2460"
    "\U00010400\U00010428\U0001d400\U0001f600\U0001f1e9\U000e0101\uffff\ue000\ufb00\u200b"
    "\ufeff\x00\x7f\u0080\U0010ffff"
)


def drawn(seed: int, count: int, letters: Iterable[str], longest: int = 7) -> list[str]:
    chance = random.Random(seed)
    known = list(letters)
    return ["".join(chance.choices(known, k=chance.randint(0, longest))) for _ in range(count)]


PLAIN = drawn(1, 700, "abcABC aAbB.-1 \t")
MIXED = drawn(2, 1500, [*"aAbB ", *"aAΣ ", *ODD, *SPACES])
TEXTS = ["", *PLAIN, *MIXED]
FEW = ["", *drawn(3, 60, [*"aabbA ", "😀", "é"], 3)]


def test_every_character_has_pythons_cases(java: Java) -> None:
    blocks = [EVERY[i : i + 256] for i in range(0, len(EVERY), 256)]
    calls = [("\n".join(block),) for block in blocks]
    for name in ("upper", "swapcase", "casefold"):
        assert java.differences(f"PyCase.{name}", getattr(str, name), calls) == []
    # What stands around a character tells nothing of these, nor they of it.
    dull = {"Lo", "Co", "Cn"}
    blocks = [block for block in blocks if not dull.issuperset(map(category, block))]
    around = [("A", "Σ"), ("", "Σ"), ("AΣ", "B"), ("AΣ", ""), ("", "a"), ("a", "A")]
    calls += [("\n".join([a + c + b for c in block]),) for a, b in around for block in blocks]
    for name in ("lower", "title"):
        assert java.differences(f"PyCase.{name}", getattr(str, name), calls) == []
    single = [(c,) for c in EVERY if c.title() != c] + [(c + "AΣ",) for c in ODD]
    assert java.differences("PyCase.capitalize", str.capitalize, single) == []


@pytest.mark.parametrize(
    "name",
    [
        *("isalpha", "isdigit", "isdecimal", "isnumeric", "isalnum"),
        *("isspace", "isupper", "islower", "istitle", "isascii"),
    ],
)
def test_characters_and_texts_are_of_pythons_classes(java: Java, name: str) -> None:
    python = getattr(str, name)
    found = java.call("each", "PyCase", name, "".join(EVERY))
    expected = "".join(["01"[python(c)] for c in EVERY])
    wrong = [hex(ord(c)) for c, a, b in zip(EVERY, found, expected, strict=True) if a != b]
    assert wrong == []
    own = drawn(4, 300, [c for c in EVERY if python(c)])
    some = drawn(5, 300, ["A", "a", "ǅ", "1", *ODD[:20]])
    calls = [(text,) for text in [*TEXTS, *own, *some]]
    assert java.differences(f"PyCase.{name}", python, calls) == []


@pytest.mark.parametrize("name", ["upper", "lower", "title", "capitalize", "swapcase", "casefold"])
def test_texts_have_pythons_cases(java: Java, name: str) -> None:
    sigmas = drawn(6, 3000, [*"ΣΣΣaA.'1 ", "\u0301", "\u00ad", "ʰ", "ǅ", "𐐀", "\U000e0101"])
    # Eight letters are taken at once, and what is left one by one.
    ascii_ = drawn(16, 3000, map(chr, range(128)), 40)
    calls = [(text,) for text in [*TEXTS, *sigmas, *ascii_]]
    assert java.differences(f"PyCase.{name}", getattr(str, name), calls) == []


@pytest.mark.parametrize("name", ["strip", "lstrip", "rstrip"])
def test_strips_what_python_strips(java: Java, name: str) -> None:
    spaced = drawn(7, 800, [*SPACES, "a", "😀", "\u200b"])
    python = getattr(str, name)
    assert java.differences(f"PyText.{name}", python, [(t,) for t in [*TEXTS, *spaced]]) == []
    chance = random.Random(8)
    calls = [(t, chance.choice([None, "", " ", "ab", "aA-", "é😀", *FEW])) for t in TEXTS]
    assert java.differences(f"PyText.{name}", python, calls) == []


@pytest.mark.parametrize("name", ["split", "rsplit"])
def test_splits_where_python_splits(java: Java, name: str) -> None:
    chance = random.Random(9)
    spaced = drawn(10, 1500, [*SPACES, *"  abc", "😀"], 10)
    few = drawn(11, 1500, [*"aab", "😀"], 10)
    limits = [-1, -1, -3, 0, 1, 2, 3, 50]
    calls: list[tuple[Any, ...]] = [(t, None, chance.choice(limits)) for t in [*TEXTS, *spaced]]
    calls += [(t, chance.choice(FEW), chance.choice(limits)) for t in [*TEXTS, *few]]
    assert java.differences(f"PyText.{name}", getattr(str, name), calls) == []


def test_parts_of_a_split_without_its_list(java: Java) -> None:
    chance = random.Random(18)
    few = ["", *TEXTS[:400], *drawn(19, 1500, [*"aab ,", "😀", "\t"], 12)]
    seps = [None, None, ",", "a", "aa", "ab", "😀", "", *FEW[:20]]
    places = [0, 0, 1, 2, -1, -1, -2, 5, 1 << 40, -(1 << 62)]
    split = [(t, chance.choice(seps), chance.choice([-1, -1, -1, 0, 1, 2])) for t in few]
    parts = [(*each, chance.choice(places)) for each in split]

    def part(text: str, separator: str | None, most: int, place: int) -> str:
        return text.split(separator, most)[place]

    def count(text: str, separator: str | None, most: int) -> int:
        return len(text.split(separator, most))

    assert java.differences("PyText.part", part, parts) == []
    assert java.differences("PyText.parts", count, split) == []


def test_lines_end_where_pythons_do(java: Java) -> None:
    texts = drawn(12, 2000, [*SPACES, *"\r\n\r\n\r\nab", "😀"], 10)
    calls = [(t,) for t in [*TEXTS, *texts, "a".join(EVERY)]]
    assert java.differences("PyText.splitlines", str.splitlines, calls) == []


@pytest.mark.parametrize("name", ["find", "rfind", "index", "rindex", "count"])
def test_finds_what_python_finds(java: Java, name: str) -> None:
    chance = random.Random(13)
    places = [None, None, *range(-9, 10), sys.maxsize, -sys.maxsize - 1]
    texts = drawn(14, 4000, [*"aab", "😀", "é"], 8)
    calls = [
        (t, chance.choice(FEW), chance.choice(places), chance.choice(places))
        for t in [*texts, *TEXTS]
    ] + [(t, chance.choice(FEW), None, None) for t in [*texts, *TEXTS]]
    assert java.differences(f"PyText.{name}", getattr(str, name), calls) == []


@pytest.mark.parametrize(
    ("name", "python"),
    [
        *((name, getattr(str, name)) for name in ("startswith", "endswith", "removeprefix")),
        *((name, getattr(str, name)) for name in ("removesuffix", "partition", "rpartition")),
        ("contains", lambda s, t: t in s),
        ("compare", lambda s, t: (s > t) - (s < t)),
    ],
)
def test_two_texts_are_compared_and_cut_like_pythons(
    java: Java, name: str, python: Callable[..., Any]
) -> None:
    chance = random.Random(15)
    others = [*FEW, *drawn(16, 300, ["a", "\uffff", "\ue000", "😀", "𐐀", "é"], 3)]
    calls = [(t, chance.choice(others)) for t in [*TEXTS, *others, *others, *others]]
    calls += [(t, t[: chance.randint(0, 3)]) for t in TEXTS]
    assert java.differences(f"PyText.{name}", python, calls) == []


def test_places_count_characters(java: Java) -> None:
    chance = random.Random(17)
    ends = [sys.maxsize, -sys.maxsize - 1]
    places = [None, *range(-9, 10), *ends]
    cuts = [
        (t, *chance.choices(places, k=2), chance.choice([None, *range(-3, 4), *ends]))
        for t in [*TEXTS, *TEXTS, *TEXTS]
    ] + [(t, None, None, -1) for t in TEXTS]
    assert java.differences("PyText.slice", lambda s, *cut: s[slice(*cut)], cuts) == []
    items = [(t, chance.choice([*range(-9, 9), *ends])) for t in [*TEXTS, *TEXTS]]
    assert java.differences("PyText.item", lambda s, i: s[i], items) == []
    assert java.differences("PyText.len", len, [(t,) for t in TEXTS]) == []
    assert java.differences("PyText.ord", ord, [(t,) for t in [*TEXTS, *EVERY[::97]]]) == []
    points = [*map(ord, EVERY[::97]), 0, -1, 0x10FFFF, 0x110000, 0xFFFF, 0x10000, *ends]
    assert java.differences("PyText.chr", chr, [(c,) for c in points]) == []


def test_joins_repeats_and_replaces_like_python(java: Java) -> None:
    chance = random.Random(18)
    lists = [(t, chance.choices([*FEW, *TEXTS], k=chance.randint(0, 4))) for t in TEXTS]
    assert java.differences("PyText.join", str.join, [*lists, ("a", ["b", None])]) == []
    times = [(t, chance.randint(-2, 5)) for t in TEXTS] + [("a", 1 << 62), ("", 1 << 62)]
    assert java.differences("PyText.times", lambda s, n: s * n, times) == []
    texts = [*TEXTS, *drawn(19, 2000, [*"aab", "😀"])]
    replaced = [
        (t, chance.choice(FEW), chance.choice(FEW), chance.choice([-1, -1, -5, 0, 1, 2, 9]))
        for t in [*texts, *texts]
    ]
    assert java.differences("PyText.replace", str.replace, replaced) == []


@pytest.mark.parametrize("name", ["ljust", "rjust", "center", "zfill"])
def test_pads_like_python(java: Java, name: str) -> None:
    chance = random.Random(20)
    fills = [" ", "*", "é", "😀", "", "ab"]
    texts = [*TEXTS, *drawn(21, 300, "+-01"), *(sign + t for sign in "+-" for t in PLAIN)]
    calls: list[tuple[Any, ...]] = [(t, chance.randint(-3, 14)) for t in texts]
    if name != "zfill":
        calls = [(*call, chance.choice(fills)) for call in calls]
    assert java.differences(f"PyFormat.{name}", getattr(str, name), calls) == []


def test_reads_the_ints_that_python_reads(java: Java) -> None:
    chance = random.Random(22)
    digits = [c for c in EVERY if c.isnumeric() or c.isdecimal() or c.isspace()]
    calls = [(text, 10) for c in digits for text in (c, "1" + c, c + "1")]
    letters = [*"0011279_-+ xXbBoOaAfFzZ", "\u0663", "\uff13", "\u2003", "\x1c", "\x85", "\0", "é"]
    texts = drawn(23, 12000, letters, 5)
    texts += [sign + start + t for t in texts[:1500] for sign in ("", "-") for start in ("0x", "0")]
    calls += [(t, chance.choice([10, 10, 10, 0, 2, 8, 16, 36, 3, 7])) for t in texts]
    numbers = [chance.getrandbits(bits) for bits in range(1, 200) for _ in range(5)]
    numbers += [(1 << bits) + more for bits in (31, 32, 62, 63, 64) for more in (-1, 0, 1)]
    calls += [(f" {sign}{n:_}\n", 10) for n in numbers for sign in ("", "-")]
    calls += [(f"{sign}{n:x}", 16) for n in numbers for sign in ("", "-")]
    calls += [("0" * n + "1" * m, 10) for n in (0, 1) for m in (4298, 4299, 4300, 4301)]
    calls += [("1" * 5000, base) for base in (0, 2, 3, 4, 8, 16, 32, 36)]
    calls += [("-" + "1_" * 4299 + "1", 10), ("1", 1), ("1", 37), ("1", -1), ("", 10), ("", 0)]
    calls += [(t, 0) for t in ("0", "00", "0_0", "0x", "0x_f", "0x_", "010", "0b1", "0B_1", "0o7")]
    assert java.differences("PyParse.toInt", int, calls) == []


def test_reads_the_floats_that_python_reads(java: Java) -> None:
    chance = random.Random(24)
    texts = drawn(25, 20000, [*"00123459..__eE+-  ", "\u0663", "\x85", "\x1c"], 7)
    texts += drawn(26, 4000, "infaINFtyTY+- .1", 4)
    texts += ["1d", "1f", "1D", "0x1p3", "0x10", "Infinity", "-iNfinity", "nan", "+NaN", "-nan"]
    texts += ["1e400", "-1e400", "1e-400", "1e99999999999", "0e99999999999", "1e-99999999999"]
    texts += ["1" + "0" * 400, "0." + "0" * 400 + "1e401", "1_0.0_1e1_0", "1__0", "\n1\t", "1\0"]
    for _ in range(8000):
        number = random_double(chance)
        texts += [repr(number), f"{number:.{chance.randint(0, 25)}e}"]
    # Decimals in the middle between two doubles.
    texts += [f"{(1 << 53) + 2 * n + 1}.{'0' * n}{n % 2}" for n in range(30)]
    assert java.differences("PyParse.toFloat", float, [(t,) for t in texts]) == []


def random_double(chance: random.Random) -> float:
    kind = chance.randrange(5)
    if kind == 0:
        number: float = struct.unpack("<d", struct.pack("<Q", chance.getrandbits(64)))[0]
        return number
    if kind == 1:
        return chance.uniform(-1000, 1000)
    if kind == 2:
        return round(chance.uniform(-1e5, 1e5), chance.randint(0, 6))
    if kind == 3:
        return chance.randint(-(10**6), 10**6) / 2 ** chance.randint(0, 12)
    return chance.randint(1, 9999) * 10.0 ** chance.randint(-30, 30)


SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, sys.float_info.max, 1e23, 9e15, 0.5]
POWERS = [2.0**n for n in range(-1074, 1024)] + [10.0**n for n in range(-323, 309)]


def test_floats_are_written_like_python_writes_them(java: Java) -> None:
    chance = random.Random(27)
    numbers = [random_double(chance) for _ in range(25000)]
    numbers += [math.nextafter(x, to) for x in POWERS for to in (0.0, math.inf)]
    numbers += [chance.randint(1, 1 << chance.randint(1, 52)) * 5e-324 for _ in range(1500)]
    numbers += [*SPECIAL, *POWERS, *(-x for x in POWERS[::7]), 1e16, 9999999999999998.0, 1e-4, 1e-5]
    assert java.differences("PyFormat.repr", repr, [(x,) for x in numbers]) == []
    values = [None, True, False, 0, -5, 10**30, "", "é😀", 1.5, 10**4299, 10**4300, -(10**4300)]
    assert java.differences("PyFormat.text", str, [(x,) for x in values]) == []


def drawn_spec(chance: random.Random, types: str) -> str:
    some = chance.random
    parts = [
        chance.choice(["*", "0", " ", "é", "😀", "<", "+"]) if some() < 0.15 else "",
        chance.choice("<>=^") if some() < 0.3 else "",
        chance.choice("+- ") if some() < 0.3 else "",
        "z" if some() < 0.1 else "",
        "#" if some() < 0.2 else "",
        "0" if some() < 0.3 else "",
        str(chance.randint(0, 25)) if some() < 0.5 else "",
        chance.choice([",", "_", ",_", "_,", ",,"][: 2 if some() < 0.9 else 5])
        if some() < 0.3
        else "",
        f".{chance.randint(0, 20) if some() < 0.95 else ''}" if some() < 0.5 else "",
        chance.choice(types),
    ]
    return "".join(parts)


ALL_TYPES = ["", *"sdfFeEgG%xXobc", *"yZ0", "dd"]


@pytest.mark.parametrize(
    ("types", "seed"),
    [(["", *"fFeEgG%"], 28), (["", *"dxXobc"], 29), (["", "s"], 30), (ALL_TYPES, 31)],
    ids=["floats", "ints", "texts", "all"],
)
def test_formats_like_python(java: Java, types: Any, seed: int) -> None:
    chance = random.Random(seed)
    ints = [0, 1, -1, 65, 1234567, -987654321, 10**15, 1 << 63, -(1 << 63), 10**30, 10**400]
    texts = ["", "a", "hello", "é😀x", "😀😀😀😀"]
    calls = []
    for _ in range(20000):
        kinds = {28: "ffffi", 29: "iiiib", 30: "s", 31: "fibsn"}[seed]
        kind = chance.choice(kinds)
        value: Any = None
        if kind == "f":
            value = random_double(chance) if chance.random() < 0.9 else chance.choice(SPECIAL)
        elif kind == "i":
            value = chance.choice(ints) if chance.random() < 0.5 else chance.randint(-99999, 99999)
        elif kind == "b":
            value = chance.random() < 0.5
        elif kind == "s":
            value = chance.choice(texts)
        calls.append((value, drawn_spec(chance, types)))
    # What Python makes of half a pair is no text of Spark's, and Java raises.
    calls = [call for call in calls if not (call[1][-1:] == "c" and is_surrogate(call[0]))]
    assert java.differences("PyFormat.format", format, calls) == []


def is_surrogate(value: Any) -> bool:
    return isinstance(value, int) and 0xD800 <= value < 0xE000


def test_rounds_exactly_where_a_float_lies_near_a_tie(java: Java) -> None:
    chance = random.Random(32)
    calls: list[tuple[Any, str]] = []
    for _ in range(10000):
        places = chance.randint(0, 7)
        near = (chance.randint(-(10**6), 10**6) + 0.5) / 10**places
        near = chance.choice([near, math.nextafter(near, 0), math.nextafter(near, 1e9), -near])
        kind = chance.choice("ffffeg%")
        calls.append((near, f".{places}{kind}"))
    calls += [(x, f".{n}f") for x in SPECIAL for n in (0, 1, 2, 6, 50, 400)]
    calls += [(x, f".{n}{kind}") for x in POWERS[::9] for n in (0, 3, 30) for kind in "eg"]
    specs = drawn(33, 15000, "<>=^+-z#0019,_.fdxsgecb*", 6)
    values = [12345.678, -3, 0.0, True, "some", None, 66, 1e300, -0.4]
    calls += [(chance.choice(values), spec) for spec in specs]
    calls += [
        ("a", "\u0661\u0660"),
        (1, "0\u0669"),
        (1, "99999999999999999999"),
        (1.0, ".99999999999999999999f"),
    ]
    assert java.differences("PyFormat.format", format, calls) == []
