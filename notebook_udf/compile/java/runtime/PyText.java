package notebookudf;

import java.util.ArrayList;

/**
 * Python's str: positions, search, splitting and stripping. Positions count code points;
 * a String without surrogates, which is nearly every one, is read as it is. Lone surrogates, which
 * no column of Spark has, are not provided for.
 */
public final class PyText {
    /** Letters of a text that is made at once: Spark shares its memory with all that it runs. */
    static final int MOST = 1 << 26;

    private PyText() {
    }

    /** Whether a character takes two of Java's. Of Latin letters Java knows it without a look. */
    private static boolean isWide(String s) {
        int n = s.length();
        return s.codePointCount(0, n) != n;
    }

    public static long len(String s) {
        return s.codePointCount(0, s.length());
    }

    /** s[i]. */
    public static String item(String s, long i) {
        boolean wide = isWide(s);
        int n = wide ? s.codePointCount(0, s.length()) : s.length();
        long at = i < 0 ? i + n : i;
        if (at < 0 || at >= n) {
            throw Raised.INDEX;
        }
        if (!wide) {
            char c = s.charAt((int) at);
            return c < 128 ? PyLetters.ascii(c) : String.valueOf(c);
        }
        int from = s.offsetByCodePoints(0, (int) at);
        return s.substring(from, s.offsetByCodePoints(from, 1));
    }

    static long within(Long position, long n, long least, long most, long absent) {
        if (position == null) {
            return absent;
        }
        long at = position.longValue();
        if (at < 0) {
            at += n;
            return at < least ? least : at;
        }
        return at > most ? most : at;
    }

    private static String between(String s, boolean wide, long start, long stop) {
        if (start >= stop) {
            return "";
        }
        if (!wide) {
            return s.substring((int) start, (int) stop);
        }
        int from = s.offsetByCodePoints(0, (int) start);
        return s.substring(from, s.offsetByCodePoints(from, (int) (stop - start)));
    }

    /** s[::-1]. */
    private static String backwards(String s) {
        byte[] letters = PyCase.asciiLetters(s);
        if (letters == null) {
            return new StringBuilder(s).reverse().toString();
        }
        PyCase.turn(letters, 0, letters.length);
        return new String(letters, 0);
    }

    /** s[start:stop:step]; null is what is left out. */
    public static String slice(String s, Long start, Long stop, Long step) {
        if (step != null && step.longValue() == -1 && start == null && stop == null) {
            return backwards(s);
        }
        boolean wide = isWide(s);
        long n = wide ? s.codePointCount(0, s.length()) : s.length();
        long by = step == null ? 1L : step.longValue();
        if (by == 0) {
            throw Raised.VALUE;
        }
        if (by > 0) {
            long from = within(start, n, 0, n, 0);
            long to = within(stop, n, 0, n, n);
            if (by == 1) {
                return between(s, wide, from, to);
            }
            return steps(s, wide, from, by, from < to ? (to - from - 1) / by + 1 : 0);
        }
        long back = by == Long.MIN_VALUE ? Long.MAX_VALUE : -by;
        long from = within(start, n, -1, n - 1, n - 1);
        long to = within(stop, n, -1, n - 1, -1);
        return steps(s, wide, from, -back, from > to ? (from - to - 1) / back + 1 : 0);
    }

    private static String steps(String s, boolean wide, long from, long by, long count) {
        if (count == 0) {
            return "";
        }
        if (wide) {
            int[] points = s.codePoints().toArray();
            int[] made = new int[(int) count];
            for (int k = 0; k < made.length; k++) {
                made[k] = points[(int) (from + k * by)];
            }
            return new String(made, 0, made.length);
        }
        char[] made = new char[(int) count];
        for (int k = 0; k < made.length; k++) {
            made[k] = s.charAt((int) (from + k * by));
        }
        return new String(made);
    }

    static boolean isSpace(int c) {
        if (c < 128) {
            return c == ' ' || (c >= 9 && c <= 13) || (c >= 28 && c <= 31);
        }
        return PyUnicode.is(c, PyUnicode.SPACE);
    }

    public static String strip(String s) {
        return stripped(s, null, true, true);
    }

    public static String lstrip(String s) {
        return stripped(s, null, true, false);
    }

    public static String rstrip(String s) {
        return stripped(s, null, false, true);
    }

    public static String strip(String s, String chars) {
        return stripped(s, chars, true, true);
    }

    public static String lstrip(String s, String chars) {
        return stripped(s, chars, true, false);
    }

