"""What a pattern finds as one of ``java.util.regex`` is what Python's ``re`` finds, in a JVM."""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from java_calls import Java, wrong_rows
from pyspark.sql.types import StringType

import notebook_udf as nu
from notebook_udf.compile.java.patterns.pattern_starts import first_letters
from notebook_udf.compile.java.patterns.pattern_syntax import (
    is_searched_alike,
    java_patterns,
    template,
)
from notebook_udf.compile.java.patterns.scans import scan_of
from notebook_udf.compile.java.writing.terms import NotCompiled

CALLS = """
public final class PatternCalls {
    private static Object written(PyMatch found, long groups) {
        if (found == null) {
            return null;
        }
        ArrayList made = new ArrayList();
        for (long i = 0; i <= groups; i++) {
            made.add(found.group(i));
            made.add(Long.valueOf(found.start(i)));
            made.add(Long.valueOf(found.end(i)));
        }
        made.add(found.groups());
        return made;
    }

    private static PyScanner scanner(ArrayList parts) {
        if (parts == null) {
            return null;
        }
        ArrayList numbers = (ArrayList) parts.get(0);
        int[] steps = new int[numbers.size()];
        for (int i = 0; i < steps.length; i++) {
            steps[i] = ((Long) numbers.get(i)).intValue();
        }
        Object[] sets = ((ArrayList) parts.get(1)).toArray();
        return new PyScanner(steps, sets, ((ArrayList) parts.get(2)).toArray());
    }

    public static ArrayList all(String ascii, String any, long groups, String letters,
            ArrayList scan, ArrayList subjects, ArrayList template, long count) {
        PyPattern pattern = new PyPattern(ascii, any, (int) groups, letters, scanner(scan));
        ArrayList made = new ArrayList();
        for (int i = 0; i < subjects.size(); i++) {
            String s = (String) subjects.get(i);
            made.add(written(pattern.search(s), groups));
            made.add(written(pattern.match(s), groups));
            made.add(written(pattern.fullmatch(s), groups));
            if (template != null) {
                made.add(pattern.sub(s, template.toArray(), count));
                made.add(groups < 2 ? pattern.findall(s) : null);
                made.add(pattern.split(s, count));
            }
        }
        return made;
    }

    /** The matches in all characters, or in those of ASCII. */
    public static ArrayList spans(String pattern, long kind) {
        StringBuilder text = new StringBuilder();
        for (int c = 0; c < (kind == 0 ? 128 : 0x110000); c++) {
            if (c < 0xD800 || c >= 0xE000) {
                text.appendCodePoint(c);
            }
        }
        ArrayList made = new ArrayList();
        Matcher found = Pattern.compile(pattern).matcher(text);
        while (found.find()) {
            made.add(Long.valueOf(found.start()));
            made.add(Long.valueOf(found.end()));
        }
        return made;
    }

    public static Object group(String pattern, String subject, long number) {
        return new PyPattern(pattern, pattern, 1).search(subject).group(number);
    }

    private static final class Small extends Thread {
        final Pattern pattern;
        final String subject;
        Object found;

        Small(Pattern pattern, String subject, long stack) {
            super(null, null, "small", stack);
            this.pattern = pattern;
            this.subject = subject;
        }

        public void run() {
            try {
                found = Boolean.valueOf(pattern.matcher(subject).find());
            } catch (StackOverflowError e) {
                found = "overflow";
            }
        }
    }

    /** Whether a pattern is found in a text, on a thread with a small stack. */
    public static Object isFound(String pattern, String subject, long stack) throws Exception {
        Small thread = new Small(Pattern.compile(pattern), subject, stack);
        thread.start();
        thread.join();
        return thread.found;
    }
}
"""

