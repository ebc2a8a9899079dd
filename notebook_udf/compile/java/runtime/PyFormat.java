package notebookudf;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/** Texts of Python's values: str(), format() and padding. */
public final class PyFormat {
    private static final double[] TENS = {1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0, 1000000.0};
    /** How many digits an int may have in base 10, unless sys.set_int_max_str_digits was called. */
    static final int MOST_DIGITS = 4300;

    private PyFormat() {
    }

    static void fill(StringBuilder made, String with, long many) {
        if (many * with.length() > PyText.MOST) {
            throw GaveUp.GAVE_UP;
        }
        for (long i = 0; i < many; i++) {
            made.append(with);
        }
    }

    private static String padded(String s, String with, long before, long after) {
        StringBuilder made = new StringBuilder();
        fill(made, with, before);
        made.append(s);
        fill(made, with, after);
        return made.toString();
    }

    private static long missing(String s, long width, String fill) {
        if (fill == null || PyText.len(fill) != 1) {
            throw Raised.TYPE;
        }
        return width > PyText.MOST ? width : Math.max(0L, width - PyText.len(s));
    }

    public static String ljust(String s, long width, String fill) {
        long more = missing(s, width, fill);
        return more == 0 ? s : padded(s, fill, 0, more);
    }

    public static String rjust(String s, long width, String fill) {
        long more = missing(s, width, fill);
        return more == 0 ? s : padded(s, fill, more, 0);
    }

    public static String center(String s, long width, String fill) {
        long more = missing(s, width, fill);
        long before = more / 2 + (more & width & 1);
        return more == 0 ? s : padded(s, fill, before, more - before);
    }

    public static String zfill(String s, long width) {
        long more = missing(s, width, "0");
        if (more == 0 || s.isEmpty() || (s.charAt(0) != '+' && s.charAt(0) != '-')) {
            return more == 0 ? s : padded(s, "0", more, 0);
        }
        return s.charAt(0) + padded(s.substring(1), "0", more, 0);
    }

    /** repr(x). */
    public static String repr(double x) {
        if (x != x) {
            return "nan";
        }
        double a = Math.abs(x);
        if (a == Double.POSITIVE_INFINITY) {
            return x < 0 ? "-inf" : "inf";
        }
        if (a < 1e15 && a == (double) (long) a) {
            String whole = Long.toString((long) a) + ".0";
            return isNegative(x) ? "-" + whole : whole;
        }
        if (a >= 1e-3 && a < 1e7) {
            String text = Double.toString(x);
            // With 15 digits there is no other text of the same value.
            if (text.length() <= 16 && text.charAt(text.length() - 1) != '0') {
                return text;
            }
        }
        String text = laidOut(shortest(a), 'r', 17, false, true);
        return x < 0 ? "-" + text : text;
    }

    private static boolean isNegative(double x) {
        return x < 0 || (x == 0 && 1 / x < 0);
    }

    /** Of the decimals with fewest digits that are read as x, which is more than 0, the nearest. */
    private static BigDecimal shortest(double x) {
        boolean isNormal = x >= 1e-300;
        if (isNormal) {
            BigDecimal found = new BigDecimal(Double.toString(x)).stripTrailingZeros();
            if (found.precision() <= 15) {
                return found;
            }
        }
        BigDecimal exact = new BigDecimal(x);
        // One of no more than 15 digits is also the nearest of 15 digits.
        for (int digits = isNormal ? 15 : 1; digits < 17; digits++) {
            BigDecimal low = exact.round(new MathContext(digits, RoundingMode.DOWN));
            BigDecimal high = exact.round(new MathContext(digits, RoundingMode.UP));
            boolean isLow = low.doubleValue() == x;
            boolean isHigh = high.doubleValue() == x;
            // Below a power of two doubles lie closer than above it: the nearest may be another's.
            if (isLow && isHigh) {
                return exact.round(new MathContext(digits, RoundingMode.HALF_EVEN))
                        .stripTrailingZeros();
            }
            if (isLow || isHigh) {
                return (isLow ? low : high).stripTrailingZeros();
            }
        }
        return exact.round(new MathContext(17, RoundingMode.HALF_EVEN)).stripTrailingZeros();
    }

