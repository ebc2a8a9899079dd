package notebookudf;

import java.util.ArrayList;
import java.util.HashMap;

/** json.dumps of null, Booleans, numbers, texts, lists, and dicts whose keys are texts. */
public final class PyDump implements java.util.Comparator {
    private static final String ESCAPED = "\"\\\n\r\t\f\b";
    private static final String ESCAPES = "\"\\nrtfb";

    private final StringBuilder made = new StringBuilder();
    private final boolean ascii;
    private final String comma;
    private final String colon;
    private final String indent;
    private final boolean sorts;

    private PyDump(boolean ascii, String comma, String colon, String indent, boolean sorts) {
        this.ascii = ascii;
        this.comma = comma;
        this.colon = colon;
        this.indent = indent;
        this.sorts = sorts;
    }

    public static String text(Object value, boolean ascii, String comma, String colon) {
        return text(value, ascii, comma, colon, null, false, 0);
    }

    /** Of a value so deep within others: with an indent, or null, each has a line of its own. */
    public static String text(Object value, boolean ascii, String comma, String colon,
            String indent, boolean sorts, int depth) {
        PyDump dump = new PyDump(ascii, comma, colon, indent, sorts);
        dump.put(value, depth);
        return dump.made.toString();
    }

    private void put(Object value, int depth) {
        if (depth > PyJson.DEEPEST) {
            throw GaveUp.GAVE_UP;
        }
        if (value instanceof String) {
            quote((String) value);
        } else if (value instanceof PyHalf) {
            quote(((PyHalf) value).text);
        } else if (value == null) {
            made.append("null");
        } else if (value instanceof Boolean) {
            made.append(((Boolean) value).booleanValue() ? "true" : "false");
        } else if (value instanceof Double) {
            double number = ((Double) value).doubleValue();
            made.append(Double.isNaN(number) ? "NaN" : !Double.isInfinite(number)
                ? PyFormat.text(value) : number > 0 ? "Infinity" : "-Infinity");
        } else if (value instanceof ArrayList) {
            ArrayList list = (ArrayList) value;
            made.append('[');
            for (int i = 0; i < list.size(); i++) {
                made.append(i == 0 ? "" : comma);
                line(depth + 1);
                put(list.get(i), depth + 1);
            }
            end(list.isEmpty(), depth, ']');
        } else if (value instanceof HashMap) {
            HashMap map = (HashMap) value;
            java.util.Iterator keys = sorts ? inOrder(map) : map.keySet().iterator();
            made.append('{');
            for (String between = ""; keys.hasNext(); between = comma) {
                Object key = keys.next();
                made.append(between);
                line(depth + 1);
                put(key, depth + 1);
                made.append(colon);
                put(map.get(key), depth + 1);
            }
            end(map.isEmpty(), depth, '}');
        } else {
            made.append(PyFormat.text(value));
        }
    }

    private void line(int depth) {
        if (indent != null) {
            made.append('\n');
            PyFormat.fill(made, indent, depth);
        }
    }

    private void end(boolean empty, int depth, char bracket) {
        if (!empty) {
            line(depth);
        }
        made.append(bracket);
    }

    public int compare(Object one, Object other) {
        return PyText.compare((String) one, (String) other);
    }

    private java.util.Iterator inOrder(HashMap map) {
        java.util.TreeMap keys = new java.util.TreeMap(this);
        for (java.util.Iterator each = map.keySet().iterator(); each.hasNext();) {
            Object key = each.next();
            if (!(key instanceof String)) {
                throw GaveUp.GAVE_UP;
            }
            keys.put(key, key);
        }
        return keys.keySet().iterator();
    }

    private void quote(String text) {
        made.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int escape = ESCAPED.indexOf(c);
            if (escape >= 0) {
                made.append('\\').append(ESCAPES.charAt(escape));
            } else if (c < ' ' || (ascii && c > '~')) {
                String digits = Integer.toHexString(c);
                made.append("\\u").append("0000", 0, 4 - digits.length()).append(digits);
            } else {
                made.append(c);
            }
        }
        made.append('"');
    }
}
