package notebookudf;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;

/** Functions of the module statistics: sums are exact, and rounded once. */
public final class PyStatistics {
    /** The number of values, and the sums of them and of their squares. */
    private final int count;
    private BigDecimal sum = BigDecimal.ZERO, squares = BigDecimal.ZERO;
    // The sum of those that are infinite or NaN.
    private double special = 0.0;
    private boolean isSpecial = false, isWhole = true;

    private PyStatistics(ArrayList list, int least) {
        count = list.size();
        for (int i = 0; i < count; i++) {
            Object each = list.get(i);
            if (each instanceof Double) {
                isWhole = false;
                double value = ((Double) each).doubleValue();
                if (Double.isNaN(value) || Double.isInfinite(value)) {
                    isSpecial = true;
                    special += value;
                } else {
                    add(new BigDecimal(value));
                }
            } else if (PyNumber.isInt(each)) {
                add(new BigDecimal(PyNumber.big(each)));
            } else {
                throw Raised.TYPE;
            }
        }
        // How many there are is known, in Python too, once all of them were looked at.
        if (count < least) {
            throw Raised.STATISTICS;
        }
    }

    private void add(BigDecimal value) {
        sum = sum.add(value);
        squares = squares.add(value.multiply(value));
    }

    private BigDecimal spread() {
        return squares.multiply(BigDecimal.valueOf((long) count)).subtract(sum.multiply(sum));
    }

    /** mean(list). */
    public static Object mean(ArrayList list) {
        PyStatistics of = new PyStatistics(list, 1);
        return of.quotient(of.sum, (long) of.count, (long) of.count);
    }

    /** variance(list), or with a less of 0 pvariance(list). */
    public static Object variance(ArrayList list, int less) {
        PyStatistics of = new PyStatistics(list, 1 + less);
        long left = (long) of.count - less;
        return of.quotient(of.spread(), of.count * left, left);
    }

    /** stdev(list), or with a less of 0 pstdev(list). */
    public static Object deviation(ArrayList list, int less) {
        PyStatistics of = new PyStatistics(list, 1 + less);
        if (of.isSpecial) {
            throw GaveUp.GAVE_UP;
        }
        BigInteger below = BigInteger.valueOf((long) of.count * (of.count - less));
        BigDecimal spread = of.spread();
        return Double.valueOf(root(above(spread), below.multiply(below(spread))));
    }

    private Object quotient(BigDecimal value, long by, long bySpecial) {
        if (isSpecial) {
            return Double.valueOf(special / bySpecial);
        }
        BigInteger above = above(value), below = below(value).multiply(BigInteger.valueOf(by));
        if (isWhole) {
            BigInteger[] parts = above.divideAndRemainder(below);
            if (parts[1].signum() == 0) {
                return PyNumber.whole(parts[0]);
            }
        }
        return Double.valueOf(PyNumber.quotient(above, below));
    }

    private static BigInteger above(BigDecimal value) {
        return value.scale() >= 0 ? value.unscaledValue() : value.toBigIntegerExact();
    }

    private static BigInteger below(BigDecimal value) {
        return value.scale() > 0 ? BigInteger.TEN.pow(value.scale()) : BigInteger.ONE;
    }

    /** The float that is nearest to the square root of a fraction. */
    private static double root(BigInteger above, BigInteger below) {
        if (above.signum() == 0) {
            return 0.0;
        }
        // So many bits that a root whose last bit says whether it is exact is rounded only once.
        int shift = Math.floorDiv(above.bitLength() - below.bitLength() - 109, 2);
        if (shift >= 0) {
            return odd(above, below.shiftLeft(2 * shift)).shiftLeft(shift).doubleValue();
        }
        return PyNumber.quotient(odd(above.shiftLeft(-2 * shift), below), BigInteger.ONE.shiftLeft(-shift));
    }

    private static BigInteger odd(BigInteger above, BigInteger below) {
        BigInteger found = above.divide(below).sqrt();
        return found.multiply(found).multiply(below).equals(above) ? found : found.setBit(0);
    }
}
