package notebookudf;

import java.util.HashMap;

/** html.unescape, by the names that this Python knows. */
public final class PyHtml {
    private static final int MOST_LETTERS = 32;
    private static final HashMap NAMES = new HashMap();
    private static final HashMap NUMBERS = new HashMap();

    static {
        String names = PyHtmlTables.names();
        for (int at = 0; at < names.length();) {
            int middle = names.indexOf('\0', at), end = names.indexOf('\0', middle + 1);
            NAMES.put(names.substring(at, middle), names.substring(middle + 1, end));
            at = end + 1;
        }
        int[] numbers = PyHtmlTables.numbers().codePoints().toArray();
        for (int i = 0; i < numbers.length; i += 2) {
            // No number stands for this one, which marks those that stand for nothing.
            String text = numbers[i + 1] == 0xFFFF ? "" : PyText.chr(numbers[i + 1]);
            NUMBERS.put(Long.valueOf(numbers[i]), text);
        }
    }

    private PyHtml() {
    }

    /** html.unescape(text). */
    public static String unescaped(String text) {
        int found = text.indexOf('&');
        if (found < 0) {
            return text;
        }
        StringBuilder made = new StringBuilder(text.length());
        int at = 0;
        while (found >= 0) {
            made.append(text, at, found);
            int from = found + 1, end = from;
            boolean numeric = from < text.length() && text.charAt(from) == '#';
            end = numeric ? pastNumber(text, from) : pastName(text, from);
            at = end > from && end < text.length() && text.charAt(end) == ';' ? end + 1 : end;
            if (end == from) {
                made.append('&');
            } else {
                made.append(numeric ? ofNumber(text, from + 1, end) : ofName(text.substring(from, at)));
            }
            found = text.indexOf('&', at);
        }
        return made.append(text, at, text.length()).toString();
    }

    private static int pastName(String text, int from) {
        int at = from;
        for (int many = 0; many < MOST_LETTERS && at < text.length(); many++) {
            char c = text.charAt(at);
            if ("\t\n\f <&#;".indexOf(c) >= 0) {
                break;
            }
            at = text.offsetByCodePoints(at, 1);
        }
        return at;
    }

    private static boolean isHex(String text, int from) {
        return from < text.length() && (text.charAt(from) == 'x' || text.charAt(from) == 'X');
    }

    private static boolean isDigit(char c, boolean hex) {
        return (c >= '0' && c <= '9') || (hex && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
    }

    /** The end of a number behind its mark at a place, or the place where there is none. */
    private static int pastNumber(String text, int from) {
        boolean hex = isHex(text, from + 1);
        int first = from + (hex ? 2 : 1), at = first;
        while (at < text.length() && isDigit(text.charAt(at), hex)) {
            at++;
        }
        return at > first ? at : from;
    }

    private static String ofNumber(String text, int from, int end) {
        boolean hex = isHex(text, from);
        Object number = PyParse.toInt(text.substring(hex ? from + 1 : from, end), hex ? 16 : 10);
        long c = number instanceof Long ? ((Long) number).longValue() : Long.MAX_VALUE;
        Object known = NUMBERS.get(number);
        if (known != null) {
            return (String) known;
        }
        return c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? "\ufffd" : PyText.chr(c);
    }

    /** The text of a name, or of the longest one that it begins with. */
    private static String ofName(String name) {
        Object known = NAMES.get(name);
        if (known != null) {
            return (String) known;
        }
        for (int end = name.length() - 1; end > 1; end--) {
            known = NAMES.get(name.substring(0, end));
            if (known != null) {
                return (String) known + name.substring(end);
            }
        }
        return "&" + name;
    }
}
