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

    private final BigDecimal value;
    private final boolean negative;

    private PyDecimal(BigDecimal value, boolean negative) {
        this.value = value;
        this.negative = negative;
    }

    private static PyDecimal of(BigDecimal value, boolean negativeZero) {
        if (Math.abs((long) value.scale()) > FARTHEST) {
            throw GaveUp.GAVE_UP;
        }
        return new PyDecimal(value, value.signum() == 0 ? negativeZero : value.signum() < 0);
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

    /** A constant, as its text. */
    public static PyDecimal constant(String text) {
        return of(new BigDecimal(text), text.startsWith("-"));
    }

    public static PyDecimal ofInt(Object value) {
        return of(new BigDecimal(PyNumber.big(value)), false);
    }

    /** Decimal(x) of a float: exactly. */
    public static PyDecimal ofDouble(double value) {
        if (value != value || Double.isInfinite(value)) {
            throw GaveUp.GAVE_UP;
        }
        return of(new BigDecimal(value), 1.0 / value < 0.0);
    }

    /** Decimal(text); what is no finite number in plain digits is left to Python. */
    public static PyDecimal ofText(String text) {
        boolean digits = false;
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            boolean sign = (letter == '-' || letter == '+') && i == 0;
            digits |= letter >= '0' && letter <= '9';
            if (!sign && letter != '.' && (letter < '0' || letter > '9')) {
                throw GaveUp.GAVE_UP;
            }
        }
        if (!digits || text.indexOf('.') != text.lastIndexOf('.')) {
            throw GaveUp.GAVE_UP;
        }
        return of(new BigDecimal(text), text.charAt(0) == '-');
    }

    public static PyDecimal add(PyDecimal a, PyDecimal b) {
        return rounded(a.value.add(b.value), a.negative && b.negative);
    }

    public static PyDecimal subtract(PyDecimal a, PyDecimal b) {
        return rounded(a.value.subtract(b.value), a.negative && !b.negative);
    }

    public static PyDecimal multiply(PyDecimal a, PyDecimal b) {
        return rounded(a.value.multiply(b.value), a.negative != b.negative);
    }

    public static PyDecimal divide(PyDecimal a, PyDecimal b) {
        if (b.value.signum() == 0) {
            throw a.value.signum() == 0 ? Raised.RAISED : Raised.ZERO;
        }
        return of(a.value.divide(b.value, CONTEXT), a.negative != b.negative);
    }

    public static PyDecimal negate(PyDecimal a) {
        return rounded(a.value.negate(), false);
    }

    public static PyDecimal absolute(PyDecimal a) {
        return rounded(a.value.abs(), false);
    }

    public static int compare(PyDecimal a, PyDecimal b) {
        return a.value.compareTo(b.value);
    }

    public static boolean truth(PyDecimal a) {
        return a.value.signum() != 0;
    }

    /** a.quantize(of the same exponent as like). */
    public static PyDecimal quantize(PyDecimal a, PyDecimal like, RoundingMode how) {
        return scaled(a, like.value.scale(), how);
    }

    /** round(a, digits). */
    public static PyDecimal round(PyDecimal a, long digits) {
        if (Math.abs(digits) > FARTHEST) {
            throw GaveUp.GAVE_UP;
        }
        return scaled(a, (int) digits, RoundingMode.HALF_EVEN);
    }

    private static PyDecimal scaled(PyDecimal a, int scale, RoundingMode how) {
        BigDecimal found = a.value.setScale(scale, how);
        if (found.precision() > CONTEXT.getPrecision()) {
            // InvalidOperation, which is an ArithmeticError.
            throw Raised.RAISED;
        }
        return of(found, a.negative);
    }

    /** int(a), and round(a) with halves to even. */
    public static Object toInt(PyDecimal a, boolean nearest) {
        RoundingMode how = nearest ? RoundingMode.HALF_EVEN : RoundingMode.DOWN;
        BigInteger found = a.value.setScale(0, how).toBigInteger();
        return PyNumber.whole(found);
    }

    public static double toDouble(PyDecimal a) {
        double found = a.value.doubleValue();
        if (Double.isInfinite(found)) {
            throw GaveUp.GAVE_UP;
        }
        return found == 0.0 && a.negative ? -0.0 : found;
    }

    private static String signed(PyDecimal a, String text) {
        return a.negative && text.charAt(0) != '-' ? "-".concat(text) : text;
    }

    public static String text(PyDecimal a) {
        return signed(a, a.value.toString());
    }

    /** format(a, ".nf"). */
    public static String fixed(PyDecimal a, int digits) {
        return signed(a, a.value.setScale(digits, RoundingMode.HALF_EVEN).toPlainString());
    }

    /** As a column of so many digits takes it; one that it would round is an error. */
    public static BigDecimal fitting(PyDecimal a, int precision, int scale) {
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
