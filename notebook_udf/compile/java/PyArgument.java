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
        double found = (double) whole(value, name, place, 64);
        if (Math.abs(found) > EXACT) {
            throw WrongArgument.of(value, name, place);
        }
        return found;
    }

    /**
     * A list, of whole numbers of so many bits (kind i), of floats (f), bools (b) or texts (s).
     * Where it has a null and may not, the row is computed by code for any values.
     */
    public static java.util.ArrayList list(Object value, String name, int place, char kind, int bits, boolean nulls) {
        scala.collection.Seq given = (scala.collection.Seq) value;
        java.util.ArrayList made = new java.util.ArrayList(given.length());
        scala.collection.Iterator each = given.iterator();
        while (each.hasNext()) {
            made.add(element(each.next(), name, place, kind, bits, nulls));
        }
        return made;
    }

    /** A dict; keys and values are of the kinds that a list's may be. */
    public static java.util.HashMap dict(Object value, String name, int place, char key, int keyBits,
            char kind, int bits, boolean nulls) {
        scala.collection.Iterator each = ((scala.collection.Map) value).iterator();
        java.util.HashMap made = new java.util.LinkedHashMap();
        while (each.hasNext()) {
            scala.Tuple2 one = (scala.Tuple2) each.next();
            made.put(element(one._1(), name, place, key, keyBits, false),
                element(one._2(), name, place, kind, bits, nulls));
        }
        return made;
    }

    private static Object element(Object one, String name, int place, char kind, int bits, boolean nulls) {
        if (one == null) {
            if (!nulls) {
                throw GaveUp.GAVE_UP;
            }
            return null;
        }
        if (kind == 'i') {
            return Long.valueOf(whole(one, name, place, bits));
        }
        return kind == 'f' ? (Object) Double.valueOf(real(one, name, place)) : one;
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
}
