package notebookudf;

import java.util.ArrayList;
import java.util.HashMap;

/**
 * json.loads, and what is done with the parts of a document, whose types are known of each row only:
 * null, a Boolean, a Long or a BigInteger, a Double, a String, an ArrayList, a HashMap, or a PyHalf.
 */
public final class PyJson {
    // Every Python goes so deep, at whatever depth it is called; one raises soon after, another not.
    static final int DEEPEST = 400;
    private static final String ESCAPES = "\"\\/bfnrt";
    private static final String ESCAPED = "\"\\/\b\f\n\r\t";

    private final String text;
    private final int end;
    private int at;

    private PyJson(String text) {
        this.text = text;
        this.end = text.length();
    }

    /** json.loads(text). */
    public static Object loads(String text) {
        if (!text.isEmpty() && text.charAt(0) == 0xFEFF) {
            throw Raised.JSON;
        }
        PyJson reader = new PyJson(text);
        reader.blank();
        Object found = reader.value(0);
        reader.blank();
        if (reader.at != reader.end) {
            throw Raised.JSON;
        }
        return found;
    }

    private void blank() {
        while (at < end) {
            char c = text.charAt(at);
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
                return;
            }
            at++;
        }
    }

    /** Whether a character stands here, which is passed. */
    private boolean passes(char c) {
        if (at < end && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private void pass(char c) {
        if (!passes(c)) {
            throw Raised.JSON;
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw Raised.JSON;
        }
        at += word.length();
        return value;
    }

    private Object value(int depth) {
        char c = at < end ? text.charAt(at) : ' ';
        if ((c == '{' || c == '[') && depth == DEEPEST) {
            throw GaveUp.GAVE_UP;
        }
        switch (c) {
            case '"':
                at++;
                return string();
            case '{':
                at++;
                return object(depth + 1);
            case '[':
                at++;
                return array(depth + 1);
            case 'n':
                return word("null", null);
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'N':
                return word("NaN", Double.valueOf(Double.NaN));
            case 'I':
                return word("Infinity", Double.valueOf(Double.POSITIVE_INFINITY));
            default:
                return text.startsWith("-I", at)
                    ? word("-Infinity", Double.valueOf(Double.NEGATIVE_INFINITY)) : number();
        }
    }

    private Object object(int depth) {
        HashMap made = new java.util.LinkedHashMap();
        blank();
        if (passes('}')) {
            return made;
        }
        do {
            blank();
            pass('"');
            Object key = string();
            blank();
            pass(':');
            blank();
            made.put(key, value(depth));
            blank();
        } while (passes(','));
        pass('}');
        return made;
    }

    private Object array(int depth) {
        ArrayList made = new ArrayList();
        blank();
        if (passes(']')) {
            return made;
        }
        do {
            blank();
            made.add(value(depth));
            blank();
        } while (passes(','));
        pass(']');
        return made;
    }

    private boolean isDigit(int place) {
        return place < end && text.charAt(place) >= '0' && text.charAt(place) <= '9';
    }

    private void digits() {
        while (isDigit(at)) {
            at++;
        }
    }

    private Object number() {
        int from = at;
        passes('-');
        if (!isDigit(at)) {
            throw Raised.JSON;
        }
        if (!passes('0')) {
            digits();
        }
        int whole = at;
        if (at < end && text.charAt(at) == '.' && isDigit(at + 1)) {
            at++;
            digits();
        }
        if (at < end && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            int before = at;
            at++;
            if (!passes('+')) {
                passes('-');
            }
            int first = at;
            digits();
            at = at == first ? before : at;
        }
        if (at == whole && at - from < 19) {
            boolean negative = text.charAt(from) == '-';
            long value = 0L;
            for (int i = negative ? from + 1 : from; i < at; i++) {
                value = 10L * value + (text.charAt(i) - '0');
            }
            return Long.valueOf(negative ? -value : value);
        }
        String found = text.substring(from, at);
        if (at != whole) {
            return Double.valueOf(Double.parseDouble(found));
        }
        return PyParse.toInt(found, 10);
    }

    /** A text whose first quote is passed. */
    private Object string() {
        int from = at;
        StringBuilder made = null;
        boolean half = false;
        while (true) {
            char c = at < end ? text.charAt(at) : '\n';
            if (c < ' ') {
                throw Raised.JSON;
            }
            at++;
            if (c == '"') {
                String last = text.substring(from, at - 1);
                String found = made == null ? last : made.append(last).toString();
                return half ? (Object) new PyHalf(found) : found;
            }
            if (c != '\\') {
                continue;
            }
            made = made == null ? new StringBuilder() : made;
            made.append(text, from, at - 1);
            if (passes('u')) {
                char unit = unit();
                made.append(unit);
                if (Character.isHighSurrogate(unit) && text.startsWith("\\u", at)) {
                    int before = at;
                    at += 2;
                    char second = unit();
                    if (Character.isLowSurrogate(second)) {
                        made.append(second);
                    } else {
                        half = true;
                        at = before;
                    }
                } else {
                    half = half || Character.isSurrogate(unit);
                }
            } else {
                int which = at < end ? ESCAPES.indexOf(text.charAt(at)) : -1;
                if (which < 0) {
                    throw Raised.JSON;
                }
                made.append(ESCAPED.charAt(which));
                at++;
            }
            from = at;
        }
    }

    private char unit() {
        int found = 0;
        for (int i = 0; i < 4; i++) {
            char c = at < end ? text.charAt(at) : ' ';
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                throw Raised.JSON;
            }
            found = found * 16 + digit;
            at++;
        }
        return (char) found;
    }

    /** A value whose letters or digits are wanted, if it has any. */
    public static Object plain(Object value) {
        if (value instanceof PyHalf) {
            throw GaveUp.GAVE_UP;
        }
        return value;
    }

    /** What int or float is asked of. */
    public static Object numeric(Object value) {
        if (value instanceof PyHalf) {
            throw Raised.VALUE;
        }
        return value;
    }

    /** A value that is neither a list nor a dict. */
    public static Object scalar(Object value) {
        if (value instanceof ArrayList || value instanceof HashMap) {
            throw Raised.TYPE;
        }
        return value;
    }

    /** What is written by a format, which lists and dicts have not. */
    public static Object written(Object value) {
        return plain(scalar(value));
    }

    public static String text(Object value, Raised otherwise) {
        if (value instanceof String) {
            return (String) value;
        }
        plain(value);
        throw otherwise;
    }

    /** A part that has to be a number, of which a bool is one. */
    public static Object number(Object value) {
        if (value instanceof Boolean) {
            return Long.valueOf(((Boolean) value).booleanValue() ? 1L : 0L);
        }
        if (!PyNumber.isInt(value) && !(value instanceof Double)) {
            throw Raised.TYPE;
        }
        return value;
    }

    public static HashMap dict(Object value, Raised otherwise) {
        if (value instanceof HashMap) {
            return (HashMap) value;
        }
        throw otherwise;
    }

    public static Object listed(Object value) {
        if (value != null && !(value instanceof ArrayList)) {
            throw Raised.RAISED;
        }
        return value;
    }

    /** Whether it is of one of some types, each by its letter. */
    public static boolean is(Object value, String types) {
        char type = value == null ? 'n' : value instanceof Boolean ? 'b' : PyNumber.isInt(value) ? 'i'
            : value instanceof Double ? 'f' : value instanceof ArrayList ? 'l'
            : value instanceof HashMap ? 'd' : 's';
        return types.indexOf(type) >= 0;
    }

    /** value[key]. */
    public static Object item(Object value, Object key) {
        if (value instanceof HashMap) {
            return PyList.lookUp((HashMap) value, scalar(key));
        }
        if (!PyNumber.isInt(key)) {
            throw Raised.TYPE;
        }
        if (value instanceof ArrayList) {
            return PyList.item((ArrayList) value, PyNumber.place(key));
        }
        return PyText.item(text(value, Raised.TYPE), PyNumber.place(key));
    }

    /** value.get(key, absent). */
    public static Object get(Object value, Object key, Object absent) {
        return PyList.lookUp((HashMap) value, scalar(key), absent);
    }

    /** value[start:stop:step] of a list or a text; of a dict it raises one exception or another. */
    public static Object slice(Object value, Long start, Long stop, Long step, Raised ofDict) {
        if (value instanceof HashMap) {
            throw ofDict;
        }
        return value instanceof ArrayList ? (Object) PyList.slice((ArrayList) value, start, stop, step)
            : PyText.slice(text(value, Raised.TYPE), start, stop, step);
    }

    /** one in whole, where one is neither a list nor a dict. */
    public static boolean contains(Object whole, Object one) {
        if (whole instanceof HashMap) {
            return ((HashMap) whole).containsKey(one);
        }
        if (whole instanceof ArrayList) {
            return PyList.contains((ArrayList) whole, one);
        }
        // Of a half no text has a part, but for one that a function may not have.
        String text = whole instanceof PyHalf ? ((PyHalf) whole).text : text(whole, Raised.TYPE);
        return PyText.contains(text, text(one, Raised.TYPE));
    }

    public static long len(Object value) {
        if (value instanceof HashMap) {
            return (long) ((HashMap) value).size();
        }
        if (value instanceof PyHalf) {
            return PyText.len(((PyHalf) value).text);
        }
        return value instanceof ArrayList ? (long) ((ArrayList) value).size()
            : PyText.len(text(value, Raised.TYPE));
    }

    /** What a loop goes through. */
    public static ArrayList elements(Object value) {
        if (value instanceof HashMap) {
            return new ArrayList(((HashMap) value).keySet());
        }
        if (value instanceof ArrayList) {
            return (ArrayList) value;
        }
        String text = text(value, Raised.TYPE);
        ArrayList made = new ArrayList();
        for (int i = 0; i < text.length();) {
            int next = text.offsetByCodePoints(i, 1);
            made.add(text.substring(i, next));
            i = next;
        }
        return made;
    }

    /** A dict whose keys are gone through: one with half of a pair is left to Python. */
    public static HashMap withTexts(HashMap map) {
        for (java.util.Iterator each = map.keySet().iterator(); each.hasNext();) {
            if (each.next() instanceof PyHalf) {
                throw GaveUp.GAVE_UP;
            }
        }
        return map;
    }

    /** A list of which each is a text. */
    public static ArrayList texts(ArrayList list) {
        for (int i = 0; i < list.size(); i++) {
            text(list.get(i), Raised.TYPE);
        }
        return list;
    }

    /** str(value). */
    public static String said(Object value) {
        plain(value);
        if (!(value instanceof ArrayList) && !(value instanceof HashMap)) {
            return PyFormat.text(value);
        }
        StringBuilder made = new StringBuilder();
        represent(made, value, 0);
        return made.toString();
    }

    /** repr(value) of a number, a text or None, or of a list of those. */
    public static String represented(Object value) {
        StringBuilder made = new StringBuilder();
        represent(made, value, 0);
        return made.toString();
    }

    private static void represent(StringBuilder made, Object value, int depth) {
        if (depth > DEEPEST) {
            throw GaveUp.GAVE_UP;
        }
        if (value instanceof String || value instanceof PyHalf) {
            quote(made, value instanceof String ? (String) value : ((PyHalf) value).text);
        } else if (value instanceof ArrayList) {
            ArrayList list = (ArrayList) value;
            made.append('[');
            for (int i = 0; i < list.size(); i++) {
                made.append(i == 0 ? "" : ", ");
                represent(made, list.get(i), depth + 1);
            }
            made.append(']');
        } else if (value instanceof HashMap) {
            java.util.Iterator each = ((HashMap) value).entrySet().iterator();
            made.append('{');
            for (String between = ""; each.hasNext(); between = ", ") {
                java.util.Map.Entry entry = (java.util.Map.Entry) each.next();
                made.append(between);
                represent(made, entry.getKey(), depth + 1);
                made.append(": ");
                represent(made, entry.getValue(), depth + 1);
            }
            made.append('}');
        } else {
            made.append(PyFormat.text(value));
        }
        if (made.length() > PyText.MOST) {
            throw GaveUp.GAVE_UP;
        }
    }

    private static void quote(StringBuilder made, String text) {
        char by = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        made.append(by);
        for (int i = 0; i < text.length();) {
            int c = text.codePointAt(i);
            int escape = "\n\r\t".indexOf(c);
            if (c == by || c == '\\') {
                made.append('\\').append((char) c);
            } else if (escape >= 0) {
                made.append('\\').append("nrt".charAt(escape));
            } else if (PyUnicode.is(c, PyUnicode.HIDDEN)) {
                String digits = Integer.toHexString(c);
                int width = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
                made.append('\\').append(width == 2 ? 'x' : width == 4 ? 'u' : 'U');
                for (int left = width - digits.length(); left > 0; left--) {
                    made.append('0');
                }
                made.append(digits);
            } else {
                made.appendCodePoint(c);
            }
            i += Character.charCount(c);
        }
        made.append(by);
    }

    public static Object add(Object a, Object b) {
        if (a instanceof ArrayList && b instanceof ArrayList) {
            ArrayList made = new ArrayList((ArrayList) a);
            made.addAll((ArrayList) b);
            return made;
        }
        return PyNumber.add(plain(a), plain(b));
    }

    public static Object multiply(Object a, Object b) {
        if (a instanceof ArrayList && PyNumber.isInt(b)) {
            return repeated((ArrayList) a, PyNumber.times(b));
        }
        if (b instanceof ArrayList && PyNumber.isInt(a)) {
            return repeated((ArrayList) b, PyNumber.times(a));
        }
        return PyNumber.multiply(plain(a), plain(b));
    }

    private static ArrayList repeated(ArrayList list, long times) {
        if (!list.isEmpty() && times > PyText.MOST / list.size()) {
            throw GaveUp.GAVE_UP;
        }
        ArrayList made = new ArrayList();
        for (long i = 0; i < times && !list.isEmpty(); i++) {
            made.addAll(list);
        }
        return made;
    }
}
