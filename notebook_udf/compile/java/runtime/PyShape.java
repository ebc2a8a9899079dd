package notebookudf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;

/** What lists, dicts and rows of a column hold, and how they are taken from Spark and given to it. */
public final class PyShape {
    private final char kind;
    // Of a whole number; of a decimal its precision.
    private final int bits;
    private final int scale;
    // A list has one, a dict two.
    private final PyShape[] parts;
    // Which part of a tuple stands at each place of a row.
    private final int[] places;
    // Of times that depend on one.
    private final PyZone zone;

    private PyShape(char kind, int bits, int scale, ArrayList parts, ArrayList places, PyZone zone) {
        this.zone = zone;
        this.kind = kind;
        this.bits = bits;
        this.scale = scale;
        this.parts = (PyShape[]) parts.toArray(new PyShape[parts.size()]);
        this.places = new int[places.size()];
        for (int i = 0; i < this.places.length; i++) {
            this.places[i] = ((Integer) places.get(i)).intValue();
        }
    }

    /**
     * The shape of a text: i64, f, b, s, d10.2, y, n, t and o for numbers, bools, texts, decimals,
     * days, times without a zone and with one, and others; l(s) for a list, m(s,f) for a dict,
     * r(0:s,1:i32) for a row.
     */
    public static PyShape of(String text) {
        return of(text, null);
    }

    public static PyShape of(String text, PyZone zone) {
        int[] at = new int[1];
        return read(text, at, zone);
    }

    private static PyShape read(String text, int[] at, PyZone zone) {
        char kind = text.charAt(at[0]++);
        ArrayList parts = new ArrayList();
        ArrayList places = new ArrayList();
        int bits = 0, scale = 0;
        if (kind == 'i' || kind == 'd') {
            bits = number(text, at);
            if (kind == 'd') {
                at[0]++;
                scale = number(text, at);
            }
        }
        if (kind == 'l' || kind == 'm' || kind == 'r') {
            while (text.charAt(at[0]++) != ')') {
                if (kind == 'r') {
                    places.add(Integer.valueOf(number(text, at)));
                    at[0]++;
                }
                parts.add(read(text, at, zone));
            }
        }
        return new PyShape(kind, bits, scale, parts, places, zone);
    }

    private static int number(String text, int[] at) {
        int from = at[0];
        while (at[0] < text.length() && Character.isDigit(text.charAt(at[0]))) {
            at[0]++;
        }
        return Integer.parseInt(text.substring(from, at[0]));
    }

    /**
     * An argument as Spark hands it over. Where something in it is null and may not be, the row is
     * computed by code for any values.
     */
    public Object entered(Object value, String name, int place, boolean nulls) {
        switch (kind) {
            case 'i':
                return Long.valueOf(PyArgument.whole(value, name, place, bits));
            case 'f':
                return Double.valueOf(PyArgument.real(value, name, place));
            case 'b':
                return Boolean.valueOf(PyArgument.truth(value, name, place));
            case 's':
                return PyArgument.text(value, name, place);
            case 'd':
                return PyDecimal.entered(value, name, place, bits, scale);
            case 'y':
                return PyDate.entered(value, name, place);
            case 'n':
                return PyDate.enteredMoment(value, name, place);
            case 't':
                return zone.entered(value, name, place);
            case 'l':
                return list(value, name, place, nulls);
            case 'm':
                return dict(value, name, place, nulls);
            case 'r':
                return row(value, name, place, nulls);
            default:
                return value;
        }
    }

    private Object part(int at, Object value, String name, int place, boolean nulls) {
        if (value != null) {
            return parts[at].entered(value, name, place, nulls);
        }
        if (!nulls) {
            throw GaveUp.GAVE_UP;
        }
        return null;
    }

    public ArrayList list(Object value, String name, int place, boolean nulls) {
        scala.collection.Seq given = (scala.collection.Seq) value;
        ArrayList made = new ArrayList(given.length());
        scala.collection.Iterator each = given.iterator();
        while (each.hasNext()) {
            made.add(part(0, each.next(), name, place, nulls));
        }
        return made;
    }

    public HashMap dict(Object value, String name, int place, boolean nulls) {
        scala.collection.Iterator each = ((scala.collection.Map) value).iterator();
        HashMap made = new LinkedHashMap();
        while (each.hasNext()) {
            scala.Tuple2 one = (scala.Tuple2) each.next();
            Object key = part(0, one._1(), name, place, false);
            made.put(key, part(1, one._2(), name, place, nulls));
        }
        return made;
    }

    public Object[] row(Object value, String name, int place, boolean nulls) {
        org.apache.spark.sql.Row given = (org.apache.spark.sql.Row) value;
        Object[] made = new Object[parts.length];
        for (int i = 0; i < made.length; i++) {
            made[i] = part(i, given.get(i), name, place, nulls);
        }
        return made;
    }

    /** A result as the column of its type takes it; what does not fit is an error. */
    public Object left(Object value) {
        if (value == null) {
            return null;
        }
        switch (kind) {
            case 'i':
                return PyResult.whole(value, bits);
            case 'f':
                return PyResult.real(value);
            case 'b':
                return PyResult.truth(value);
            case 's':
                return PyResult.text(value);
            case 'd':
                return decimal(value);
            case 'y':
                return (java.time.LocalDate) value;
            case 'n':
                return (java.time.LocalDateTime) value;
            case 't':
                return zone.left(value);
            case 'l':
                return listLeft(value);
            case 'm':
                return dictLeft(value);
            default:
                return rowLeft(value);
        }
    }

    private Object decimal(Object value) {
        return PyDecimal.fitting(PyDecimal.ofSum(value), bits, scale);
    }

    private Object listLeft(Object value) {
        if (!(value instanceof ArrayList)) {
            throw Raised.RAISED;
        }
        ArrayList given = (ArrayList) value;
        ArrayList made = new ArrayList(given.size());
        for (int i = 0; i < given.size(); i++) {
            made.add(parts[0].left(given.get(i)));
        }
        return made;
    }

    private Object dictLeft(Object value) {
        if (!(value instanceof HashMap)) {
            throw Raised.RAISED;
        }
        HashMap made = new LinkedHashMap();
        for (java.util.Iterator each = ((HashMap) value).entrySet().iterator(); each.hasNext();) {
            java.util.Map.Entry one = (java.util.Map.Entry) each.next();
            Object key = parts[0].left(one.getKey());
            if (key == null) {
                throw Raised.RAISED;
            }
            made.put(key, parts[1].left(one.getValue()));
        }
        return made;
    }

    private Object rowLeft(Object value) {
        boolean isList = value instanceof ArrayList;
        if (!isList && !(value instanceof Object[])) {
            throw Raised.RAISED;
        }
        Object[] given = isList ? ((ArrayList) value).toArray() : (Object[]) value;
        if (isList && given.length != parts.length) {
            throw Raised.RAISED;
        }
        Object[] made = new Object[parts.length];
        for (int i = 0; i < made.length; i++) {
            made[i] = parts[i].left(given[places[i]]);
        }
        return org.apache.spark.sql.RowFactory.create(made);
    }
}