    public static String rstrip(String s, String chars) {
        return stripped(s, chars, false, true);
    }

    static boolean isAmong(int c, String chars) {
        return chars == null ? isSpace(c) : chars.indexOf(c) >= 0;
    }

    static String stripped(String s, String chars, boolean left, boolean right) {
        int from = 0;
        int to = s.length();
        while (left && from < to) {
            int c = s.codePointAt(from);
            if (!isAmong(c, chars)) {
                break;
            }
            from += Character.charCount(c);
        }
        while (right && from < to) {
            int c = s.codePointBefore(to);
            if (!isAmong(c, chars)) {
                break;
            }
            to -= Character.charCount(c);
        }
        return s.substring(from, to);
    }

    /** Where the part of s.split(sep) that begins at a place ends. */
    private static int end(String s, String sep, int from) {
        // Of one letter it is found several times as fast.
        int letter = sep.length() == 1 ? (int) sep.charAt(0) : -1;
        int found = letter < 0 ? s.indexOf(sep, from) : s.indexOf(letter, from);
        return found < 0 ? s.length() : found;
    }

    private static int afterSpaces(String s, int at) {
        while (at < s.length() && isSpace(s.charAt(at))) {
            at++;
        }
        return at;
    }

    private static int afterWord(String s, int at) {
        while (at < s.length() && !isSpace(s.charAt(at))) {
            at++;
        }
        return at;
    }

    /** len(s.split(sep, maxsplit)). */
    public static long parts(String s, String sep, long maxsplit) {
        if (maxsplit >= 0 || (sep != null && sep.isEmpty())) {
            return split(s, sep, maxsplit).size();
        }
        long count = 0;
        if (sep == null) {
            for (int at = afterSpaces(s, 0); at < s.length(); count++) {
                at = afterSpaces(s, afterWord(s, at));
            }
            return count;
        }
        for (int at = 0; at <= s.length(); count++) {
            at = end(s, sep, at) + sep.length();
        }
        return count;
    }

    /** s.split(sep, maxsplit)[index]. */
    public static String part(String s, String sep, long maxsplit, long index) {
        if (sep != null && maxsplit < 0 && sep.length() == 1 && index == -1) {
            return s.substring(s.lastIndexOf(sep.charAt(0)) + 1);
        }
        if (index < 0 || maxsplit >= 0 || (sep != null && sep.isEmpty())) {
            return (String) PyList.item(split(s, sep, maxsplit), index);
        }
        // Where there may be no part any more.
        int last = sep == null ? s.length() : s.length() + 1;
        int at = sep == null ? afterSpaces(s, 0) : 0;
        for (long left = index; left > 0 && at < last; left--) {
            at = sep == null ? afterSpaces(s, afterWord(s, at)) : end(s, sep, at) + sep.length();
        }
        if (at >= last) {
            throw Raised.INDEX;
        }
        return s.substring(at, sep == null ? afterWord(s, at) : end(s, sep, at));
    }

    /** s.split(sep, maxsplit); a null sep is whitespace. */
    public static ArrayList split(String s, String sep, long maxsplit) {
        ArrayList parts = new ArrayList(4);
        long left = maxsplit < 0 ? Long.MAX_VALUE : maxsplit;
        int n = s.length();
        int at = 0;
        if (sep != null) {
            if (sep.isEmpty()) {
                throw Raised.VALUE;
            }
            while (left-- > 0) {
                int to = end(s, sep, at);
                if (to == n) {
                    break;
                }
                parts.add(s.substring(at, to));
                at = to + sep.length();
            }
            parts.add(s.substring(at));
            return parts;
        }
        // No whitespace has a surrogate.
        while (true) {
            at = afterSpaces(s, at);
            if (at == n) {
                return parts;
            }
            if (left-- == 0) {
                parts.add(s.substring(at));
                return parts;
            }
            int from = at;
            at = afterWord(s, from);
            parts.add(s.substring(from, at));
        }
    }

