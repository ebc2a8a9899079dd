package notebookudf;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/** Python's Decimal, by its default context: 28 digits, halves to even. Zeros have a sign. */
public final class PyDecimal {
    private static final MathContext CONTEXT = new MathContext(28, RoundingMode.HALF_EVEN);
    // Beyond it Python would round or raise as well, but by rules of its own.
    private static final int FARTHEST = 6000;
    private static final String INFINITY = "Infinity";

    private final BigDecimal value;
    private final boolean negative;
    // What is no number, as Python writes it without a sign; null of a number.
    private final String special;

    private PyDecimal(BigDecimal value, boolean negative, String special) {
        this.value = value;
        this.negative = negative;
        this.special = special;
    }

    static PyDecimal infinity(boolean negative) {
        return new PyDecimal(null, negative, INFINITY);
    }

    /** A NaN with digits of its own, or none. */
    static PyDecimal nan(boolean negative, boolean signals, String digits) {
        return new PyDecimal(null, negative, (signals ? "sNaN" : "NaN").concat(digits));
    }

    private boolean isSpecial() {
        return special != null;
    }

    private boolean signals() {
        return special != null && special.charAt(0) == 's';
    }

    /** Of two the NaN that an operation gives, null where both are numbers or infinite. */
    private static PyDecimal nanOf(PyDecimal a, PyDecimal b) {
        if (a.signals() || b.signals()) {
            throw Raised.INVALID;
        }
        return isNaN(a) ? a.cut() : isNaN(b) ? b.cut() : null;
    }

    /** A NaN with as many digits as an operation leaves it. */
    private PyDecimal cut() {
        String digits = special.substring(3);
        int most = CONTEXT.getPrecision();
        if (digits.length() <= most) {
            return this;
        }
        String left = digits.substring(digits.length() - most);
        return nan(negative, false, withoutZeros(left));
    }

    static String withoutZeros(String digits) {
        int at = 0;
        while (at < digits.length() && digits.charAt(at) == '0') {
            at++;
        }
        return digits.substring(at);
    }

    private int signum() {
        return isInfinite(this) ? (negative ? -1 : 1) : value.signum();
    }

    static PyDecimal of(BigDecimal value, boolean negativeZero) {
        if (Math.abs((long) value.scale()) > FARTHEST) {
            throw GaveUp.GAVE_UP;
        }
        boolean isNegative = value.signum() == 0 ? negativeZero : value.signum() < 0;
        return new PyDecimal(value, isNegative, null);
    }

    private static PyDecimal rounded(BigDecimal exact, boolean negativeZero) {
        return of(exact.round(CONTEXT), negativeZero);
    }

    /** A decimal of Spark's. */
    public static PyDecimal entered(Object value, String name, int place, int precision, int scale) {
        if (!(value instanceof BigDecimal)) {
            throw WrongArgument.of(value, name, place);
        }
        BigDecimal given = (BigDecimal) value;
        if (given.scale() != scale) {
            // A worker is given a column of the declared type, whose zeros a text shows.
            if (given.scale() > scale && given.stripTrailingZeros().scale() > scale) {
                throw WrongArgument.of(value, name, place);
            }
            given = given.setScale(scale);
        }
        if (given.precision() > precision) {
            throw WrongArgument.of(value, name, place);
        }
        return of(given, false);
    }

    /** What sum gives, which is 0 of nothing. */
    public static PyDecimal ofSum(Object value) {
        return value instanceof PyDecimal ? (PyDecimal) value : ofInt(value);
    }

    public static PyDecimal ofInt(Object value) {
        return of(new BigDecimal(PyNumber.big(value)), false);
    }

    /** Decimal(x) of a float: exactly. */
    public static PyDecimal ofDouble(double value) {
        if (value != value) {
            return nan(false, false, "");
        }
        boolean isNegative = value < 0.0 || 1.0 / value < 0.0;
        return Double.isInfinite(value)
            ? infinity(isNegative) : of(new BigDecimal(value), isNegative);
    }

    /** Decimal(text). */
    public static PyDecimal ofText(String text) {
        return PyParse.toDecimal(text);
    }

