package notebookudf;

import org.apache.spark.unsafe.types.UTF8String;

/**
 * A text that several methods change one after the other. Once one of them makes another text of
 * it, the letters of it are taken, if all are ASCII: what follows changes them where they stand.
 */
public final class PySteps {
    private String text;
    // Instead of the text, once they are taken.
    private byte[] letters;
    private int from;
    private int to;
    private boolean isWide;

    public PySteps(String s) {
        text = s;
    }

    public String text() {
        if (letters == null) {
            return text;
        }
        int count = to - from;
        return count == 0 ? "" : count == 1 ? PyLetters.ascii(letters[from])
                : new String(letters, 0, from, count);
    }

    /** The text as Spark holds it. */
    public Object sparks() {
        return letters == null ? (Object) text : UTF8String.fromBytes(letters, from, to - from);
    }

    /** Takes the letters; whether there are only such of ASCII. */
    private boolean taken() {
        if (letters == null && !isWide) {
            letters = PyCase.asciiLetters(text);
            isWide = letters == null;
            from = 0;
            to = text.length();
        }
        return letters != null;
    }

    private PySteps now(String made) {
        letters = null;
        text = made;
        return this;
    }

    public PySteps upper() {
        if (!taken()) {
            return now(PyCase.upper(text));
        }
        PyCase.flip(letters, from, to, 'a', 'z');
        return this;
    }

    public PySteps lower() {
        if (!taken()) {
            return now(PyCase.lower(text));
        }
        PyCase.flip(letters, from, to, 'A', 'Z');
        return this;
    }

    public PySteps casefold() {
        return taken() ? lower() : now(PyCase.casefold(text));
    }

    public PySteps capitalize() {
        if (!taken()) {
            return now(PyCase.capitalize(text));
        }
        if (from < to) {
            PyCase.flip(letters, from, from + 1, 'a', 'z');
            PyCase.flip(letters, from + 1, to, 'A', 'Z');
        }
        return this;
    }

    public PySteps title() {
        if (!taken()) {
            return now(PyCase.title(text));
        }
        PyCase.makeTitle(letters, from, to);
        return this;
    }

    public PySteps swapcase() {
        return now(PyCase.swapcase(text()));
    }

    public PySteps strip(String chars) {
        return stripped(chars, true, true);
    }

    public PySteps lstrip(String chars) {
        return stripped(chars, true, false);
    }

    public PySteps rstrip(String chars) {
        return stripped(chars, false, true);
    }

    private PySteps stripped(String chars, boolean left, boolean right) {
        if (letters == null) {
            return now(PyText.stripped(text, chars, left, right));
        }
        while (left && from < to && PyText.isAmong(letters[from], chars)) {
            from++;
        }
        while (right && from < to && PyText.isAmong(letters[to - 1], chars)) {
            to--;
        }
        return this;
    }

    private static boolean isLetter(String s) {
        return s.length() == 1 && s.charAt(0) < 128;
    }

    public PySteps replace(String old, String by, long count) {
        if (letters == null && text.indexOf(old) < 0) {
            return this;
        }
        boolean byLetter = isLetter(by);
        boolean isShort = isLetter(old) && (byLetter || by.isEmpty());
        if (count >= 0 || !isShort || !taken()) {
            return now(PyText.replace(text(), old, by, count));
        }
        byte sought = (byte) old.charAt(0);
        int kept = from;
        for (int i = from; i < to; i++) {
            byte letter = letters[i];
            if (letter != sought) {
                letters[kept++] = letter;
            } else if (byLetter) {
                letters[kept++] = (byte) by.charAt(0);
            }
        }
        to = kept;
        return this;
    }

    private boolean has(String part, int at) {
        if (at < from || at + part.length() > to) {
            return false;
        }
        for (int i = 0; i < part.length(); i++) {
            if (letters[at + i] != part.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    public PySteps removeprefix(String prefix) {
        if (letters == null) {
            return now(PyText.removeprefix(text, prefix));
        }
        from += has(prefix, from) ? prefix.length() : 0;
        return this;
    }

    public PySteps removesuffix(String suffix) {
        if (letters == null) {
            return now(PyText.removesuffix(text, suffix));
        }
        to -= has(suffix, to - suffix.length()) ? suffix.length() : 0;
        return this;
    }

    /** [start:stop:step]; null is what is left out. */
    public PySteps slice(Long start, Long stop, Long step) {
        long by = step == null ? 1L : step.longValue();
        boolean whole = start == null && stop == null;
        if (by == -1 && whole && taken()) {
            PyCase.turn(letters, from, to);
            return this;
        }
        if (letters == null || by != 1) {
            return now(PyText.slice(text(), start, stop, step));
        }
        int count = to - from;
        int first = (int) PyText.within(start, count, 0, count, 0);
        int last = (int) PyText.within(stop, count, 0, count, count);
        to = from + Math.max(first, last);
        from += first;
        return this;
    }
}
