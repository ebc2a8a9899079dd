package notebookudf;

/** What a function returns, as the column of its type takes it; what does not fit is an error. */
public final class PyResult {
    private static final double EXACT = 9007199254740992.0;

    private PyResult() {
    }

    /** A whole number of so many bits; a bool counts as one. */
    public static Object whole(Object value, int bits) {
        if (value == null) {
            return null;
        }
        if (value instanceof Boolean) {
            return whole(((Boolean) value).booleanValue() ? 1L : 0L, bits);
        }
        if (value instanceof Long) {
            return whole(((Long) value).longValue(), bits);
        }
        throw Raised.RAISED;
    }

    public static Object whole(long value, int bits) {
        if (bits == 64) {
            return Long.valueOf(value);
        }
        if (value >> (bits - 1) != (value < 0L ? -1L : 0L)) {
            throw Raised.RAISED;
        }
        if (bits == 32) {
            return Integer.valueOf((int) value);
        }
        return bits == 16 ? (Object) Short.valueOf((short) value) : Byte.valueOf((byte) value);
    }

    /** A double; an int is one if a double equals it. */
    public static Object real(Object value) {
        if (value == null || value instanceof Double) {
            return value;
        }
        if (!PyNumber.isInt(value)) {
            throw Raised.RAISED;
        }
        double found = PyNumber.asDouble(value);
        if (Math.abs(found) >= EXACT && !PyNumber.equal(Double.valueOf(found), value)) {
            throw Raised.RAISED;
        }
        return Double.valueOf(found);
    }

    public static Object text(Object value) {
        if (value == null || value instanceof String) {
            return value;
        }
        throw Raised.RAISED;
    }

    public static Object truth(Object value) {
        if (value == null || value instanceof Boolean) {
            return value;
        }
        throw Raised.RAISED;
    }
}