    public static PyDecimal add(PyDecimal a, PyDecimal b) {
        if (a.isSpecial() || b.isSpecial()) {
            return ofSpecialSum(a, b, b.negative);
        }
        return rounded(a.value.add(b.value), a.negative && b.negative);
    }

    public static PyDecimal subtract(PyDecimal a, PyDecimal b) {
        if (a.isSpecial() || b.isSpecial()) {
            return ofSpecialSum(a, b, !b.negative);
        }
        return rounded(a.value.subtract(b.value), a.negative && !b.negative);
    }

    private static PyDecimal ofSpecialSum(PyDecimal a, PyDecimal b, boolean negative) {
        PyDecimal nan = nanOf(a, b);
        if (nan != null) {
            return nan;
        }
        if (isInfinite(a) && isInfinite(b) && a.negative != negative) {
            throw Raised.INVALID;
        }
        return isInfinite(a) ? a : infinity(negative);
    }

    public static PyDecimal multiply(PyDecimal a, PyDecimal b) {
        boolean isNegative = a.negative != b.negative;
        if (a.isSpecial() || b.isSpecial()) {
            PyDecimal nan = nanOf(a, b);
            if (nan == null && (a.signum() == 0 || b.signum() == 0)) {
                throw Raised.INVALID;
            }
            return nan == null ? infinity(isNegative) : nan;
        }
        return rounded(a.value.multiply(b.value), isNegative);
    }

    public static PyDecimal divide(PyDecimal a, PyDecimal b) {
        boolean isNegative = a.negative != b.negative;
        PyDecimal special = ofSpecialQuotient(a, b, isNegative);
        if (special != null) {
            return special;
        }
        if (isInfinite(b)) {
            // Zero with the least exponent that there is.
            throw GaveUp.GAVE_UP;
        }
        return of(a.value.divide(b.value, CONTEXT), isNegative);
    }

    /** a // b: towards zero, unlike an int's. */
    public static PyDecimal floorDivide(PyDecimal a, PyDecimal b) {
        boolean isNegative = a.negative != b.negative;
        PyDecimal special = ofSpecialQuotient(a, b, isNegative);
        if (special != null) {
            return special;
        }
        return of(isInfinite(b) ? BigDecimal.ZERO : whole(a, b), isNegative);
    }

    /** A quotient that is no number; null where a number is divided by one, or by infinity. */
    private static PyDecimal ofSpecialQuotient(PyDecimal a, PyDecimal b, boolean isNegative) {
        if (!a.isSpecial() && !b.isSpecial()) {
            if (b.value.signum() == 0) {
                throw a.value.signum() == 0 ? Raised.INVALID : Raised.DIVISION;
            }
            return null;
        }
        PyDecimal nan = nanOf(a, b);
        if (nan == null && isInfinite(a) && isInfinite(b)) {
            throw Raised.INVALID;
        }
        return nan == null && isInfinite(a) ? infinity(isNegative) : nan;
    }

    /** a % b: with the sign of a, unlike an int's. */
    public static PyDecimal remainder(PyDecimal a, PyDecimal b) {
        if (a.isSpecial() || b.isSpecial()) {
            PyDecimal nan = nanOf(a, b);
            if (nan == null && isInfinite(a)) {
                throw Raised.INVALID;
            }
            return nan == null ? rounded(a.value, a.negative) : nan;
        }
        if (b.value.signum() == 0) {
            throw Raised.INVALID;
        }
        BigDecimal left = a.value.subtract(whole(a, b).multiply(b.value));
        int scale = Math.max(a.value.scale(), b.value.scale());
        return rounded(left.setScale(scale, RoundingMode.UNNECESSARY), a.negative);
    }

    private static BigDecimal whole(PyDecimal a, PyDecimal b) {
        BigDecimal found = a.value.divideToIntegralValue(b.value);
        found = found.setScale(0, RoundingMode.UNNECESSARY);
        if (found.precision() > CONTEXT.getPrecision()) {
            throw Raised.INVALID;
        }
        return found;
    }

