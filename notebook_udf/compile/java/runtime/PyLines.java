package notebookudf;

import java.util.ArrayList;

/** Methods of a text by its lines and columns, and prefixes and suffixes of a part of it. */
public final class PyLines {
    private PyLines() {
    }

    private static boolean ends(char c) {
        return (c >= 10 && c <= 13) || (c >= 28 && c <= 30) || c == 0x85 || c == 0x2028
            || c == 0x2029;
    }

    /** s.splitlines(keepends). */
    public static ArrayList splitlines(String s, boolean keeps) {
        if (!keeps) {
            return PyText.splitlines(s);
        }
        ArrayList lines = new ArrayList();
        int n = s.length(), from = 0;
        for (int i = 0; i < n; i++) {
            char c = s.charAt(i);
            if (ends(c)) {
                i += c == '\r' && i + 1 < n && s.charAt(i + 1) == '\n' ? 1 : 0;
                lines.add(s.substring(from, i + 1));
                from = i + 1;
            }
        }
        if (from < n) {
            lines.add(s.substring(from));
        }
        return lines;
    }

    /** s.expandtabs(size). */
    public static String expandtabs(String s, long size) {
        if (size > Integer.MAX_VALUE || size < Integer.MIN_VALUE) {
            throw Raised.OVERFLOW;
        }
        if (s.indexOf('\t') < 0) {
            return s;
        }
        StringBuilder made = new StringBuilder(s.length() + 16);
        long column = 0;
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c == '\t') {
                long more = size > 0 ? size - column % size : 0;
                column += more;
                if (made.length() + more > PyText.MOST) {
                    throw GaveUp.GAVE_UP;
                }
                PyFormat.fill(made, " ", more);
                continue;
            }
            made.append(c);
            column = c == '\n' || c == '\r' ? 0 : column + (Character.isLowSurrogate(c) ? 0 : 1);
        }
        return made.toString();
    }

    private static int place(String s, Long asked, int absent) {
        if (asked == null) {
            return absent;
        }
        long length = PyText.len(s), at = asked.longValue();
        at = at < 0 ? Math.max(0, at + length) : at;
        return at > length ? -1 : s.offsetByCodePoints(0, (int) at);
    }

    /** s.startswith(sub, start, stop) or s.endswith(...); null is what is left out. */
    private static boolean has(String s, String sub, Long start, Long stop, boolean first) {
        int from = place(s, start, 0), to = place(s, stop, s.length());
        to = to < 0 ? s.length() : to;
        if (from < 0 || to - sub.length() < from) {
            return false;
        }
        return s.startsWith(sub, first ? from : to - sub.length());
    }

    public static boolean startswith(String s, String sub, Long start, Long stop) {
        return has(s, sub, start, stop, true);
    }

    public static boolean endswith(String s, String sub, Long start, Long stop) {
        return has(s, sub, start, stop, false);
    }
}
