package notebookudf;

import java.math.BigInteger;
import java.util.ArrayList;

/** What math makes of floats without the C library, and the methods of a float. */
public final class PyReal {
    private static final long FRACTION = (1L << 52) - 1;

    private PyReal() {
    }

    /** math.isclose(a, b, rel_tol=..., abs_tol=...). */
    public static boolean isClose(double a, double b, double relative, double absolute) {
        if (relative < 0.0 || absolute < 0.0) {
            throw Raised.VALUE;
        }
        if (a == b) {
            return true;
        }
        if (Double.isInfinite(a) || Double.isInfinite(b)) {
            return false;
        }
        double apart = Math.abs(b - a);
        return apart <= Math.abs(relative * b) || apart <= Math.abs(relative * a)
            || apart <= absolute;
    }

    /** math.prod(list) of whole numbers, from one of them. */
    public static Object productOfInts(ArrayList list, Object from) {
        Object total = from;
        for (int i = 0; i < list.size(); i++) {
            Object each = list.get(i);
            if (!PyNumber.isInt(each)) {
                throw Raised.TYPE;
            }
            total = PyNumber.multiply(total, each);
        }
        return total;
    }

    /** math.prod(list) of floats, one after the other. */
    public static double productOfDoubles(ArrayList list, double from) {
        double total = from;
        for (int i = 0; i < list.size(); i++) {
            total *= PyNumber.asDouble(list.get(i));
        }
        return total;
    }

    /** math.fsum(list): what is lost of each sum is kept in parts that do not overlap. */
    public static double exactSum(ArrayList list) {
        double[] parts = new double[32];
        int count = 0;
        double special = 0.0, infinite = 0.0;
        for (int at = 0; at < list.size(); at++) {
            double given = PyNumber.asDouble(list.get(at)), x = given;
            int kept = 0;
            for (int j = 0; j < count; j++) {
                double y = parts[j];
                if (Math.abs(x) < Math.abs(y)) {
                    double other = x;
                    x = y;
                    y = other;
                }
                double high = x + y, low = y - (high - x);
                if (low != 0.0) {
                    parts[kept++] = low;
                }
                x = high;
            }
            count = kept;
            if (x == 0.0) {
                continue;
            }
            if (!isFinite(x)) {
                if (isFinite(given)) {
                    throw Raised.OVERFLOW;
                }
                infinite += Double.isInfinite(given) ? given : 0.0;
                special += given;
                count = 0;
                continue;
            }
            if (count == parts.length) {
                parts = java.util.Arrays.copyOf(parts, 2 * count);
            }
            parts[count++] = x;
        }
        if (special != 0.0) {
            if (Double.isNaN(infinite)) {
                throw Raised.VALUE;
            }
            return special;
        }
        return together(parts, count);
    }

    private static boolean isFinite(double x) {
        return !Double.isNaN(x) && !Double.isInfinite(x);
    }

    /** The float nearest to the sum of parts, the largest last; of two the even one. */
    private static double together(double[] parts, int count) {
        if (count == 0) {
            return 0.0;
        }
        int left = count - 1;
        double high = parts[left], low = 0.0;
        while (left > 0) {
            double x = high, y = parts[--left];
            high = x + y;
            low = y - (high - x);
            if (low != 0.0) {
                break;
            }
        }
        boolean same = left > 0 && (low < 0.0 && parts[left - 1] < 0.0
            || low > 0.0 && parts[left - 1] > 0.0);
        if (same) {
            double twice = low * 2.0, x = high + twice;
            if (twice == x - high) {
                high = x;
            }
        }
        return high;
    }

    /** x.is_integer(). */
    public static boolean isInteger(double x) {
        return isFinite(x) && Math.floor(x) == x;
    }

    /** x.as_integer_ratio()[0]. */
    public static Object numerator(double x) {
        if (Double.isNaN(x)) {
            throw Raised.VALUE;
        }
        if (Double.isInfinite(x)) {
            throw Raised.OVERFLOW;
        }
        BigInteger found = BigInteger.valueOf(digits(x)).shiftLeft(Math.max(0, exponent(x)));
        return PyNumber.whole(x < 0.0 ? found.negate() : found);
    }

    /** x.as_integer_ratio()[1] of one that has a numerator. */
    public static Object denominator(double x) {
        return PyNumber.whole(BigInteger.ONE.shiftLeft(Math.max(0, -exponent(x))));
    }

    /** The odd whole number that times a power of two is x without its sign; 0 of nothing. */
    private static long digits(double x) {
        long found = significand(x);
        return found == 0L ? 0L : found >> Long.numberOfTrailingZeros(found);
    }

    private static int exponent(double x) {
        long found = significand(x);
        int even = Long.numberOfTrailingZeros(found);
        return found == 0L ? 0 : Math.max(Math.getExponent(x), -1022) - 52 + even;
    }

    private static long significand(double x) {
        long found = Double.doubleToRawLongBits(x) & FRACTION;
        return Math.getExponent(x) < -1022 ? found : found | FRACTION + 1;
    }

    /** x.hex(). */
    public static String hex(double x) {
        if (!isFinite(x)) {
            return PyFormat.repr(x);
        }
        String sign = Double.doubleToRawLongBits(x) < 0L ? "-" : "";
        if (x == 0.0) {
            return sign + "0x0.0p+0";
        }
        int power = Math.max(Math.getExponent(x), -1022);
        String bits = Long.toHexString(Double.doubleToRawLongBits(x) & FRACTION | FRACTION + 1);
        String first = Math.getExponent(x) < -1022 ? "0x0." : "0x1.";
        return sign + first + bits.substring(1) + "p" + (power < 0 ? "" : "+") + power;
    }
}