LETTERS = [
    *"aaabbbABkKsS19_ .,-",
    "\n",
    "\n",
    "ß",
    "İ",
    "\u0131",
    "\u017f",
    "\u212a",
    "٣",
    "\U0001d7d7",
    "😀",
    "𐐀",
    "𐐨",
]
SUBJECT = [*LETTERS, "é", "\r", "\u2028", "\x85", "\0", "i", "I", "\u0301", "\U0010ffff"]
CLASSES = (
    *(r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", ".", ".", "[ab]", "[^a]", "[a-c1]", r"[\d-]"),
    *(
        r"[^\w ]",
        "[]a]",
        "[a&&b]",
        "[^^]",
        "[\u0131-\u017f]",
        r"[^\W\d]",
        "[😀a]",
        "[^😀]",
        "[K-k]",
    ),
)
PLACES = ("^", "$", r"\A", r"\Z", r"\b", r"\b", r"\B")
REPEATS = (
    *("?", "*", "+", "{2}", "{1,2}", "{,2}", "{2,}", "*?", "+?", "??", "{1,3}?", "{2,}?", "{0}"),
    *("*", "+", "?", "{3,}", "{0,5}", "?+", "*+", "++", "{1,2}+"),
)


EMPTY = (
    *(r"\b", r"\B", "^", "$", r"\A", r"\Z", "", "(?m)^", "(?m)$", "(?=[A-Z])", "(?<!^)(?=[A-Z])"),
    *("(?<=[a-z])(?=[A-Z])", r"(?<=\d)(?=\D)|(?<=\D)(?=\d)", "(?!a)", "(?<![ab])", r"^|\b", "()"),
    *("(?=[ab]+$)", "(?<=😀)", "(?=😀)", "(?=.)", "(?<=.)", r"(?=\w)()", r"\B(?=(?:\d{3})+(?!\d))"),
)


class Patterns:
    """Patterns by chance; some are none."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.groups = 0
        self.is_small = False

    def drawn(self) -> tuple[str, int]:
        chance = self.chance
        self.groups = 0
        # Those of two letters find more.
        self.is_small = chance.random() < 0.6
        flags = [0, 0, re.I, re.A, re.M, re.S, re.I | re.A, re.I | re.M | re.S]
        return self._branches(chance.randint(1, 3)), chance.choice(flags)

    def _branches(self, depth: int) -> str:
        count = self.chance.choice([1, 1, 1, 2, 3])
        return "|".join(self._sequence(depth) for _ in range(count))

    def _sequence(self, depth: int) -> str:
        return "".join(self._item(depth) for _ in range(self.chance.choice([0, 1, 1, 2, 2, 3, 4])))

    def _item(self, depth: int) -> str:
        chance = self.chance
        kind = chance.random()
        if chance.random() < 0.12:
            return self._rounds()
        if kind < (0.03 if self.is_small else 0.1):
            return chance.choice(PLACES)
        if kind < 0.13 and self.groups:
            return f"(?:\\{chance.randint(1, self.groups)})"
        if kind < 0.45 and depth:
            made = self._group(depth - 1)
        elif kind < 0.7:
            made = chance.choice("ab") if self.is_small else re.escape(chance.choice(LETTERS))
        else:
            made = chance.choice(["[ab]", "[^a]", "."] if self.is_small else CLASSES)
        return made + (chance.choice(REPEATS) if chance.random() < 0.45 else "")

    def _rounds(self) -> str:
        """A repeat of a few characters, mostly endless, which Java has as a loop or not."""
        chance = self.chance
        body = chance.choice([*",-ab", "ß", "😀", r"\d", "[ab]", "a|b", r"\b,"])
        for _ in range(chance.randint(0, 2)):
            letter = chance.choice([*CLASSES, *"aabb,"])
            body += letter + chance.choice(["", "", "+", "*", "?", "{2}", "+?", "(?=a)"])
        start = "(?:"
        if chance.random() < 0.5:
            self.groups += 1
            start = "("
            if chance.random() < 0.2:
                self.groups += 1
                body = f"({body})" + chance.choice(["", "b", ",", r"\d"])
        return (
            start
            + body
            + ")"
            + chance.choice([*"**++", "*?", "{2,}", "{3,}", "*+", "{2,3}", "{,3}?"])
        )

    def _group(self, depth: int) -> str:
        kind = self.chance.random()
        if kind < 0.4:
            inner = self._branches(depth)
            self.groups += 1
            return f"({inner})"
        if kind < 0.7:
            return f"(?:{self._branches(depth)})"
        kinds = ["(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?s:", "(?a:", "(?m:", "(?-i:"]
        return f"{self.chance.choice(kinds)}{self._branches(depth)})"


def is_written(pattern: re.Pattern[str]) -> bool:
    try:
        java_patterns(pattern)
    except NotCompiled:
        return False
    return True


def patterns(seed: int, count: int) -> Iterator[re.Pattern[str]]:
    """Patterns by chance that have Java."""
    made = Patterns(seed)
    while count:
        text, flags = made.drawn()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                pattern = re.compile(text, flags)
        except re.error:
            continue
        if is_written(pattern):
            count -= 1
            yield pattern


def subjects(chance: random.Random, count: int) -> list[str]:
    alphabets = ["ab", "ab", "ab", "ab,1", "aabbAB1", "ab1_ .,-\n", LETTERS, SUBJECT]
    return ["", "\n"] + [
        "".join(chance.choices(chance.choice(alphabets), k=chance.randint(1, 9)))
        for _ in range(count)
    ]


def written(found: re.Match[str] | None, groups: int) -> Any:
    if found is None:
        return None
    parts = [part for i in range(groups + 1) for part in (found[i], *found.span(i))]
    return [*parts, list(found.groups())]


def expected(pattern: re.Pattern[str], texts: list[str], by: str | None, count: int) -> list[Any]:
    made: list[Any] = []
    groups = pattern.groups
    for text in texts:
        for found in (pattern.search(text), pattern.match(text), pattern.fullmatch(text)):
            made.append(written(found, groups))
        if by is not None:
            made.append(pattern.sub(by, text, count))
            made.append(pattern.findall(text) if groups < 2 else None)
            made.append(pattern.split(text, count))
    return made


def compared(
    java: Java, every: list[re.Pattern[str]], texts: list[list[str]], chance: random.Random
) -> list[Any]:
    """The patterns that find something else in Java, with the texts and what is found."""
    calls, python = [], []
    for pattern, own in zip(every, texts, strict=True):
        by = None
        count = chance.choice([0, 0, 1, 2, -1])
        if is_searched_alike(pattern):
            by = "<" + "".join(rf"\g<{i}>-" for i in range(pattern.groups + 1)) + "é>"
        parts = None if by is None else template(pattern, by)
        scan = scan_of(pattern)
        steps = None if scan is None else [scan.steps, scan.sets, scan.texts]
        known = (*java_patterns(pattern), pattern.groups, first_letters(pattern), steps)
        calls.append((*known, own, parts, count))
        python.append(expected(pattern, own, by, count))
    found = list(java.results("PatternCalls.all", calls))
    wrong = []
    for pattern, own, one, other in zip(every, texts, found, python, strict=True):
        if one != other:
            size = len(other) // len(own)
            pairs = list(zip(one, other, strict=True)) if isinstance(one, list) else [(one, None)]
            at = next(i for i, (a, b) in enumerate(pairs) if a != b)
            wrong.append((pattern, own[at // size], at % size, *pairs[at]))
    return wrong


@pytest.fixture(scope="module")
def java(session: nu.Session) -> Java:
    return Java(session.spark._jvm, CALLS)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_patterns_by_chance_find_what_they_find_in_python(java: Java, seed: int) -> None:
    chance = random.Random(seed)
    every = list(patterns(seed, 1500))
    assert compared(java, every, [subjects(chance, 14) for _ in every], chance) == []


@pytest.mark.parametrize("seed", [4, 5])
def test_steps_that_never_go_back_find_what_is_found_in_python(java: Java, seed: int) -> None:
    chance = random.Random(seed)
    every = [each for each in patterns(seed, 2500) if scan_of(each) is not None]
    assert len(every) > 300
    letters = [each for each in SUBJECT if each.isascii()]
    texts = [
        ["".join(chance.choices(letters, k=chance.randint(0, 9))) for _ in range(20)] for _ in every
    ]
    assert compared(java, every, texts, chance) == []


def test_matches_that_are_always_empty_are_found_as_in_python(java: Java) -> None:
    chance = random.Random(6)
    every = [re.compile(text, flags) for text in EMPTY for flags in (0, re.I, re.A) * 2]
    assert all(map(is_searched_alike, every))
    assert compared(java, every, [subjects(chance, 60) for _ in every], chance) == []


REAL = (
    *(r"\d{4}-\d{2}-\d{2}", r"^(\d{4})-(\d\d)-(\d\d)$", r"(?P<d>\d\d?)[./](?P<m>\d\d?)[./](\d{4})"),
    *(r"\b\d{1,2}:\d{2}(?::\d{2})?\s*(?:am|pm)?\b", r"(\d+)\s*(h|min|s)\b", r"\s+", r"[,;]\s*"),
    *(r"^[\w.+-]+@[\w-]+(\.[\w-]+)+$", r"([\w.]+)@([\w.]+)", r"\w+(?:[.-]\w+)*@\w+(?:\.\w+)+"),
    *(r"https?://([^/\s:]+)(?::(\d+))?(/\S*)?", r"[?&](\w+)=([^&#]*)", r"\.(jpe?g|png|gif)$"),
    *(r"^\+?\d[\d -]{6,}\d$", r"\(?(\d{3})\)?[ -]?(\d{3})-(\d{4})", r"^\d{5}(?:-\d{4})?$"),
    *(r"(?:\d{1,3}\.){3}\d{1,3}", r"\[([^\]]+)\] (\w+): (.*)", r"^(\S+) \S+ \S+ \[(.+?)\]"),
    *(r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}", r"([0-9a-f]{2}:){5}[0-9a-f]{2}"),
    *(r'"([^"\\]|\\.)*"', r'"(?:[^"\\]|\\.)*"', r"<[^>]+>", r"<(\w+)>.*?</\1>", r"(\w+)\s+\1"),
    *(r"^\s*(\w+)\s*=\s*(.*?)\s*$", r"[+-]?\d+(?:,\d{3})*(?:\.\d+)?", r"([A-Z][a-z]+\s?)+"),
    *(r"(?i)\b(?:mr|mrs|dr)\.?\s+([a-z]+)", r"(?i)straße|error|k", r"(?<=[$€])\d+(?=\D|$)"),
    *(r"[^\w\s]", r"\W+", r"(?m)^#.*$", r"(?s)/\*.*?\*/", r"\b\w+\b(?= \w)"),
    *(r"^(?=.*\d)(?=.*[a-z]).{6,}$", r"(?x) \d+ (?# a number) [ ] px # in pixels", r"\b\w"),
)
LINES = (
    *("2024-02-29", "29.2.2024 and 1/12/1999", "at 9:05 pm, 12:30:59am", "5 min 30 s 7h", "a, b;c"),
    *("john.doe+x@mail.example.org", "jürgen@müller.de, a@b", "see https://example.com:80/a/b?q=1"),
    *("http://x.org/i.png", "?a=1&b=zwei&c=#x", "+49 30 1234567", "(555) 123-4567", "12345-6789"),
    *("192.168.0.1", "256.1.1.1", "[2024-01-01 10:00] ERROR: disk full", "00:1a:2b:3c:4d:5e"),
    *('1.2.3.4 - bob [10/Oct/2000] "GET / HTTP/1.0" 200', r'say "a \"b\" c" now', "<b>bold</b><i>"),
    *("the the cat", " key = some value  ", "-1,234,567.89", "New York City", "Dr. Who, MRS smith"),
    *(
        "Straße STRASSE \u017f \u212a",
        "$12 €15x",
        "# a\nb\n# c",
        "/* a\n b */ c",
        "abc123",
        "12 px",
        "٣٤ \U0001d7d7",
    ),
)


def test_patterns_of_everyday_find_what_they_find_in_python(java: Java) -> None:
    chance = random.Random(4)
    lines = list(LINES)
    for line in LINES:
        for _ in range(6):
            at, other = chance.randint(0, len(line)), chance.choice(LINES)
            lines.append(line[:at] + chance.choice(["", "\n", "é", other]) + line[at + 1 :])
    plain = [re.compile(text) for text in REAL]
    assert all(map(is_written, plain))
    every = [re.compile(text, flags) for text in REAL for flags in (re.I, re.A, re.M)]
    every = [*plain, *filter(is_written, every)]
    assert compared(java, every, [lines for _ in every], chance) == []


def in_units(spans: Iterator[tuple[int, int]]) -> list[int]:
    """Places in the text of all characters, as Java counts them."""
    first = 0x10000 - 0x800
    return [i + max(0, i - first) for span in spans for i in span]


def test_classes_have_the_characters_that_they_have_in_python(java: Java) -> None:
    everything = "".join(chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000)
    odd = [*"kßİµǅﬅ", "\u0131", "\u03c3", "𐐀", "[^k]", "[\u03b1-\u03c9]", "[a-zäöü]"]
    calls, python = [], []
    for node in [*CLASSES, *odd]:
        for flags in (0, re.I, re.A, re.I | re.A, re.S):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                pattern = re.compile(f"(?:{node})+", flags)
            for kind, text in enumerate([everything[:128], everything]):
                calls.append((java_patterns(pattern)[kind], kind))
                python.append(in_units(found.span() for found in pattern.finditer(text)))
    assert list(java.results("PatternCalls.spans", calls)) == python


def test_long_texts_do_not_overflow_a_small_stack(java: Java) -> None:
    size, stack = 200_000, 1 << 18
    shapes = [
        *((r"[^,]*,", "a😀"), (r"[^,]{3,}z", "a😀"), (r"[^,]*?,", "a😀"), (r"\w{2,}?!", "a𐐀")),
        *((r"^(?:\.\w+)*$", ".a𐐀"), (r"^(\.\w+)+$", ".a.𐐀"), (r'^"(?:[^"\\]|\\.)*"', '"😀a')),
        *(('^"([^"\\\\]|\\\\.)*"', '"😀a'), (r"^(?:ab)*$", "ab"), (r"^(ab){3,}$", "ab")),
        *(
            (r"^(?:a|bc)+$", "abc"),
            (r"^(?:\d,)*$", "٣,\U0001d7d7,"),
            (r"^(?:a?b)*+$", "abb"),
            (".*z", "é"),
        ),
    ]
    calls = []
    for text, unit in shapes:
        subject = unit[0] + unit[unit[0] == '"' :] * (size // len(unit))
        if unit[0] != '"':
            subject = unit * (size // len(unit))
        general = java_patterns(re.compile(text))[1]
        calls.append((("^" if text[0] != "^" else "") + general, subject, stack))
    found = list(java.results("PatternCalls.isFound", calls))
    assert "overflow" not in found
    # What these would have been without care, and what is refused.
    rough = [(p, "ab" * 50_000, stack) for p in ("^(?:a?b)*", "^(?:a|b(?:))*")]
    rough.append(("^([^,])*z", "a😀" * 50_000, stack))
    assert list(java.results("PatternCalls.isFound", rough)) == ["overflow"] * 3


HOST = re.compile(r"^(?:[a-z0-9-]+\.)+[a-z]{2,}$")
WORDS = re.compile(r"(?:[a-z]{1,3} )+x")
LETTERS_OR_RUNS = re.compile(r"([a-z]|é+,)*;")


@pytest.mark.parametrize(
    ("function", "texts"),
    [
        (lambda s: str(HOST.match(s) is not None), ["ab-c." * 60_000 + "org", "a." * 90_000 + "1"]),
        (lambda s: str(WORDS.fullmatch(s) is not None), ["ab " * 90_000 + "x", "ab x"]),
        (lambda s: WORDS.sub("<>", s), ["ab " * 50_000 + "x, " + "é " + "cde " * 40_000 + "x!"]),
        (lambda s: "|".join(LETTERS_OR_RUNS.findall(s)), ["zé,a" * 40_000 + ";b;" + "éé,;" * 9]),
        (
            lambda s: "|".join(LETTERS_OR_RUNS.split(s)),
            ["a" * 100_000 + ";-é,;" + "ab" * 30_000 + ";"],
        ),
    ],
)
def test_repeats_of_many_rounds_have_room(
    java: Java, function: Callable[[str], str], texts: list[str]
) -> None:
    assert wrong_rows(java, function, StringType(), [*texts, "", "a.bc", "x;"]) == []


def test_the_deepest_patterns_fit_into_half_a_stack(java: Java) -> None:
    calls = []
    for text, unit, most in (("(a?b){0,%d}", "ab", 333), (".{0,%d}z", "a😀", 998)):
        with pytest.raises(NotCompiled, match="too deep"):
            java_patterns(re.compile(text % (most + 1)))
        calls += [(p, unit * 2000, 1 << 19) for p in java_patterns(re.compile(text % most))]
    assert "overflow" not in java.results("PatternCalls.isFound", calls)


def test_a_group_that_there_is_not_raises(java: Java) -> None:
    calls = [("(a)|b", "b", number) for number in (0, 1, 2, -1, 1 << 40)]
    found = java.differences(
        "PatternCalls.group", lambda p, s, n: re.compile(p).search(s).group(n), calls
    )
    assert found == []
