package notebookudf;

import java.math.BigDecimal;
import java.math.BigInteger;

/** Python's int() and float() of texts. */
public final class PyParse {
    private PyParse() {
    }

    /** s with ASCII's digits and spaces for those of other scripts; null where it has others. */
    private static String plain(String s) {
        int n = s.length();
        int i = 0;
        while (i < n && s.charAt(i) < 128) {
            i++;
        }
        if (i == n) {
            return s;
        }
        StringBuilder made = new StringBuilder(n);
        for (i = 0; i < n;) {
            int c = s.codePointAt(i);
            int digit = PyUnicode.decimal(c);
            if (c < 127) {
                made.append((char) c);
            } else if (digit >= 0) {
                made.append((char) ('0' + digit));
            } else if (PyText.isSpace(c)) {
                made.append(' ');
            } else {
                return null;
            }
            i += Character.charCount(c);
        }
        return made.toString();
    }

    /** Around a number: not what str.strip() takes off, but as of C. */
    private static boolean isBlank(char c) {
        return c == ' ' || (c >= 9 && c <= 13);
    }

    /** int(s, base): a Long or a BigInteger. */
    public static Object toInt(String s, int base) {
        // Thrown where the machine code of the caller has it, an exception is a jump to a handler.
        Object found = whole(s, base);
        if (found == null) {
            throw Raised.VALUE;
        }
        return found;
    }

    /** float(s). */
    public static double toFloat(String s) {
        Double found = real(s);
        if (found == null) {
            throw Raised.VALUE;
        }
        return found.doubleValue();
    }

    /** Decimal(s). */
    public static PyDecimal toDecimal(String s) {
        String text = plain(s);
        if (text == null) {
            throw Raised.INVALID;
        }
        int at = 0;
        int end = text.length();
        while (at < end && PyText.isSpace(text.charAt(at))) {
            at++;
        }
        while (end > at && PyText.isSpace(text.charAt(end - 1))) {
            end--;
        }
        text = text.substring(at, end).replace("_", "");
        boolean negative = text.startsWith("-");
        String number = negative || text.startsWith("+") ? text.substring(1) : text;
        if (number.isEmpty()) {
            throw Raised.INVALID;
        }
        char first = number.charAt(0);
        return first == '.' || (first >= '0' && first <= '9')
            ? finite(number, negative) : special(number, negative);
    }

    private static PyDecimal finite(String number, boolean negative) {
        int at = pastDigits(number, 0, number.length());
        int digits = at;
        if (at < number.length() && number.charAt(at) == '.') {
            int first = ++at;
            at = pastDigits(number, at, number.length());
            digits += at - first;
        }
        int end = at;
        if (at < number.length() && (number.charAt(at) == 'e' || number.charAt(at) == 'E')) {
            at++;
            if (at < number.length() && (number.charAt(at) == '+' || number.charAt(at) == '-')) {
                at++;
            }
            int first = at;
            at = pastDigits(number, at, number.length());
            if (at - first > 9) {
                throw GaveUp.GAVE_UP;
            }
            end = at == first ? -1 : at;
        }
        if (digits == 0 || end != number.length()) {
            throw Raised.INVALID;
        }
        return PyDecimal.of(new BigDecimal(negative ? "-".concat(number) : number), negative);
    }

    private static PyDecimal special(String number, boolean negative) {
        String small = number.toLowerCase(java.util.Locale.ROOT);
        if (small.equals("inf") || small.equals("infinity")) {
            return PyDecimal.infinity(negative);
        }
        boolean signals = small.startsWith("snan");
        if (!signals && !small.startsWith("nan")) {
            throw Raised.INVALID;
        }
        int start = signals ? 4 : 3;
        if (pastDigits(small, start, small.length()) != small.length()) {
            throw Raised.INVALID;
        }
        return PyDecimal.nan(negative, signals, PyDecimal.withoutZeros(small.substring(start)));
    }