    /** a ** times. */
    public static PyDecimal power(PyDecimal a, Object times) {
        BigInteger many = PyNumber.big(times);
        if (a.isSpecial() || many.bitLength() > 20) {
            throw GaveUp.GAVE_UP;
        }
        boolean isNegative = a.negative && many.testBit(0);
        if (many.signum() == 0 || a.value.signum() == 0) {
            return powerOfZero(a, many.signum(), isNegative);
        }
        if (a.value.abs().compareTo(BigDecimal.ONE) == 0) {
            // 1.00 ** 3 is 1.000000; of as many zeros as there are digits.
            long zeros = Math.max(0L, many.longValue()) * a.value.scale();
            int scale = (int) Math.min(zeros, CONTEXT.getPrecision() - 1L);
            BigDecimal one = BigDecimal.ONE.setScale(Math.max(0, scale));
            return of(isNegative ? one.negate() : one, isNegative);
        }
        int more = many.abs().toString().length() + (many.signum() < 0 ? 3 : 2);
        MathContext work = new MathContext(CONTEXT.getPrecision() + more, RoundingMode.HALF_EVEN);
        BigDecimal base = many.signum() < 0 ? BigDecimal.ONE.divide(a.value, work) : a.value;
        BigInteger left = many.abs();
        BigDecimal found = base;
        for (int bit = left.bitLength() - 2; bit >= 0; bit--) {
            found = found.multiply(found, work);
            if (left.testBit(bit)) {
                found = found.multiply(base, work);
            }
            if (Math.abs((long) found.scale()) > FARTHEST) {
                throw GaveUp.GAVE_UP;
            }
        }
        return rounded(found, isNegative);
    }

    private static PyDecimal powerOfZero(PyDecimal a, int times, boolean isNegative) {
        if (times == 0) {
            if (a.value.signum() == 0) {
                throw Raised.INVALID;
            }
            return of(BigDecimal.ONE, false);
        }
        return times < 0 ? infinity(isNegative) : of(BigDecimal.ZERO, isNegative);
    }

    public static PyDecimal negate(PyDecimal a) {
        if (a.isSpecial()) {
            PyDecimal nan = nanOf(a, a);
            return nan == null ? infinity(!a.negative) : nan;
        }
        return rounded(a.value.negate(), false);
    }

    public static PyDecimal absolute(PyDecimal a) {
        if (a.isSpecial()) {
            PyDecimal nan = nanOf(a, a);
            return nan == null ? infinity(false) : nan;
        }
        return rounded(a.value.abs(), false);
    }

    public static int compare(PyDecimal a, PyDecimal b) {
        if (a.isSpecial() || b.isSpecial()) {
            if (isNaN(a) || isNaN(b)) {
                throw Raised.INVALID;
            }
            int found = (isInfinite(a) ? a.signum() : 0) - (isInfinite(b) ? b.signum() : 0);
            return Integer.signum(found);
        }
        return a.value.compareTo(b.value);
    }

    public static boolean equal(PyDecimal a, PyDecimal b) {
        return nanOf(a, b) == null && compare(a, b) == 0;
    }

    public static boolean truth(PyDecimal a) {
        return a.isSpecial() || a.value.signum() != 0;
    }

    public static boolean isNaN(PyDecimal a) {
        return a.isSpecial() && !isInfinite(a);
    }

    public static boolean isFinite(PyDecimal a) {
        return !a.isSpecial();
    }

    public static boolean isInfinite(PyDecimal a) {
        return INFINITY.equals(a.special);
    }

    public static boolean isSigned(PyDecimal a) {
        return a.negative;
    }

    /** a.quantize(of the same exponent as like). */
    public static PyDecimal quantize(PyDecimal a, PyDecimal like, RoundingMode how) {
        if (a.isSpecial() || like.isSpecial()) {
            PyDecimal nan = nanOf(a, like);
            if (nan == null && isInfinite(a) != isInfinite(like)) {
                throw Raised.INVALID;
            }
            return nan == null ? a : nan;
        }
        return scaled(a, like.value.scale(), how);
    }

