package notebookudf;

/** Arguments as Spark hands them over: of the declared type, or of a narrower one. */
public final class PyArgument {
    private static final double EXACT = 9007199254740992.0;

    private PyArgument() {
    }

    /** A whole number of so many bits at most. */
    public static long whole(Object value, String name, int place, int bits) {
        boolean fits = value instanceof Integer && bits >= 32 || value instanceof Long && bits >= 64
            || value instanceof Short && bits >= 16 || value instanceof Byte;
        if (!fits) {
            throw WrongArgument.of(value, name, place);
        }
        return ((Number) value).longValue();
    }

    public static double real(Object value, String name, int place) {
        if (value instanceof Double || value instanceof Float) {
            return ((Number) value).doubleValue();
        }
        if (value instanceof java.math.BigDecimal) {
            // As a literal like 0.5 comes.
            return ((java.math.BigDecimal) value).doubleValue();
        }
        double found = (double) whole(value, name, place, 64);
        if (Math.abs(found) > EXACT) {
            throw WrongArgument.of(value, name, place);
        }
        return found;
    }

    public static boolean truth(Object value, String name, int place) {
        if (!(value instanceof Boolean)) {
            throw WrongArgument.of(value, name, place);
        }
        return ((Boolean) value).booleanValue();
    }

    public static String text(Object value, String name, int place) {
        if (!(value instanceof String)) {
            throw WrongArgument.of(value, name, place);
        }
        return (String) value;
    }

    public static byte[] bytes(Object value, String name, int place) {
        if (!(value instanceof byte[])) {
            throw WrongArgument.of(value, name, place);
        }
        return (byte[]) value;
    }
}
