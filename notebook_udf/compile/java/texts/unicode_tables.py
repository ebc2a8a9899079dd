"""The Unicode of the Python that runs, as Java: that of a JVM is another version of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from unicodedata import category

# In the order of their bits.
CLASSES = (
    *("ALPHA", "DECIMAL", "DIGIT", "NUMERIC", "SPACE"),
    *("UPPER", "LOWER", "TITLE", "CASED", "IGNORABLE", "HIDDEN"),
)
_MAPS = {
    "UPPERS": str.upper,
    "LOWERS": str.lower,
    "TITLES": str.title,
    "FOLDS": str.casefold,
}
_POINTS = range(0x110000)
_SIGMA = "\u03a3"
_FINAL_SIGMA = "\u03c2"
# Letters without case, private, surrogate and unassigned.
_PLAIN = {"Lo", "Co", "Cs", "Cn"}
# A constant may have 65535 bytes.
_LONGEST = 60000

_JAVA = """package notebookudf;

import java.util.ArrayList;
import java.util.StringTokenizer;

/** Characters, as the Python that made this knows them. */
final class PyUnicode {
@CONSTANTS@
    static final int[][] UPPERS = new int[4352][];
    static final int[][] LOWERS = new int[4352][];
    static final int[][] TITLES = new int[4352][];
    static final int[][] FOLDS = new int[4352][];
    private static final short[][] CLASSES = new short[4352][];
    private static final ArrayList MANY = new ArrayList();
    private static final int[] ZEROS = new int[@ZERO_COUNT@];

    static {
        int at = 0;
        short[][] whole = new short[2048][];
        StringTokenizer runs = new StringTokenizer(@RUNS@);
        while (runs.hasMoreTokens()) {
            int end = at + next(runs);
            int classes = next(runs);
            while (at < end) {
                int to = Math.min(end, (at | 255) + 1);
                if (to - at == 256) {
                    if (whole[classes] == null) {
                        whole[classes] = new short[256];
                        java.util.Arrays.fill(whole[classes], (short) classes);
                    }
                    CLASSES[at >> 8] = whole[classes];
                } else {
                    if (CLASSES[at >> 8] == null) {
                        CLASSES[at >> 8] = new short[256];
                    }
                    for (int c = at; c < to; c++) {
                        CLASSES[at >> 8][c & 255] = (short) classes;
                    }
                }
                at = to;
            }
        }
        StringTokenizer zeros = new StringTokenizer(@ZEROS@);
        for (int i = 0; i < ZEROS.length; i++) {
            ZEROS[i] = next(zeros);
        }
@READ@
    }

    private PyUnicode() {
    }

    private static int next(StringTokenizer numbers) {
        return Integer.parseInt(numbers.nextToken(), 36);
    }

    private static void put(int[][] map, int c, int to) {
        if (map[c >> 8] == null) {
            map[c >> 8] = new int[256];
        }
        map[c >> 8][c & 255] = to;
    }

    private static void read(int[][] map, String runs, String many) {
        StringTokenizer numbers = new StringTokenizer(runs);
        while (numbers.hasMoreTokens()) {
            int c = next(numbers);
            int count = next(numbers);
            int step = next(numbers);
            int more = next(numbers);
            for (int i = 0; i < count; i++) {
                put(map, c + i * step, c + i * step + more);
            }
        }
        numbers = new StringTokenizer(many);
        while (numbers.hasMoreTokens()) {
            int c = next(numbers);
            StringBuilder made = new StringBuilder();
            for (int left = next(numbers); left > 0; left--) {
                made.appendCodePoint(next(numbers));
            }
            MANY.add(made.toString());
            put(map, c, -MANY.size());
        }
    }

    static boolean is(int c, int classes) {
        return (CLASSES[c >> 8][c & 255] & classes) != 0;
    }

    /** The character that c becomes; where it becomes several, less than 0 and for many(). */
    static int mapped(int[][] map, int c) {
        int[] block = map[c >> 8];
        int to = block == null ? 0 : block[c & 255];
        return to == 0 ? c : to;
    }

    static String many(int to) {
        return (String) MANY.get(-to - 1);
    }