    /** round(a, digits). */
    public static PyDecimal round(PyDecimal a, long digits) {
        if (a.isSpecial()) {
            PyDecimal nan = nanOf(a, a);
            if (nan == null) {
                throw Raised.INVALID;
            }
            return nan;
        }
        if (Math.abs(digits) > FARTHEST) {
            throw GaveUp.GAVE_UP;
        }
        return scaled(a, (int) digits, RoundingMode.HALF_EVEN);
    }

    private static PyDecimal scaled(PyDecimal a, int scale, RoundingMode how) {
        BigDecimal found = a.value.setScale(scale, how);
        if (found.precision() > CONTEXT.getPrecision()) {
            throw Raised.INVALID;
        }
        return of(found, a.negative);
    }

    /** a.to_integral_value(rounding=how). */
    public static PyDecimal integral(PyDecimal a, RoundingMode how) {
        if (a.isSpecial()) {
            PyDecimal nan = nanOf(a, a);
            return nan == null ? a : nan;
        }
        return a.value.scale() <= 0 ? a : of(a.value.setScale(0, how), a.negative);
    }

    /** a.normalize(). */
    public static PyDecimal normalize(PyDecimal a) {
        if (a.isSpecial()) {
            PyDecimal nan = nanOf(a, a);
            return nan == null ? a : nan;
        }
        BigDecimal found = a.value.round(CONTEXT);
        return of(found.signum() == 0 ? BigDecimal.ZERO : found.stripTrailingZeros(), a.negative);
    }

    /** int(a), and round(a) with halves to even. */
    public static Object toInt(PyDecimal a, boolean nearest) {
        if (a.isSpecial()) {
            throw isNaN(a) ? Raised.VALUE : Raised.OVERFLOW;
        }
        RoundingMode how = nearest ? RoundingMode.HALF_EVEN : RoundingMode.DOWN;
        BigInteger found = a.value.setScale(0, how).toBigInteger();
        return PyNumber.whole(found);
    }

    public static double toDouble(PyDecimal a) {
        if (isNaN(a)) {
            if (a.signals()) {
                throw Raised.VALUE;
            }
            return Double.NaN;
        }
        if (isInfinite(a)) {
            return a.negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        // One that is too large is infinite, as float() of its text is.
        double found = a.value.doubleValue();
        return found == 0.0 && a.negative ? -0.0 : found;
    }

    private static String signed(PyDecimal a, String text) {
        return a.negative && text.charAt(0) != '-' ? "-".concat(text) : text;
    }

    public static String text(PyDecimal a) {
        return signed(a, a.isSpecial() ? a.special : a.value.toString());
    }

    /** format(a, spec): of a width, groups and digits after the point, with f, % or nothing. */
    public static String format(PyDecimal a, String spec) {
        PySpec how = new PySpec(spec, false);
        if (a.isSpecial()) {
            String text = text(a).concat(how.type == '%' ? "%" : "");
            return how.padded("", "", text, text.length());
        }
        BigDecimal found = a.value.abs();
        if (how.type == '%') {
            found = found.scaleByPowerOfTen(2);
        }
        if (how.precision >= 0) {
            found = found.setScale(how.precision, RoundingMode.HALF_EVEN);
        }
        String text = how.type == 0 ? found.toString() : found.toPlainString();
        int point = 0;
        while (point < text.length() && Character.isDigit(text.charAt(point))) {
            point++;
        }
        String rest = text.substring(point).concat(how.type == '%' ? "%" : "");
        return how.number(a.negative, "", text.substring(0, point), rest);
    }

    /** As a column of so many digits takes it; one that it would round is an error. */
    public static BigDecimal fitting(PyDecimal a, int precision, int scale) {
        if (a.isSpecial()) {
            throw Raised.RAISED;
        }
        BigDecimal found = a.value;
        if (found.scale() > scale && found.stripTrailingZeros().scale() > scale) {
            throw Raised.RAISED;
        }
        found = found.setScale(scale, RoundingMode.UNNECESSARY);
        if (found.precision() > precision) {
            throw Raised.RAISED;
        }
        return found;
    }
}
