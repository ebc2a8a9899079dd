package notebookudf;

import java.math.BigInteger;

/** A number of seconds since 1970, as Python takes it apart: whole ones, and microseconds. */
public final class PyInstant {
    // Two to the power of 63.
    private static final double LIMIT = 9.223372036854775807E18;

    final long second;
    final int micros;

    private PyInstant(double whole, double micros) {
        if (!(whole >= -LIMIT && whole < LIMIT)) {
            throw Raised.OVERFLOW;
        }
        this.second = (long) whole;
        this.micros = (int) micros;
    }

    private PyInstant(long second) {
        this.second = second;
        this.micros = 0;
    }

    private static PyInstant ofInt(Object number) {
        if (number instanceof BigInteger) {
            throw Raised.OVERFLOW;
        }
        return new PyInstant(((Long) number).longValue());
    }

    private static double real(Object number) {
        double found = ((Double) number).doubleValue();
        if (Double.isNaN(found)) {
            throw Raised.VALUE;
        }
        return found;
    }

    /** To the nearest microsecond, of two the even one. */
    static PyInstant nearest(Object number) {
        if (!(number instanceof Double)) {
            return ofInt(number);
        }
        double found = real(number);
        double whole = found < 0 ? Math.ceil(found) : Math.floor(found);
        double micros = Double.isInfinite(found) ? 0 : Math.rint((found - whole) * 1e6);
        if (micros >= 1e6) {
            return new PyInstant(whole + 1, micros - 1e6);
        }
        return micros < 0 ? new PyInstant(whole - 1, micros + 1e6) : new PyInstant(whole, micros);
    }

    /** To the second before. */
    static PyInstant whole(Object number) {
        return number instanceof Double ? new PyInstant(Math.floor(real(number)), 0) : ofInt(number);
    }
}