    /** int(s, base), or null where that raises. */
    private static Object whole(String s, int base) {
        String text = plain(s);
        if (text == null || base < 0 || base == 1 || base > 36) {
            return null;
        }
        int end = text.length();
        int at = 0;
        while (at < end && isBlank(text.charAt(at))) {
            at++;
        }
        while (at < end && isBlank(text.charAt(end - 1))) {
            end--;
        }
        boolean negative = at < end && text.charAt(at) == '-';
        if (negative || (at < end && text.charAt(at) == '+')) {
            at++;
        }
        int radix = base;
        boolean onlyZero = false;
        int named = 0;
        if (at + 1 < end && text.charAt(at) == '0') {
            char c = text.charAt(at + 1);
            named = c == 'x' || c == 'X' ? 16 : c == 'o' || c == 'O' ? 8
                    : c == 'b' || c == 'B' ? 2 : 0;
        }
        if (base == 0) {
            radix = named == 0 ? 10 : named;
            onlyZero = named == 0 && at < end && text.charAt(at) == '0';
        }
        if (named != 0 && named == radix) {
            at += 2;
            if (at < end && text.charAt(at) == '_') {
                at++;
            }
        }
        return number(text, at, end, radix, negative, onlyZero);
    }

    private static Object number(
            String text, int from, int end, int radix, boolean negative, boolean onlyZero) {
        long value = 0;
        int digits = 0;
        boolean wasDigit = false;
        boolean underscored = false;
        boolean isLong = true;
        for (int i = from; i < end; i++) {
            char c = text.charAt(i);
            if (c == '_') {
                if (!wasDigit) {
                    return null;
                }
                wasDigit = false;
                underscored = true;
                continue;
            }
            int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10
                    : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
            if (digit >= radix) {
                return null;
            }
            wasDigit = true;
            digits++;
            // So few are a Long in any radix, and a division takes as long as the digit.
            isLong = isLong && (digits <= 12 || value <= (Long.MAX_VALUE - digit) / radix);
            value = value * radix + digit;
        }
        boolean isLimited = (radix & (radix - 1)) != 0;
        if (!wasDigit || (isLimited && digits > PyFormat.MOST_DIGITS)
                || (onlyZero && !(isLong && value == 0))) {
            return null;
        }
        if (isLong) {
            return Long.valueOf(negative ? -value : value);
        }
        String whole = text.substring(from, end);
        BigInteger big = new BigInteger(underscored ? whole.replace("_", "") : whole, radix);
        big = negative ? big.negate() : big;
        return big.bitLength() < 64 ? (Object) Long.valueOf(big.longValue()) : big;
    }

    private static boolean isDigit(String s, int i, int end) {
        return i >= 0 && i < end && s.charAt(i) >= '0' && s.charAt(i) <= '9';
    }

    private static int pastDigits(String s, int from, int end) {
        int i = from;
        while (isDigit(s, i, end)) {
            i++;
        }
        return i;
    }

    /** float(s), or null where that raises. */
    private static Double real(String s) {
        String text = plain(s);
        if (text == null) {
            return null;
        }
        int from = 0;
        int end = text.length();
        while (from < end && isBlank(text.charAt(from))) {
            from++;
        }
        while (from < end && isBlank(text.charAt(end - 1))) {
            end--;
        }
        if (text.indexOf('_') >= 0) {
            for (int i = from; i < end; i++) {
                if (text.charAt(i) == '_' && !(i > from && isDigit(text, i - 1, end)
                        && isDigit(text, i + 1, end))) {
                    return null;
                }
            }
            text = text.substring(from, end).replace("_", "");
            from = 0;
            end = text.length();
        }
        int at = from;
        if (at < end && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
            at++;
        }
        int past = pastDigits(text, at, end);
        int digits = past - at;
        if (past < end && text.charAt(past) == '.') {
            int point = past + 1;
            past = pastDigits(text, point, end);
            digits += past - point;
        }
        if (digits == 0) {
            return named(text.substring(from, at), PyCase.lower(text.substring(at, end)));
        }
        if (past < end && (text.charAt(past) == 'e' || text.charAt(past) == 'E')) {
            past++;
            if (past < end && (text.charAt(past) == '+' || text.charAt(past) == '-')) {
                past++;
            }
            if (!isDigit(text, past, end)) {
                return null;
            }
            past = pastDigits(text, past, end);
        }
        if (past != end) {
            return null;
        }
        return Double.valueOf(from == 0 && end == text.length()
                ? text : text.substring(from, end));
    }

    private static Double named(String sign, String name) {
        if (name.equals("nan")) {
            return Double.valueOf(Double.NaN);
        }
        if (name.equals("inf") || name.equals("infinity")) {
            return Double.valueOf(
                    sign.equals("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
        }
        return null;
    }
}
