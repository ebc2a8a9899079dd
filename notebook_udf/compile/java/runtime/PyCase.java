package notebookudf;

import java.nio.ByteBuffer;

/** Python's str: upper and lower case, and the classes of characters. */
public final class PyCase {
    private static final int SIGMA = 0x3A3;
    /** A number as each of a long's eight bytes, where it is multiplied by this. */
    private static final long EACH = 0x0101010101010101L;

    private PyCase() {
    }

    private static boolean isUpper(int c) {
        return c < 128 ? c >= 'A' && c <= 'Z' : PyUnicode.is(c, PyUnicode.UPPER);
    }

    private static boolean isLower(int c) {
        return c < 128 ? c >= 'a' && c <= 'z' : PyUnicode.is(c, PyUnicode.LOWER);
    }

    private static boolean isTitle(int c) {
        return c >= 128 && PyUnicode.is(c, PyUnicode.TITLE);
    }

    private static void append(StringBuilder made, int[][] map, int c) {
        int to = PyUnicode.mapped(map, c);
        if (to < 0) {
            made.append(PyUnicode.many(to));
        } else {
            made.appendCodePoint(to);
        }
    }

    /** Appends the lower case of c, which is s's character at i: a sigma's depends on others. */
    private static void appendLower(StringBuilder made, String s, int i, int c) {
        if (c < 128) {
            made.append((char) (c >= 'A' && c <= 'Z' ? c + 32 : c));
        } else if (c == SIGMA) {
            made.append(isFinal(s, i) ? '\u03C2' : '\u03C3');
        } else {
            append(made, PyUnicode.LOWERS, c);
        }
    }

    private static boolean isFinal(String s, int i) {
        int before = i;
        int c = 0;
        while (before > 0) {
            c = s.codePointBefore(before);
            if (!PyUnicode.is(c, PyUnicode.IGNORABLE)) {
                break;
            }
            before -= Character.charCount(c);
        }
        if (before == 0 || !PyUnicode.is(c, PyUnicode.CASED)) {
            return false;
        }
        int after = i + 1;
        while (after < s.length()) {
            c = s.codePointAt(after);
            if (!PyUnicode.is(c, PyUnicode.IGNORABLE)) {
                return !PyUnicode.is(c, PyUnicode.CASED);
            }
            after += Character.charCount(c);
        }
        return true;
    }

    /** Where s first has other than ASCII: its length if nowhere. */
    private static int ascii(String s) {
        int n = s.length();
        int i = 0;
        while (i < n && s.charAt(i) < 128) {
            i++;
        }
        return i;
    }

    /** The letters of an ASCII text, null of any other: Java counts and copies them at once. */
    static byte[] asciiLetters(String s) {
        byte[] made = s.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        return made.length == s.length() ? made : null;
    }

    /**
     * Bits 0x20 of eight ASCII letters, those from least to most: to flip them changes their case.
     * A sum whose highest bit is set says of each whether it is no less, and whether it is greater.
     */
    private static long cases(long letters, int least, int most) {
        long noLess = letters + EACH * (128 - least);
        long greater = letters + EACH * (127 - most);
        return (noLess & ~greater & EACH * 128) >>> 2;
    }

    /** Flips the case of ASCII letters from least to most in a range; whether there are any. */
    static boolean flip(byte[] letters, int from, int to, int least, int most) {
        ByteBuffer eight = ByteBuffer.wrap(letters);
        long changed = 0;
        int i = from;
        for (; i + 8 <= to; i += 8) {
            long flips = cases(eight.getLong(i), least, most);
            eight.putLong(i, eight.getLong(i) ^ flips);
            changed |= flips;
        }
        for (; i < to; i++) {
            long flips = cases(letters[i], least, most);
            letters[i] ^= (byte) flips;
            changed |= flips;
        }
        return changed != 0;
    }

    /** The text s, whose ASCII letters are given; those from least to most flip. */
    private static String flipped(String s, byte[] letters, int least, int most) {
        return flip(letters, 0, letters.length, least, most) ? new String(letters, 0) : s;
    }

    /** Turns a range of letters round. */
    static void turn(byte[] letters, int from, int to) {
        for (int i = from, j = to - 1; i < j; i++, j--) {
            byte letter = letters[i];
            letters[i] = letters[j];
            letters[j] = letter;
        }
    }

    /** Makes a range of ASCII letters a title. */
    static void makeTitle(byte[] letters, int from, int to) {
        boolean inside = false;
        for (int i = from; i < to; i++) {
            int c = letters[i];
            boolean upper = c >= 'A' && c <= 'Z';
            boolean lower = c >= 'a' && c <= 'z';
            if (inside && upper) {
                letters[i] = (byte) (c + 32);
            } else if (!inside && lower) {
                letters[i] = (byte) (c - 32);
            }
            inside = upper || lower;
        }
    }

    public static String upper(String s) {
        if (s.length() == 1 && s.charAt(0) < 128) {
            int c = s.charAt(0);
            return PyLetters.ascii(c >= 'a' && c <= 'z' ? c - 32 : c);
        }
        byte[] letters = asciiLetters(s);
        if (letters != null) {
            return flipped(s, letters, 'a', 'z');
        }
        int n = s.length();
        StringBuilder made = new StringBuilder(n + 8);
        for (int i = 0; i < n;) {
            int c = s.codePointAt(i);
            append(made, PyUnicode.UPPERS, c);
            i += Character.charCount(c);
        }
        return made.toString();
    }

    public static String lower(String s) {
        if (s.length() == 1 && s.charAt(0) < 128) {
            int c = s.charAt(0);
            return PyLetters.ascii(c >= 'A' && c <= 'Z' ? c + 32 : c);
        }
        byte[] letters = asciiLetters(s);
        if (letters != null) {
            return flipped(s, letters, 'A', 'Z');
        }
        StringBuilder made = new StringBuilder(s.length() + 8);
        lowerFrom(made, s, 0);
        return made.toString();
    }