    /** A decimal of no sign in the manner of e, g, or r, which is repr()'s. */
    private static String laidOut(
            BigDecimal value, char how, int precision, boolean alternate, boolean isFloat) {
        String digits = value.unscaledValue().toString();
        int point = value.signum() == 0 ? 1 : digits.length() - value.scale();
        int end = digits.length();
        boolean scientific = how == 'e';
        if (how == 'e') {
            end = precision;
        } else if (how == 'g') {
            scientific = point <= -4 || point > precision - (isFloat ? 1 : 0);
            end = alternate ? precision : end;
        } else {
            scientific = point <= -4 || point > 16;
        }
        int exponent = point - 1;
        if (scientific) {
            point = 1;
        }
        end = Math.max(end, !scientific && isFloat ? point + 1 : point);
        StringBuilder made = new StringBuilder(end + 8);
        if (point <= 0) {
            made.append("0.");
            fill(made, "0", -point);
        }
        for (int i = 0; i < end; i++) {
            if (i == point && i > 0) {
                made.append('.');
            }
            made.append(i < digits.length() ? digits.charAt(i) : '0');
        }
        if (alternate && end == point) {
            made.append('.');
        }
        if (scientific) {
            made.append('e').append(exponent < 0 ? '-' : '+');
            int size = Math.abs(exponent);
            made.append(size < 10 ? "0" : "").append(size);
        }
        return made.toString();
    }

    private static String digits(Object value) {
        String text = value.toString();
        if (text.length() > MOST_DIGITS && text.length() - (text.charAt(0) == '-' ? 1 : 0)
                > MOST_DIGITS) {
            throw Raised.VALUE;
        }
        return text;
    }

    /** str(value). */
    public static String text(Object value) {
        if (value instanceof String) {
            return (String) value;
        }
        if (value instanceof byte[]) {
            return PyBytes.represented((byte[]) value);
        }
        if (value instanceof Long) {
            return value.toString();
        }
        if (value instanceof Double) {
            return repr(((Double) value).doubleValue());
        }
        if (value instanceof Boolean) {
            return ((Boolean) value).booleanValue() ? "True" : "False";
        }
        if (value instanceof BigInteger) {
            return digits(value);
        }
        if (value == null) {
            return "None";
        }
        throw new IllegalArgumentException("no text of a " + value.getClass());
    }

    /** format(value, spec); the type n, which a locale decides, is not provided for. */
    public static String format(Object value, String spec) {
        if (spec.isEmpty()) {
            return text(value);
        }
        if (value == null) {
            throw Raised.TYPE;
        }
        PySpec how = new PySpec(spec, value instanceof String);
        if (value instanceof String) {
            return ofText((String) value, how);
        }
        if (value instanceof Double) {
            return ofFloat(((Double) value).doubleValue(), how);
        }
        Object number = value;
        if (value instanceof Boolean) {
            number = Long.valueOf(((Boolean) value).booleanValue() ? 1 : 0);
        }
        if ("eEfFgG%".indexOf(how.type) >= 0) {
            double x = ((Number) number).doubleValue();
            if (Double.isInfinite(x)) {
                throw Raised.RAISED;
            }
            return ofFloat(x, how);
        }
        return ofInt(number, how);
    }

    /** format(value, spec) of a spec that varies: not of one that some Pythons take otherwise. */
    public static String formatted(Object value, String spec) {
        boolean known = !spec.endsWith("n") && spec.indexOf(",f") < 0 && spec.indexOf("_f") < 0;
        for (int i = 0; i < spec.length(); i = spec.offsetByCodePoints(i, 1)) {
            known = known && !PyUnicode.is(spec.codePointAt(i), PyUnicode.HIDDEN);
        }
        if (!known) {
            throw GaveUp.GAVE_UP;
        }
        return format(value, spec);
    }

    private static String ofText(String value, PySpec how) {
        if (how.sign != 0 || how.noNegativeZero || how.alternate || how.align == '='
                || (how.type != 0 && how.type != 's')) {
            throw Raised.RAISED;
        }
        String text = value;
        if (how.precision >= 0 && how.precision < text.length()) {
            text = PyText.slice(text, null, Long.valueOf(how.precision), null);
        }
        return how.padded("", "", text, PyText.len(text));
    }

