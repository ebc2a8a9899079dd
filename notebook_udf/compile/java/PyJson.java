package notebookudf;

import java.util.ArrayList;
import java.util.LinkedHashMap;

/** json.loads(text), and what stands in what it gives. */
public final class PyJson {
    // Deeper ones Python may refuse as well: by how deep its own stack is.
    private static final int DEEPEST = 400;

    private final String text;
    private int at;
    private int depth;

    private PyJson(String text) {
        this.text = text;
    }

    /** A null, Boolean, Long, BigInteger, Double, String, ArrayList or LinkedHashMap. */
    public static Object parsed(String text) {
        PyJson reader = new PyJson(text);
        reader.skip();
        Object found = reader.value();
        reader.skip();
        if (reader.at != text.length()) {
            throw Raised.JSON;
        }
        return found;
    }

    /** whole[key] of a text. */
    public static Object item(Object whole, String key) {
        if (!(whole instanceof LinkedHashMap)) {
            throw Raised.TYPE;
        }
        return PyList.lookUp((LinkedHashMap) whole, key);
    }

    /** whole[place] of a number. */
    public static Object item(Object whole, long place) {
        if (whole instanceof LinkedHashMap) {
            throw Raised.KEY;
        }
        if (whole instanceof String) {
            return PyText.item((String) whole, place);
        }
        if (!(whole instanceof ArrayList)) {
            throw Raised.TYPE;
        }
        return PyList.item((ArrayList) whole, place);
    }

    /** whole.get(key, absent). */
    public static Object get(Object whole, String key, Object absent) {
        if (!(whole instanceof LinkedHashMap)) {
            throw Raised.ATTRIBUTE;
        }
        return PyList.lookUp((LinkedHashMap) whole, key, absent);
    }

    /** key in whole. */
    public static boolean contains(Object whole, String key) {
        if (whole instanceof String) {
            return PyText.contains((String) whole, key);
        }
        if (whole instanceof ArrayList) {
            return ((ArrayList) whole).contains(key);
        }
        if (!(whole instanceof LinkedHashMap)) {
            throw Raised.TYPE;
        }
        return ((LinkedHashMap) whole).containsKey(key);
    }

    public static boolean truth(Object whole) {
        if (whole instanceof ArrayList) {
            return !((ArrayList) whole).isEmpty();
        }
        return whole instanceof LinkedHashMap ? !((LinkedHashMap) whole).isEmpty() : PyNumber.truth(whole);
    }

    /** A text, of which a method is called that nothing else in a document has. */
    public static String text(Object value) {
        if (!(value instanceof String)) {
            throw Raised.ATTRIBUTE;
        }
        return (String) value;
    }

    /** What int() and float() take: a number or a text. */
    public static Object scalar(Object value) {
        if (value == null || value instanceof ArrayList || value instanceof LinkedHashMap) {
            throw Raised.TYPE;
        }
        return value;
    }

    private void skip() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean takes(String word) {
        boolean found = text.startsWith(word, at);
        at += found ? word.length() : 0;
        return found;
    }

    private Object value() {
        if (at == text.length()) {
            throw Raised.JSON;
        }
        char first = text.charAt(at);
        if (first == '"') {
            at++;
            return string();
        }
        if (first == '{' || first == '[') {
            if (++depth > DEEPEST) {
                throw GaveUp.GAVE_UP;
            }
            at++;
            Object found = first == '{' ? (Object) object() : array();
            depth--;
            return found;
        }
        if (takes("null")) {
            return null;
        }
        if (takes("true")) {
            return Boolean.TRUE;
        }
        if (takes("false")) {
            return Boolean.FALSE;
        }
        if (takes("NaN")) {
            return Double.valueOf(Double.NaN);
        }
        if (takes("Infinity")) {
            return Double.valueOf(Double.POSITIVE_INFINITY);
        }
        if (takes("-Infinity")) {
            return Double.valueOf(Double.NEGATIVE_INFINITY);
        }
        return number();
    }

    private boolean isDigit(int place) {
        return place < text.length() && text.charAt(place) >= '0' && text.charAt(place) <= '9';
    }

    private int behindDigits(int place) {
        int end = place;
        while (isDigit(end)) {
            end++;
        }
        return end;
    }

    private Object number() {
        int from = at;
        int end = text.charAt(at) == '-' ? at + 1 : at;
        if (!isDigit(end)) {
            throw Raised.JSON;
        }
        end = text.charAt(end) == '0' ? end + 1 : behindDigits(end);
        int whole = end;
        if (end < text.length() && text.charAt(end) == '.' && isDigit(end + 1)) {
            end = behindDigits(end + 1);
        }
        if (end < text.length() && (text.charAt(end) == 'e' || text.charAt(end) == 'E')) {
            int sign = end + 1 < text.length() && "+-".indexOf(text.charAt(end + 1)) >= 0 ? 1 : 0;
            if (isDigit(end + 1 + sign)) {
                end = behindDigits(end + 1 + sign);
            }
        }
        at = end;
        String found = text.substring(from, end);
        return end == whole ? PyParse.toInt(found, 10) : Double.valueOf(PyParse.toFloat(found));
    }

    /** Behind a value: whether it was the last, or goes on to the next. */
    private boolean ended(String by) {
        skip();
        if (takes(by)) {
            return true;
        }
        if (!takes(",")) {
            throw Raised.JSON;
        }
        skip();
        return false;
    }

    private LinkedHashMap object() {
        LinkedHashMap made = new LinkedHashMap();
        skip();
        if (takes("}")) {
            return made;
        }
        while (true) {
            if (!takes("\"")) {
                throw Raised.JSON;
            }
            String key = string();
            skip();
            if (!takes(":")) {
                throw Raised.JSON;
            }
            skip();
            made.put(key, value());
            if (ended("}")) {
                return made;
            }
        }
    }

    private ArrayList array() {
        ArrayList made = new ArrayList();
        skip();
        if (takes("]")) {
            return made;
        }
        while (true) {
            made.add(value());
            if (ended("]")) {
                return made;
            }
        }
    }

    private String string() {
        StringBuilder made = new StringBuilder();
        while (at < text.length()) {
            char letter = text.charAt(at++);
            if (letter == '"') {
                return made.toString();
            }
            if (letter < ' ') {
                throw Raised.JSON;
            }
            made.append(letter == '\\' ? escaped() : letter);
        }
        throw Raised.JSON;
    }

    private char escaped() {
        if (at == text.length()) {
            throw Raised.JSON;
        }
        char letter = text.charAt(at++);
        int known = "\"\\/bfnrt".indexOf(letter);
        if (known >= 0) {
            return "\"\\/\b\f\n\r\t".charAt(known);
        }
        if (letter != 'u' || at + 4 > text.length()) {
            throw Raised.JSON;
        }
        int code = 0;
        for (int i = 0; i < 4; i++) {
            char digit = text.charAt(at++);
            int value = digit < 128 ? Character.digit(digit, 16) : -1;
            if (value < 0) {
                throw Raised.JSON;
            }
            code = code * 16 + value;
        }
        return (char) code;
    }
}
