package notebookudf;

import java.math.BigInteger;

/** What is computed with whole numbers alone. */
public final class PyWhole {
    // A number with more bits takes longer than anybody waits.
    private static final long MOST_BITS = 1L << 26;

    private PyWhole() {
    }

    public static Object shiftLeft(Object a, Object b) {
        if (!PyNumber.isInt(a) || !PyNumber.isInt(b)) {
            throw Raised.TYPE;
        }
        if (PyNumber.big(b).signum() < 0) {
            throw Raised.VALUE;
        }
        if (PyNumber.big(a).signum() == 0) {
            return Long.valueOf(0L);
        }
        if (PyNumber.place(b) > MOST_BITS) {
            throw GaveUp.GAVE_UP;
        }
        return PyNumber.whole(PyNumber.big(a).shiftLeft((int) PyNumber.place(b)));
    }

    public static long shiftLeft(long a, long b) {
        if (b < 0L) {
            throw Raised.VALUE;
        }
        if (b > 62L || a << b >> b != a) {
            throw GaveUp.GAVE_UP;
        }
        return a << b;
    }

    /** hex(value) and its like: with the mark of the base behind the sign. */
    public static String inBase(Object value, String mark, int base) {
        BigInteger whole = PyNumber.big(value);
        return (whole.signum() < 0 ? "-" : "") + mark + whole.abs().toString(base);
    }

    public static Object commonDivisor(Object a, Object b) {
        return PyNumber.whole(PyNumber.big(a).gcd(PyNumber.big(b)));
    }

    public static Object commonMultiple(Object a, Object b) {
        BigInteger x = PyNumber.big(a), y = PyNumber.big(b);
        BigInteger both = x.gcd(y);
        return PyNumber.whole(both.signum() == 0 ? both : x.divide(both).multiply(y).abs());
    }

    /** pow(a, b, m). */
    public static Object power(Object a, Object b, Object m) {
        BigInteger of = PyNumber.big(m), modulus = of.abs();
        if (of.signum() == 0) {
            throw Raised.VALUE;
        }
        if (modulus.equals(BigInteger.ONE)) {
            return Long.valueOf(0L);
        }
        BigInteger base = PyNumber.big(a).mod(modulus), times = PyNumber.big(b);
        if (times.signum() < 0) {
            if (!base.gcd(modulus).equals(BigInteger.ONE)) {
                throw Raised.VALUE;
            }
            base = base.modInverse(modulus);
            times = times.negate();
        }
        BigInteger found = base.modPow(times, modulus);
        return PyNumber.whole(of.signum() < 0 && found.signum() != 0 ? found.add(of) : found);
    }

    private static void checkPositive(BigInteger value) {
        if (value.signum() < 0) {
            throw Raised.VALUE;
        }
    }

    /** The product of so many whole numbers, of which low is the least. */
    private static BigInteger product(BigInteger low, long count) {
        if (count <= 8L) {
            BigInteger made = BigInteger.ONE;
            for (long i = 0; i < count; i++) {
                made = made.multiply(low.add(BigInteger.valueOf(i)));
            }
            return made;
        }
        long half = count / 2;
        BigInteger more = low.add(BigInteger.valueOf(half));
        return product(low, half).multiply(product(more, count - half));
    }

    /** The product of so many whole numbers, of which the last is the largest. */
    private static BigInteger falling(BigInteger last, BigInteger count) {
        if (count.bitLength() > 26 || count.longValue() * last.bitLength() > MOST_BITS / 4) {
            throw GaveUp.GAVE_UP;
        }
        return product(last.subtract(count).add(BigInteger.ONE), count.longValue());
    }

    /** math.factorial(n). */
    public static Object factorial(Object n) {
        BigInteger value = PyNumber.big(n);
        checkPositive(value);
        if (value.bitLength() > 63) {
            throw Raised.OVERFLOW;
        }
        return PyNumber.whole(falling(value, value));
    }

    /** math.perm(n, k), of all of them where k is null. */
    public static Object arrangements(Object n, Object k) {
        if (k == null) {
            return factorial(n);
        }
        BigInteger all = PyNumber.big(n), some = PyNumber.big(k);
        checkPositive(all);
        checkPositive(some);
        if (some.compareTo(all) > 0) {
            return Long.valueOf(0L);
        }
        return PyNumber.whole(falling(all, some));
    }

    /** math.comb(n, k). */
    public static Object choices(Object n, Object k) {
        BigInteger all = PyNumber.big(n), some = PyNumber.big(k);
        checkPositive(all);
        checkPositive(some);
        if (some.compareTo(all) > 0) {
            return Long.valueOf(0L);
        }
        BigInteger fewer = some.min(all.subtract(some));
        return PyNumber.whole(falling(all, fewer).divide(falling(fewer, fewer)));
    }

    /** math.isqrt(n). */
    public static Object root(Object n) {
        checkPositive(PyNumber.big(n));
        return PyNumber.whole(PyNumber.big(n).sqrt());
    }

    public static long bitLength(Object value) {
        return PyNumber.big(value).abs().bitLength();
    }

    public static long bitCount(Object value) {
        return PyNumber.big(value).abs().bitCount();
    }

    public static Object shiftRight(Object a, Object b) {
        if (!PyNumber.isInt(a) || !PyNumber.isInt(b)) {
            throw Raised.TYPE;
        }
        if (PyNumber.big(b).signum() < 0) {
            throw Raised.VALUE;
        }
        return PyNumber.whole(PyNumber.big(a).shiftRight((int) Math.min(PyNumber.place(b), 1L << 30)));
    }

    public static long shiftRight(long a, long b) {
        if (b < 0L) {
            throw Raised.VALUE;
        }
        return a >> Math.min(b, 63L);
    }
}
