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
