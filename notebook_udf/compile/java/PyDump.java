package notebookudf;

import java.util.ArrayList;
import java.util.HashMap;

/** json.dumps of null, Booleans, numbers, texts, lists, and dicts whose keys are texts. */
public final class PyDump {
    private static final String ESCAPED = "\"\\\n\r\t\f\b";
    private static final String ESCAPES = "\"\\nrtfb";

    private PyDump() {
    }

    public static String text(Object value, boolean ascii, String comma, String colon) {
        StringBuilder made = new StringBuilder();
        put(made, value, ascii, comma, colon);
        return made.toString();
    }

    private static void put(
            StringBuilder made, Object value, boolean ascii, String comma, String colon) {
        if (value instanceof String) {
            quote(made, (String) value, ascii);
        } else if (value instanceof PyHalf) {
            quote(made, ((PyHalf) value).text, ascii);
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
                put(made, list.get(i), ascii, comma, colon);
            }
            made.append(']');
        } else if (value instanceof HashMap) {
            java.util.Iterator each = ((HashMap) value).entrySet().iterator();
            made.append('{');
            for (String between = ""; each.hasNext(); between = comma) {
                java.util.Map.Entry entry = (java.util.Map.Entry) each.next();
                made.append(between);
                put(made, entry.getKey(), ascii, comma, colon);
                made.append(colon);
                put(made, entry.getValue(), ascii, comma, colon);
            }
            made.append('}');
        } else {
            made.append(PyFormat.text(value));
        }
    }

    private static void quote(StringBuilder made, String text, boolean ascii) {
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
