package notebookudf;

/** An iterator of range(start, stop, step). */
public final class PyRange {
    private long at;
    private long left;
    private final long step;

    public PyRange(long start, long stop, long step) {
        if (step == 0L) {
            throw Raised.VALUE;
        }
        this.at = start;
        this.step = step;
        boolean close = Math.abs((double) stop - (double) start) < 9e18;
        this.left = close ? near(start, stop, step) : count(start, stop, step);
    }

    private static long near(long start, long stop, long step) {
        long width = step > 0 ? stop - start : start - stop;
        long by = step > 0 ? step : -step;
        return width <= 0L ? 0L : by == 1L ? width : by < 0L ? 1L : (width - 1L) / by + 1L;
    }

    private static long count(long start, long stop, long step) {
        if (step > 0 ? start >= stop : start <= stop) {
            return 0L;
        }
        java.math.BigInteger width = java.math.BigInteger.valueOf(stop)
            .subtract(java.math.BigInteger.valueOf(start)).abs();
        java.math.BigInteger by = java.math.BigInteger.valueOf(step).abs();
        return width.add(by).subtract(java.math.BigInteger.ONE).divide(by)
            .min(java.math.BigInteger.valueOf(Long.MAX_VALUE)).longValue();
    }

    /** value in range(start, stop, step), of which the step is more than 0. */
    public static boolean contains(Object value, long start, long stop, long step) {
        Object whole = value;
        if (value instanceof Double) {
            double number = ((Double) value).doubleValue();
            if (number != Math.rint(number) || Math.abs(number) > 9e18) {
                return false;
            }
            whole = Long.valueOf((long) number);
        }
        if (whole instanceof java.math.BigInteger || !PyNumber.isInt(whole)) {
            return false;
        }
        long at = PyNumber.place(whole);
        return start <= at && at < stop && PyNumber.big(whole)
            .subtract(java.math.BigInteger.valueOf(start)).mod(java.math.BigInteger.valueOf(step)).signum() == 0;
    }

    public boolean hasNext() {
        return left > 0L;
    }

    public long next() {
        long found = at;
        at += step;
        left--;
        return found;
    }
}