    private static void lowerFrom(StringBuilder made, String s, int from) {
        for (int i = from; i < s.length();) {
            int c = s.codePointAt(i);
            appendLower(made, s, i, c);
            i += Character.charCount(c);
        }
    }

    public static String casefold(String s) {
        int n = s.length();
        if (ascii(s) == n) {
            return lower(s);
        }
        StringBuilder made = new StringBuilder(n + 8);
        for (int i = 0; i < n;) {
            int c = s.codePointAt(i);
            append(made, PyUnicode.FOLDS, c);
            i += Character.charCount(c);
        }
        return made.toString();
    }

    private static void appendTitle(StringBuilder made, int c) {
        if (c < 128) {
            made.append((char) (c >= 'a' && c <= 'z' ? c - 32 : c));
        } else {
            append(made, PyUnicode.TITLES, c);
        }
    }

    public static String capitalize(String s) {
        if (s.isEmpty()) {
            return s;
        }
        byte[] letters = asciiLetters(s);
        if (letters != null) {
            boolean first = flip(letters, 0, 1, 'a', 'z');
            boolean others = flip(letters, 1, letters.length, 'A', 'Z');
            return first || others ? new String(letters, 0) : s;
        }
        StringBuilder made = new StringBuilder(s.length() + 8);
        int c = s.codePointAt(0);
        appendTitle(made, c);
        lowerFrom(made, s, Character.charCount(c));
        return made.toString();
    }

    public static String title(String s) {
        byte[] letters = asciiLetters(s);
        if (letters != null) {
            makeTitle(letters, 0, letters.length);
            return new String(letters, 0);
        }
        StringBuilder made = new StringBuilder(s.length() + 8);
        boolean inside = false;
        for (int i = 0; i < s.length();) {
            int c = s.codePointAt(i);
            if (inside) {
                appendLower(made, s, i, c);
            } else {
                appendTitle(made, c);
            }
            inside = c < 128
                    ? (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                    : PyUnicode.is(c, PyUnicode.CASED);
            i += Character.charCount(c);
        }
        return made.toString();
    }

    public static String swapcase(String s) {
        StringBuilder made = new StringBuilder(s.length() + 8);
        for (int i = 0; i < s.length();) {
            int c = s.codePointAt(i);
            if (isUpper(c)) {
                appendLower(made, s, i, c);
            } else if (isLower(c)) {
                append(made, PyUnicode.UPPERS, c);
            } else {
                made.appendCodePoint(c);
            }
            i += Character.charCount(c);
        }
        return made.toString();
    }

    private static boolean all(String s, int classes) {
        int n = s.length();
        for (int i = 0; i < n;) {
            int c = s.charAt(i);
            if (Character.isSurrogate((char) c)) {
                c = s.codePointAt(i);
            }
            if (!PyUnicode.is(c, classes)) {
                return false;
            }
            i += c < 0x10000 ? 1 : 2;
        }
        return n > 0;
    }

    private static int asciiClass(int c) {
        if (c >= '0' && c <= '9') {
            return PyUnicode.DECIMAL | PyUnicode.DIGIT | PyUnicode.NUMERIC;
        }
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? PyUnicode.ALPHA : 0;
    }

    /** Whether s is not empty, and each of its characters is of one of the classes. */
    private static boolean every(String s, int classes) {
        int n = s.length();
        for (int i = 0; i < n; i++) {
            char c = s.charAt(i);
            if (c >= 128) {
                return all(s, classes);
            }
            if ((asciiClass(c) & classes) == 0) {
                return false;
            }
        }
        return n > 0;
    }

    public static boolean isalpha(String s) {
        return every(s, PyUnicode.ALPHA);
    }

    public static boolean isdecimal(String s) {
        return every(s, PyUnicode.DECIMAL);
    }

    public static boolean isdigit(String s) {
        return every(s, PyUnicode.DIGIT);
    }

    public static boolean isnumeric(String s) {
        return every(s, PyUnicode.NUMERIC);
    }

    public static boolean isalnum(String s) {
        return every(s, PyUnicode.ALPHA | PyUnicode.DECIMAL | PyUnicode.DIGIT | PyUnicode.NUMERIC);
    }

    public static boolean isspace(String s) {
        for (int i = 0; i < s.length(); i++) {
            if (!PyText.isSpace(s.charAt(i))) {
                return false;
            }
        }
        return !s.isEmpty();
    }

    public static boolean isascii(String s) {
        return ascii(s) == s.length();
    }

    /** Whether s has letters of one case, and none of another. */
    private static boolean isOfCase(String s, boolean upper) {
        boolean any = false;
        for (int i = 0; i < s.length();) {
            int c = s.codePointAt(i);
            if (isTitle(c) || (upper ? isLower(c) : isUpper(c))) {
                return false;
            }
            any = any || (upper ? isUpper(c) : isLower(c));
            i += Character.charCount(c);
        }
        return any;
    }

    public static boolean isupper(String s) {
        return isOfCase(s, true);
    }

    public static boolean islower(String s) {
        return isOfCase(s, false);
    }

    public static boolean istitle(String s) {
        boolean any = false;
        boolean inside = false;
        for (int i = 0; i < s.length();) {
            int c = s.codePointAt(i);
            boolean begins = isUpper(c) || isTitle(c);
            boolean continues = isLower(c);
            if (begins ? inside : continues && !inside) {
                return false;
            }
            inside = begins || continues;
            any = any || inside;
            i += Character.charCount(c);
        }
        return any;
    }
}