    /** The value of a decimal digit; less than 0 of any other character. */
    static int decimal(int c) {
        if (c < 128) {
            return c >= '0' && c <= '9' ? c - '0' : -1;
        }
        if (!is(c, DECIMAL)) {
            return -1;
        }
        int at = java.util.Arrays.binarySearch(ZEROS, c);
        return c - ZEROS[at >= 0 ? at : -at - 2];
    }
}
"""


def _base_36(number: int) -> str:
    digits = ""
    left = abs(number)
    while left or not digits:
        left, digit = divmod(left, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return "-" + digits if number < 0 else digits


def _constant(numbers: Iterator[int] | list[int]) -> str:
    text = " ".join(map(_base_36, numbers))
    if len(text) > _LONGEST:
        raise ValueError("a table of Unicode is longer than a constant of Java")
    return f'"{text}"'


def _answers(asked: list[str], before: str, after: str, method: str, answer: str) -> set[str]:
    """The characters for which ``method`` of what stands around them ends with ``answer``."""
    # A line feed stands for the end of a string: it has no case, and is not passed over.
    texts = "\n".join([before + c + after for c in asked])
    found = getattr(texts, method)().split("\n")
    return {c for c, text in zip(asked, found, strict=True) if text[-1] == answer}


def _with_context() -> list[str]:
    """All characters but those of blocks that have only letters without case, or nothing."""
    found: list[str] = []
    for start in range(0, len(_POINTS), 256):
        block = "".join(map(chr, range(start, start + 256)))
        categories = set(map(category, block))
        if not categories <= _PLAIN or block.islower() or block.isupper():
            found += block
    found.remove("\n")
    return found


def _classes() -> list[int]:
    """The classes of every character, as bits."""
    bit = {name: 1 << i for i, name in enumerate(CLASSES)}
    number = bit["DECIMAL"], bit["DIGIT"], bit["NUMERIC"]
    found = []
    for c in map(chr, _POINTS):
        classes = 0
        if c.isalnum():
            classes = bit["ALPHA"] * c.isalpha()
            if c.isnumeric():
                classes |= number[0] * c.isdecimal() + number[1] * c.isdigit() + number[2]
        elif c.isspace():
            classes = bit["SPACE"]
        found.append(classes)
    asked = _with_context()
    for c in _answers(asked, "", "a", "title", "a"):
        cased = bit["CASED"] | bit["UPPER"] * c.isupper() | bit["LOWER"] * c.islower()
        found[ord(c)] |= cased | bit["TITLE"] * (c.istitle() and not c.isupper())
    final = _answers(asked, "A", _SIGMA, "lower", _FINAL_SIGMA)
    for c in final - _answers(asked, "", _SIGMA, "lower", _FINAL_SIGMA):
        found[ord(c)] |= bit["IGNORABLE"]
    for point in _POINTS:
        # What repr() writes as an escape.
        if not chr(point).isprintable():
            found[point] |= bit["HIDDEN"]
    return found


def _changed() -> list[str]:
    """Characters that some map may change."""
    found: list[str] = []
    for start in range(0, len(_POINTS), 256):
        block = "".join(map(chr, range(start, start + 256)))
        if any(method(block) != block for method in _MAPS.values()):
            found += block
    return found


def _runs(pairs: list[tuple[int, int]]) -> Iterator[int]:
    """First character, count, step and difference of characters that are mapped alike."""
    at = 0
    while at < len(pairs):
        first, to = pairs[at]
        step = pairs[at + 1][0] - first if at + 1 < len(pairs) else 1
        step = step if step in (1, 2) else 1
        count = 1
        while pairs[at + count : at + count + 1] == [(first + step * count, to + step * count)]:
            count += 1
        yield from (first, count, step, to - first)
        at += count


@lru_cache(maxsize=1)
def source() -> str:
    """The Java class ``PyUnicode``."""
    classes = _classes()
    runs = [n for key, group in groupby(classes) for n in (len(list(group)), key)]
    decimal = 1 << CLASSES.index("DECIMAL")
    zeros = [c for c in _POINTS if classes[c] & decimal and int(chr(c)) == 0]
    changed = _changed()
    read = []
    for name, method in _MAPS.items():
        pairs = [(c, method(c)) for c in changed]
        single = [(ord(c), ord(to)) for c, to in pairs if to != c and len(to) == 1]
        many = [n for c, to in pairs if len(to) > 1 for n in (ord(c), len(to), *map(ord, to))]
        read.append(f"        read({name}, {_constant(_runs(single))}, {_constant(many)});")
    constants = [f"    static final int {name} = {1 << i};" for i, name in enumerate(CLASSES)]
    return (
        _JAVA.replace("@CONSTANTS@", "\n".join(constants))
        .replace("@ZERO_COUNT@", str(len(zeros)))
        .replace("@RUNS@", _constant(runs))
        .replace("@ZEROS@", _constant(zeros))
        .replace("@READ@", "\n".join(read))
    )
