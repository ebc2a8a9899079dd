package notebookudf;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Python's timedeltas, which are microseconds; one that 64 bits do not hold is left to Python. */
public final class PySpan {
    private static final long DAY = 86400000000L;
    // What a timedelta holds at most.
    private static final BigDecimal MOST_DAYS = BigDecimal.valueOf(999999999L);

    private PySpan() {
    }

    /** The whole days of a span, rounded down as a timedelta has them. */
    public static long days(long micros) {
        return Math.floorDiv(micros, DAY);
    }

    public static long seconds(long micros) {
        return Math.floorMod(micros, DAY) / 1000000L;
    }

    public static long micros(long micros) {
        return Math.floorMod(micros, 1000000L);
    }

    public static double totalSeconds(long micros) {
        return PyNumber.divide(micros, 1000000L);
    }

    public static String text(long micros) {
        long days = days(micros), seconds = seconds(micros), rest = micros(micros);
        StringBuilder made = new StringBuilder();
        if (days != 0L) {
            made.append(days).append(days == 1L || days == -1L ? " day, " : " days, ");
        }
        made.append(seconds / 3600L);
        PyDate.padded(made.append(':'), (int) (seconds / 60L % 60L), 2);
        PyDate.padded(made.append(':'), (int) (seconds % 60L), 2);
        if (rest != 0L) {
            PyDate.padded(made.append('.'), (int) rest, 6);
        }
        return made.toString();
    }

    /** An int of any size. */
    public static long count(Object value) {
        if (value instanceof Long) {
            return ((Long) value).longValue();
        }
        throw GaveUp.GAVE_UP;
    }

    public static long plus(long one, long other) {
        long sum = one + other;
        if (((one ^ sum) & (other ^ sum)) < 0L) {
            throw GaveUp.GAVE_UP;
        }
        return sum;
    }

    public static long minus(long one, long other) {
        return plus(one, negate(other));
    }

    public static long negate(long micros) {
        if (micros == Long.MIN_VALUE) {
            throw GaveUp.GAVE_UP;
        }
        return -micros;
    }

    public static long absolute(long micros) {
        return micros < 0L ? negate(micros) : micros;
    }

    /** So many of a unit, which with other ones may be less. */
    public static long of(long count, long unit) {
        if (Math.multiplyHigh(count, unit) != count * unit >> 63) {
            throw GaveUp.GAVE_UP;
        }
        return count * unit;
    }

    public static long times(long micros, long count) {
        if (Math.multiplyHigh(micros, count) != micros * count >> 63) {
            return rounded(BigDecimal.valueOf(micros).multiply(BigDecimal.valueOf(count)));
        }
        return micros * count;
    }

    public static long times(long micros, double share) {
        return rounded(BigDecimal.valueOf(micros).multiply(exact(share)));
    }

    /** A span that is cut in so many parts, to the nearest microsecond, or of two the even one. */
    public static long part(long micros, long count) {
        if (count == 0L) {
            throw Raised.ZERO;
        }
        if (count == -1L) {
            return negate(micros);
        }
        // As negative numbers, of which there is one more.
        long whole = micros / count, rest = -Math.abs(micros % count);
        long other = (count < 0L ? count : -count) - rest;
        boolean isUp = rest < other || (rest == other && (whole & 1L) != 0L);
        return isUp ? whole + ((micros ^ count) < 0L ? -1L : 1L) : whole;
    }

    public static long part(long micros, double share) {
        BigDecimal by = exact(share);
        if (by.signum() == 0) {
            throw Raised.ZERO;
        }
        return rounded(BigDecimal.valueOf(micros).divide(by, 0, RoundingMode.HALF_EVEN));
    }

    /** As part, rounded down. */
    public static long wholePart(long micros, long count) {
        if (count == 0L) {
            throw Raised.ZERO;
        }
        return count == -1L ? negate(micros) : Math.floorDiv(micros, count);
    }

    /**
     * A span of whole numbers of microseconds and of floats of some units: what is less than a
     * microsecond of each is added up as a float, from the least unit on.
     */
    public static long of(long micros, double[] counts, long[] units) {
        long total = micros;
        double left = 0.0;
        for (int i = 0; i < counts.length; i++) {
            long whole = wholeOf(counts[i]);
            total = plus(total, of(whole, units[i]));
            double rest = (counts[i] - whole) * units[i];
            total = plus(total, (long) rest);
            left += rest - (long) rest;
        }
        if (left == 0.0) {
            return total;
        }
        double near = awayFromZero(left);
        if (Math.abs(near - left) == 0.5) {
            double odd = (total & 1L) != 0L ? 1.0 : 0.0;
            near = 2.0 * awayFromZero((left + odd) * 0.5) - odd;
        }
        return plus(total, (long) near);
    }

    private static long wholeOf(double value) {
        checkFinite(value);
        if (Math.abs(value) >= 9.2e18) {
            throw GaveUp.GAVE_UP;
        }
        return (long) value;
    }

    /** C's round. */
    private static double awayFromZero(double value) {
        double size = Math.abs(value), whole = Math.floor(size);
        return Math.copySign(size - whole >= 0.5 ? whole + 1.0 : whole, value);
    }

    private static void checkFinite(double value) {
        if (value != value) {
            throw Raised.VALUE;
        }
        if (Double.isInfinite(value)) {
            throw Raised.OVERFLOW;
        }
    }

    private static BigDecimal exact(double share) {
        checkFinite(share);
        return new BigDecimal(share);
    }

    private static long rounded(BigDecimal micros) {
        BigDecimal whole = micros.setScale(0, RoundingMode.HALF_EVEN);
        try {
            return whole.longValueExact();
        } catch (ArithmeticException beyond) {
            BigDecimal days = whole.divide(BigDecimal.valueOf(DAY), 0, RoundingMode.FLOOR);
            throw days.abs().compareTo(MOST_DAYS) > 0 ? (RuntimeException) Raised.OVERFLOW
                : GaveUp.GAVE_UP;
        }
    }
}