    /** s.rsplit(sep, maxsplit); a null sep is whitespace. */
    public static ArrayList rsplit(String s, String sep, long maxsplit) {
        if (maxsplit < 0 && sep == null) {
            return split(s, null, -1);
        }
        ArrayList parts = new ArrayList();
        long left = maxsplit < 0 ? Long.MAX_VALUE : maxsplit;
        int at = s.length();
        if (sep != null) {
            if (sep.isEmpty()) {
                throw Raised.VALUE;
            }
            while (left-- > 0 && at >= sep.length()) {
                int found = s.lastIndexOf(sep, at - sep.length());
                if (found < 0) {
                    break;
                }
                parts.add(s.substring(found + sep.length(), at));
                at = found;
            }
            parts.add(s.substring(0, at));
            java.util.Collections.reverse(parts);
            return parts;
        }
        while (true) {
            while (at > 0 && isSpace(s.charAt(at - 1))) {
                at--;
            }
            if (at == 0) {
                break;
            }
            if (left-- == 0) {
                parts.add(s.substring(0, at));
                break;
            }
            int to = at;
            while (at > 0 && !isSpace(s.charAt(at - 1))) {
                at--;
            }
            parts.add(s.substring(at, to));
        }
        java.util.Collections.reverse(parts);
        return parts;
    }

    public static ArrayList splitlines(String s) {
        ArrayList lines = new ArrayList();
        int n = s.length();
        int from = 0;
        for (int i = 0; i < n; i++) {
            char c = s.charAt(i);
            if ((c >= 10 && c <= 13) || (c >= 28 && c <= 30) || c == 0x85 || c == 0x2028
                    || c == 0x2029) {
                lines.add(s.substring(from, i));
                if (c == '\r' && i + 1 < n && s.charAt(i + 1) == '\n') {
                    i++;
                }
                from = i + 1;
            }
        }
        if (from < n) {
            lines.add(s.substring(from));
        }
        return lines;
    }

    public static String join(String s, ArrayList parts) {
        int n = parts.size();
        long length = (long) s.length() * n;
        boolean hasOthers = false;
        for (int i = 0; i < n; i++) {
            Object part = parts.get(i);
            if (!(part instanceof String)) {
                throw Raised.TYPE;
            }
            length += ((String) part).length();
            hasOthers = hasOthers || ((String) part).length() != 1;
        }
        if (n == 1) {
            return (String) parts.get(0);
        }
        if (n > 0 && !hasOthers && s.isEmpty()) {
            return ofLetters(parts);
        }
        StringBuilder made = new StringBuilder((int) Math.min(length, 1 << 20));
        for (int i = 0; i < n; i++) {
            if (i > 0) {
                made.append(s);
            }
            PyJoined.put(made, (String) parts.get(i));
        }
        return made.toString();
    }

    /** A text of so many texts of one letter each. */
    private static String ofLetters(ArrayList letters) {
        char[] made = new char[letters.size()];
        for (int i = 0; i < made.length; i++) {
            made[i] = ((String) letters.get(i)).charAt(0);
        }
        return new String(made);
    }

    /** s.replace(old, by, count). */
    public static String replace(String s, String old, String by, long count) {
        if (count < 0 && !old.isEmpty()) {
            return s.replace(old, by);
        }
        long left = count < 0 ? Long.MAX_VALUE : count;
        StringBuilder made = new StringBuilder();
        int at = 0;
        if (old.isEmpty()) {
            while (left-- > 0) {
                made.append(by);
                if (at == s.length()) {
                    return made.toString();
                }
                int to = s.offsetByCodePoints(at, 1);
                made.append(s, at, to);
                at = to;
            }
            return made.append(s, at, s.length()).toString();
        }
        int found = left > 0 ? s.indexOf(old) : -1;
        if (found < 0) {
            return s;
        }
        while (found >= 0) {
            made.append(s, at, found).append(by);
            at = found + old.length();
            found = --left > 0 ? s.indexOf(old, at) : -1;
        }
        return made.append(s, at, s.length()).toString();
    }

    /** s.find(sub, start, stop); null is what is left out. */
    public static long find(String s, String sub, Long start, Long stop) {
        return sought(s, sub, start, stop, false);
    }

    /** s.rfind(sub, start, stop); null is what is left out. */
    public static long rfind(String s, String sub, Long start, Long stop) {
        return sought(s, sub, start, stop, true);
    }

    /** s.index(sub, start, stop); null is what is left out. */
    public static long index(String s, String sub, Long start, Long stop) {
        return required(sought(s, sub, start, stop, false));
    }

    /** s.rindex(sub, start, stop); null is what is left out. */
    public static long rindex(String s, String sub, Long start, Long stop) {
        return required(sought(s, sub, start, stop, true));
    }

    private static long required(long found) {
        if (found < 0) {
            throw Raised.VALUE;
        }
        return found;
    }

