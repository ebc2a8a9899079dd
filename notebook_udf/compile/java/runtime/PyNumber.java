package notebookudf;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Python's numbers. None is null, an int is a Long, or a BigInteger where it does not fit one.
 * Methods that take objects take any value, and raise where Python does.
 */
public final class PyNumber {
    private static final BigInteger LEAST = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);
    private static final double EXACT = 9007199254740992.0;
    // Java would go on for hours, or run out of memory with all that runs in its process.
    private static final double MOST_BITS = 1 << 26;
    private static final double[] TENS = new double[23];

    static {
        double ten = 1.0;
        for (int i = 0; i < TENS.length; i++) {
            TENS[i] = ten;
            ten *= 10.0;
        }
    }

    private PyNumber() {
    }

    static Object whole(BigInteger value) {
        return value.bitLength() < 64 ? (Object) Long.valueOf(value.longValue()) : value;
    }

    static boolean isInt(Object value) {
        return value instanceof Long || value instanceof BigInteger || value instanceof Boolean;
    }

    static BigInteger big(Object value) {
        if (value instanceof BigInteger) {
            return (BigInteger) value;
        }
        if (value instanceof Boolean) {
            return ((Boolean) value).booleanValue() ? BigInteger.ONE : BigInteger.ZERO;
        }
        return BigInteger.valueOf(((Long) value).longValue());
    }

    private static boolean isSmall(Object value) {
        return value instanceof Long || value instanceof Boolean;
    }

    private static long small(Object value) {
        if (value instanceof Boolean) {
            return ((Boolean) value).booleanValue() ? 1L : 0L;
        }
        return ((Long) value).longValue();
    }

    /** float(value) of a number; raises where an int is too large for one. */
    public static double asDouble(Object value) {
        if (value instanceof Double) {
            return ((Double) value).doubleValue();
        }
        if (isSmall(value)) {
            return (double) small(value);
        }
        if (value instanceof BigInteger) {
            double found = new BigDecimal((BigInteger) value).doubleValue();
            if (Double.isInfinite(found)) {
                throw Raised.OVERFLOW;
            }
            return found;
        }
        throw Raised.TYPE;
    }

    /** An int as a place in a sequence, which is shorter than any that does not fit. */
    public static long place(Object value) {
        if (isSmall(value)) {
            return small(value);
        }
        if (value instanceof BigInteger) {
            return ((BigInteger) value).signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
        throw Raised.TYPE;
    }

    /** As place, of what may be None in a slice. */
    public static Long limit(Object value) {
        return value == null ? null : Long.valueOf(place(value));
    }

    /** A constant that does not fit 64 bits, in code whose ints do. */
    public static long beyond() {
        throw GaveUp.GAVE_UP;
    }

    /** An int that has to fit 64 bits: what is asked for is too much to be had otherwise. */
    public static long count(Object value) {
        if (isSmall(value)) {
            return small(value);
        }
        throw GaveUp.GAVE_UP;
    }

    /** An int that Python needs in 64 bits. */
    public static long fitting(Object value) {
        if (isSmall(value)) {
            return small(value);
        }
        throw Raised.OVERFLOW;
    }

    public static boolean truth(Object value) {
        if (value == null) {
            return false;
        }
        if (value instanceof Boolean) {
            return ((Boolean) value).booleanValue();
        }
        if (value instanceof Long) {
            return ((Long) value).longValue() != 0L;
        }
        if (value instanceof Double) {
            return ((Double) value).doubleValue() != 0.0;
        }
        if (value instanceof String) {
            return ((String) value).length() != 0;
        }
        if (value instanceof byte[]) {
            return ((byte[]) value).length != 0;
        }
        if (value instanceof java.util.Collection) {
            return !((java.util.Collection) value).isEmpty();
        }
        if (value instanceof PySet) {
            return ((PySet) value).size() != 0L;
        }
        return !(value instanceof java.util.Map) || !((java.util.Map) value).isEmpty();
    }

    private static boolean isFloating(Object a, Object b) {
        boolean numbers = (isInt(a) || a instanceof Double) && (isInt(b) || b instanceof Double);
        if (!numbers) {
            throw Raised.TYPE;
        }
        return a instanceof Double || b instanceof Double;
    }

    public static Object add(Object a, Object b) {
        if (a instanceof String && b instanceof String) {
            return ((String) a).concat((String) b);
        }
        if (a instanceof byte[] && b instanceof byte[]) {
            return PyBytes.joined((byte[]) a, (byte[]) b);
        }
        if (isFloating(a, b)) {
            return Double.valueOf(asDouble(a) + asDouble(b));
        }
        if (isSmall(a) && isSmall(b)) {
            long x = small(a), y = small(b), sum = x + y;
            if (((x ^ sum) & (y ^ sum)) >= 0) {
                return Long.valueOf(sum);
            }
        }
        return whole(big(a).add(big(b)));
    }

    public static Object subtract(Object a, Object b) {
        if (isFloating(a, b)) {
            return Double.valueOf(asDouble(a) - asDouble(b));
        }
        if (isSmall(a) && isSmall(b)) {
            long x = small(a), y = small(b), left = x - y;
            if (((x ^ y) & (x ^ left)) >= 0) {
                return Long.valueOf(left);
            }
        }
        return whole(big(a).subtract(big(b)));
    }

    /** How often a text or a list is repeated: no more often, or less, than 64 bits say. */
    static long times(Object value) {
        if (value instanceof BigInteger) {
            throw Raised.OVERFLOW;
        }
        return small(value);
    }

    public static Object multiply(Object a, Object b) {
        if (a instanceof String && isInt(b)) {
            return PyText.times((String) a, times(b));
        }
        if (b instanceof String && isInt(a)) {
            return PyText.times((String) b, times(a));
        }
        if (isFloating(a, b)) {
            return Double.valueOf(asDouble(a) * asDouble(b));
        }
        return whole(big(a).multiply(big(b)));
    }

    public static double divide(double a, double b) {
        if (b == 0.0) {
            throw Raised.ZERO;
        }
        return a / b;
    }

    public static double divide(long a, long b) {
        if (b == 0L) {
            throw Raised.ZERO;
        }
        if (Math.abs((double) a) < EXACT && Math.abs((double) b) < EXACT) {
            return (double) a / (double) b;
        }
        return quotient(BigInteger.valueOf(a), BigInteger.valueOf(b));
    }

    public static double divide(Object a, Object b) {
        if (isFloating(a, b)) {
            return divide(asDouble(a), asDouble(b));
        }
        if (isSmall(a) && isSmall(b)) {
            return divide(small(a), small(b));
        }
        if (big(b).signum() == 0) {
            throw Raised.ZERO;
        }
        return quotient(big(a), big(b));
    }

    /** The float nearest to a quotient: with so many digits, what is no tie is told from one. */
    static double quotient(BigInteger a, BigInteger b) {
        if (a.signum() == 0) {
            return b.signum() < 0 ? -0.0 : 0.0;
        }
        int digits = (a.bitLength() + b.bitLength()) / 2 + 60;
        BigDecimal exact = new BigDecimal(a).divide(new BigDecimal(b), new MathContext(digits));
        double found = exact.doubleValue();
        if (Double.isInfinite(found)) {
            throw Raised.OVERFLOW;
        }
        return found;
    }

    public static long floorDivide(long a, long b) {
        if (b == 0L) {
            throw Raised.ZERO;
        }
        if (a == Long.MIN_VALUE && b == -1L) {
            throw GaveUp.GAVE_UP;
        }
        return Math.floorDiv(a, b);
    }

    public static long modulo(long a, long b) {
        if (b == 0L) {
            throw Raised.ZERO;
        }
        return Math.floorMod(a, b);
    }

    public static double modulo(double a, double b) {
        if (b == 0.0) {
            throw Raised.ZERO;
        }
        double left = a % b;
        if (left != 0.0) {
            return (b < 0.0) != (left < 0.0) ? left + b : left;
        }
        return Math.copySign(0.0, b);
    }

    public static double floorDivide(double a, double b) {
        if (b == 0.0) {
            throw Raised.ZERO;
        }
        double left = a % b;
        double quotient = (a - left) / b;
        if (left != 0.0 && (b < 0.0) != (left < 0.0)) {
            quotient -= 1.0;
        }
        if (quotient == 0.0) {
            return Math.copySign(0.0, a / b);
        }
        double found = Math.floor(quotient);
        return quotient - found > 0.5 ? found + 1.0 : found;
    }

    public static Object floorDivide(Object a, Object b) {
        if (isFloating(a, b)) {
            return Double.valueOf(floorDivide(asDouble(a), asDouble(b)));
        }
        BigInteger x = big(a), y = big(b);
        if (y.signum() == 0) {
            throw Raised.ZERO;
        }
        BigInteger[] parts = x.divideAndRemainder(y);
        boolean lower = parts[1].signum() != 0 && parts[1].signum() != y.signum();
        return whole(lower ? parts[0].subtract(BigInteger.ONE) : parts[0]);
    }

    public static Object modulo(Object a, Object b) {
        if (isFloating(a, b)) {
            return Double.valueOf(modulo(asDouble(a), asDouble(b)));
        }
        BigInteger y = big(b);
        if (y.signum() == 0) {
            throw Raised.ZERO;
        }
        BigInteger left = big(a).remainder(y);
        boolean other = left.signum() != 0 && left.signum() != y.signum();
        return whole(other ? left.add(y) : left);
    }

    public static Object negate(Object a) {
        if (a instanceof Double) {
            return Double.valueOf(-((Double) a).doubleValue());
        }
        if (!isInt(a)) {
            throw Raised.TYPE;
        }
        return whole(big(a).negate());
    }

    public static Object absolute(Object a) {
        if (a instanceof Double) {
            return Double.valueOf(Math.abs(((Double) a).doubleValue()));
        }
        if (!isInt(a)) {
            throw Raised.TYPE;
        }
        return whole(big(a).abs());
    }

    /** Below, at or above 0 as a is less, equal or more; 2 where one of them is no number. */
    static int order(Object a, Object b) {
        if (a instanceof Double || b instanceof Double) {
            boolean shown = isShown(a) && isShown(b);
            double x = a instanceof Double ? ((Double) a).doubleValue() : shown ? (double) small(a) : 0.0;
            double y = b instanceof Double ? ((Double) b).doubleValue() : shown ? (double) small(b) : 0.0;
            if (x != x || y != y) {
                return 2;
            }
            if (shown) {
                return x < y ? -1 : x > y ? 1 : 0;
            }
            if (Double.isInfinite(x)) {
                return x > 0 ? 1 : -1;
            }
            if (Double.isInfinite(y)) {
                return y > 0 ? -1 : 1;
            }
            return exact(a).compareTo(exact(b));
        }
        if (isSmall(a) && isSmall(b)) {
            return Long.compare(small(a), small(b));
        }
        return big(a).compareTo(big(b));
    }

    /** Whether it is a double, or one shows it exactly. */
    private static boolean isShown(Object value) {
        return value instanceof Double || (isSmall(value) && Math.abs((double) small(value)) < EXACT);
    }

    private static BigDecimal exact(Object value) {
        return value instanceof Double
            ? new BigDecimal(((Double) value).doubleValue())
            : new BigDecimal(big(value));
    }

    private static int ordered(Object a, Object b) {
        if (a instanceof String && b instanceof String) {
            return PyText.compare((String) a, (String) b);
        }
        if (a instanceof byte[] && b instanceof byte[]) {
            return java.util.Arrays.compareUnsigned((byte[]) a, (byte[]) b);
        }
        isFloating(a, b);
        return order(a, b);
    }

    public static boolean less(Object a, Object b) {
        return ordered(a, b) < 0;
    }

    public static boolean lessOrEqual(Object a, Object b) {
        return ordered(a, b) <= 0;
    }

    public static boolean equal(Object a, Object b) {
        if (a == null || b == null) {
            return a == b;
        }
        if (a instanceof byte[] && b instanceof byte[]) {
            return java.util.Arrays.equals((byte[]) a, (byte[]) b);
        }
        boolean numbers = (isInt(a) || a instanceof Double) && (isInt(b) || b instanceof Double);
        return numbers ? order(a, b) == 0 : a.equals(b);
    }

    /** Of two, the one that min keeps: the first unless the other is less. */
    public static Object least(Object a, Object b) {
        return less(b, a) ? b : a;
    }

    public static Object most(Object a, Object b) {
        return less(a, b) ? b : a;
    }

    /** An int to the power of an int that is not negative. */
    public static Object power(Object a, Object b) {
        if (!isInt(a) || !isInt(b)) {
            throw Raised.TYPE;
        }
        long times = count(b);
        if (big(a).bitLength() > 1 && (double) big(a).bitLength() * times > MOST_BITS) {
            throw GaveUp.GAVE_UP;
        }
        return whole(big(a).pow((int) Math.min(times, (long) Integer.MAX_VALUE)));
    }

    /** int(x) of a float. */
    public static Object toInt(double x) {
        if (x != x) {
            throw Raised.VALUE;
        }
        if (Double.isInfinite(x)) {
            throw Raised.OVERFLOW;
        }
        if (Math.abs(x) < 9.2e18) {
            return Long.valueOf((long) x);
        }
        return whole(new BigDecimal(x).toBigInteger());
    }

    /** As toInt, within 64 bits. */
    public static long toLong(double x) {
        if (Math.abs(x) < 9.2e18) {
            return (long) x;
        }
        throw GaveUp.GAVE_UP;
    }

    public static Object toInt(Object value) {
        if (value instanceof Double) {
            return toInt(((Double) value).doubleValue());
        }
        if (value instanceof String) {
            return PyParse.toInt((String) value, 10);
        }
        if (!isInt(value)) {
            throw Raised.TYPE;
        }
        return whole(big(value));
    }

    public static double toFloat(Object value) {
        return value instanceof String ? PyParse.toFloat((String) value) : asDouble(value);
    }

    /** round(x): halves to even. */
    public static Object round(Object value) {
        if (value instanceof Double) {
            return toInt(Math.rint(asDouble(value)));
        }
        if (!isInt(value)) {
            throw Raised.TYPE;
        }
        return whole(big(value));
    }

    /** round(x, digits) of a float: the float nearest to the exact value's rounded decimal. */
    public static double round(double x, long digits) {
        if (x != x || Double.isInfinite(x) || digits > 400) {
            return x;
        }
        if (digits >= 0 && digits < 16) {
            double ten = TENS[(int) digits];
            double size = Math.abs(x);
            double scaled = size * ten;
            if (scaled < 0x1p52) {
                double below = Math.floor(scaled);
                double over = scaled - below - 0.5;
                if (over == 0.0) {
                    // A half, or as near to one as no float shows: what the product lost decides.
                    over = Math.fma(size, ten, -scaled);
                }
                boolean up = over > 0.0 || (over == 0.0 && ((long) below & 1L) != 0L);
                return Math.copySign((up ? below + 1.0 : below) / ten, x);
            }
        }
        if (digits < -400) {
            return Math.copySign(0.0, x);
        }
        BigDecimal rounded = new BigDecimal(x).setScale((int) digits, RoundingMode.HALF_EVEN);
        double found = rounded.doubleValue();
        if (Double.isInfinite(found)) {
            throw Raised.OVERFLOW;
        }
        return found == 0.0 ? Math.copySign(0.0, x) : found;
    }

    /** The same of an int whose result is one of 64 bits; raises elsewhere. */
    public static long roundWhole(long value, long digits) {
        if (digits >= 0) {
            return value;
        }
        if (digits < -19) {
            return 0L;
        }
        return BigDecimal.valueOf(value).setScale((int) digits, RoundingMode.HALF_EVEN).longValueExact();
    }

    public static Object round(Object value, Object digits) {
        if (digits == null) {
            return round(value);
        }
        if (!isInt(digits)) {
            throw Raised.TYPE;
        }
        if (value instanceof Double) {
            return Double.valueOf(round(asDouble(value), place(digits)));
        }
        if (!isInt(value)) {
            throw Raised.TYPE;
        }
        long places = place(digits);
        if (places >= 0) {
            return whole(big(value));
        }
        if (places < -big(value).bitLength()) {
            return Long.valueOf(0L);
        }
        BigDecimal rounded = new BigDecimal(big(value)).setScale((int) places, RoundingMode.HALF_EVEN);
        return whole(rounded.toBigInteger());
    }

    public static double squareRoot(double x) {
        if (x < 0.0) {
            throw Raised.VALUE;
        }
        return Math.sqrt(x);
    }

    /** Compares an int with a float where the float shows the int exactly, and raises elsewhere. */
    public static double near(long a) {
        double found = (double) a;
        if (Math.abs(found) >= EXACT) {
            throw GaveUp.GAVE_UP;
        }
        return found;
    }

    /** The bits of an int in Python's two's complement without end: one of & | ^. */
    public static Object bits(Object a, Object b, char how) {
        if (!isInt(a) || !isInt(b)) {
            throw Raised.TYPE;
        }
        BigInteger x = big(a), y = big(b);
        BigInteger found = how == '&' ? x.and(y) : how == '|' ? x.or(y) : x.xor(y);
        return a instanceof Boolean && b instanceof Boolean
            ? (Object) Boolean.valueOf(found.signum() != 0)
            : whole(found);
    }
}