    private static String ofInt(Object value, PySpec how) {
        if (how.precision >= 0 || how.noNegativeZero) {
            throw Raised.RAISED;
        }
        if (how.type == 'c') {
            if (how.sign != 0 || how.alternate || !(value instanceof Long)) {
                throw Raised.RAISED;
            }
            return how.padded("", "", PyText.chr(((Long) value).longValue()), 1);
        }
        int base = 10;
        String prefix = "";
        if (how.type == 'b') {
            base = 2;
            prefix = "0b";
        } else if (how.type == 'o') {
            base = 8;
            prefix = "0o";
        } else if (how.type == 'x' || how.type == 'X') {
            base = 16;
            prefix = how.type == 'X' ? "0X" : "0x";
        } else if (how.type != 0 && how.type != 'd') {
            throw Raised.RAISED;
        }
        String text;
        if (base == 10) {
            text = digits(value);
        } else if (value instanceof Long) {
            text = Long.toString(((Long) value).longValue(), base);
        } else {
            text = ((BigInteger) value).toString(base);
        }
        boolean negative = text.charAt(0) == '-';
        if (how.type == 'X') {
            text = PyCase.upper(text);
        }
        String digits = negative ? text.substring(1) : text;
        return how.number(negative, how.alternate ? prefix : "", digits, "");
    }

    /** x, which has no sign, with so many digits behind the point. */
    private static String fixed(double x, int precision, boolean alternate) {
        if (precision < TENS.length && x < 1e6 && precision > 0) {
            double scaled = x * TENS[precision];
            double below = Math.floor(scaled);
            double part = scaled - below;
            // So far from a tie the product's own rounding decides nothing.
            if (scaled < 1e9 && Math.abs(part - 0.5) > 1e-6) {
                long whole = (long) below + (part > 0.5 ? 1 : 0);
                long unit = (long) TENS[precision];
                String rest = Long.toString(unit + whole % unit);
                return Long.toString(whole / unit) + "." + rest.substring(1);
            }
        }
        BigDecimal exact = new BigDecimal(x).setScale(precision, RoundingMode.HALF_EVEN);
        String text = exact.toPlainString();
        return alternate && precision == 0 ? text + "." : text;
    }

    private static BigDecimal rounded(double x, int digits) {
        return new BigDecimal(x).round(new MathContext(digits, RoundingMode.HALF_EVEN));
    }

    private static String ofFloat(double x, PySpec how) {
        char type = how.type;
        char small = type >= 'A' && type <= 'Z' ? (char) (type + 32) : type;
        if (small != 0 && "efg%".indexOf(small) < 0) {
            throw Raised.RAISED;
        }
        double value = type == '%' ? x * 100 : x;
        double a = Math.abs(value);
        boolean negative = isNegative(value);
        int precision = how.precision < 0 ? 6 : how.precision;
        String text;
        if (a != a) {
            text = "nan";
            negative = false;
        } else if (a == Double.POSITIVE_INFINITY) {
            text = "inf";
        } else {
            if (small == 'f' || small == '%') {
                text = fixed(a, precision, how.alternate);
            } else if (small == 'e') {
                text = laidOut(rounded(a, precision + 1), 'e', precision + 1, how.alternate, false);
            } else if (small == 'g' || how.precision >= 0) {
                precision = Math.max(precision, 1);
                BigDecimal value10 = rounded(a, precision).stripTrailingZeros();
                text = laidOut(value10, 'g', precision, how.alternate, small == 0);
            } else if (how.alternate) {
                BigDecimal digits = a == 0 ? BigDecimal.ZERO : shortest(a);
                text = laidOut(digits, 'r', 17, true, true);
            } else {
                text = repr(a);
            }
            if (how.noNegativeZero && negative && isZero(text)) {
                negative = false;
            }
        }
        if (small != type) {
            text = PyCase.upper(text);
        }
        if (type == '%') {
            text += "%";
        }
        int end = 0;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        return how.number(negative, "", text.substring(0, end), text.substring(end));
    }

    private static boolean isZero(String text) {
        for (int i = 0; i < text.length() && text.charAt(i) != 'e'; i++) {
            if (text.charAt(i) >= '1' && text.charAt(i) <= '9') {
                return false;
            }
        }
        return true;
    }
}