    private static long sought(String s, String sub, Long start, Long stop, boolean last) {
        boolean wide = isWide(s);
        if (start == null && stop == null) {
            int found = last ? s.lastIndexOf(sub) : s.indexOf(sub);
            return found < 0 || !wide ? found : s.codePointCount(0, found);
        }
        long n = wide ? s.codePointCount(0, s.length()) : s.length();
        // Past the end there is not even an empty string.
        long from = within(start, n, 0, n + 1, 0);
        long to = within(stop, n, 0, n, n);
        if (from > to) {
            return -1;
        }
        String part = between(s, wide, from, to);
        int found = last ? part.lastIndexOf(sub) : part.indexOf(sub);
        if (found < 0) {
            return -1;
        }
        return from + (wide ? part.codePointCount(0, found) : found);
    }

    /** s.count(sub, start, stop); null is what is left out. */
    public static long count(String s, String sub, Long start, Long stop) {
        String part = s;
        if (start != null || stop != null) {
            boolean wide = isWide(s);
            long n = wide ? s.codePointCount(0, s.length()) : s.length();
            long from = within(start, n, 0, n + 1, 0);
            long to = within(stop, n, 0, n, n);
            if (from > to) {
                return 0;
            }
            part = between(s, wide, from, to);
        }
        if (sub.isEmpty()) {
            return len(part) + 1;
        }
        long many = 0;
        int found = part.indexOf(sub);
        while (found >= 0) {
            many++;
            found = part.indexOf(sub, found + sub.length());
        }
        return many;
    }

    public static boolean startswith(String s, String prefix) {
        return s.startsWith(prefix);
    }

    public static boolean endswith(String s, String suffix) {
        return s.endsWith(suffix);
    }

    /** sub in s. */
    public static boolean contains(String s, String sub) {
        return s.indexOf(sub) >= 0;
    }

    public static String removeprefix(String s, String prefix) {
        return s.startsWith(prefix) ? s.substring(prefix.length()) : s;
    }

    public static String removesuffix(String s, String suffix) {
        return s.endsWith(suffix) ? s.substring(0, s.length() - suffix.length()) : s;
    }

    /** s.partition(sep), as a list. */
    public static ArrayList partition(String s, String sep) {
        if (sep.isEmpty()) {
            throw Raised.VALUE;
        }
        int found = s.indexOf(sep);
        if (found < 0) {
            return three(s, "", "");
        }
        return three(s.substring(0, found), sep, s.substring(found + sep.length()));
    }

    /** s.rpartition(sep), as a list. */
    public static ArrayList rpartition(String s, String sep) {
        if (sep.isEmpty()) {
            throw Raised.VALUE;
        }
        int found = s.lastIndexOf(sep);
        if (found < 0) {
            return three("", "", s);
        }
        return three(s.substring(0, found), sep, s.substring(found + sep.length()));
    }

    private static ArrayList three(String before, String sep, String after) {
        ArrayList parts = new ArrayList(3);
        parts.add(before);
        parts.add(sep);
        parts.add(after);
        return parts;
    }

    /** s * n; raises where the result is longer than a String can be, which Python's may be. */
    public static String times(String s, long n) {
        if (n <= 0 || s.isEmpty()) {
            return "";
        }
        if (n > Integer.MAX_VALUE / s.length()) {
            throw Raised.RAISED;
        }
        if (n > MOST / s.length()) {
            throw GaveUp.GAVE_UP;
        }
        return n == 1 ? s : s.repeat((int) n);
    }

    public static long ord(String s) {
        if (s.isEmpty() || s.length() != Character.charCount(s.codePointAt(0))) {
            throw Raised.TYPE;
        }
        return s.codePointAt(0);
    }

    /** chr(c); raises for a surrogate too, of which Spark makes no string. */
    public static String chr(long c) {
        if (c < 0 || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) {
            throw Raised.VALUE;
        }
        return c < 0x10000 ? String.valueOf((char) c) : new String(Character.toChars((int) c));
    }

    /** Less than, equal to or greater than 0, as s is than t, by code points. */
    public static int compare(String s, String t) {
        int n = Math.min(s.length(), t.length());
        for (int i = 0; i < n; i++) {
            char a = s.charAt(i);
            char b = t.charAt(i);
            if (a != b) {
                // A surrogate stands for more than any other char does.
                boolean high = Character.isSurrogate(a);
                return high == Character.isSurrogate(b) ? a - b : high ? 1 : -1;
            }
        }
        return s.length() - t.length();
    }
}
