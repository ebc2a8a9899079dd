package notebookudf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;

/** What is changed in a document of PyJson's: raises as Python's lists, dicts and other types do. */
public final class PyDocument {
    private PyDocument() {
    }

    /** A list, of what an attribute is asked for that only lists have. */
    public static ArrayList list(Object value) {
        if (value instanceof ArrayList) {
            return (ArrayList) value;
        }
        throw Raised.ATTRIBUTE;
    }

    /** A list or a dict, of what an attribute is asked for that both have. */
    public static Object either(Object value) {
        if (value instanceof ArrayList || value instanceof HashMap) {
            return value;
        }
        throw Raised.ATTRIBUTE;
    }

    /** whole[key] = value. */
    public static void put(Object whole, String key, Object value) {
        if (!(whole instanceof HashMap)) {
            throw Raised.TYPE;
        }
        ((HashMap) whole).put(key, value);
    }

    /** del whole[key]. */
    public static void delete(Object whole, Object key) {
        if (whole instanceof HashMap) {
            PyList.delete((HashMap) whole, PyJson.scalar(key));
        } else if (whole instanceof ArrayList) {
            PyList.pop((ArrayList) whole, PyNumber.place(key));
        } else {
            throw Raised.TYPE;
        }
    }

    /** {**other} within a dict. */
    public static void putAll(Object whole, Object other) {
        if (!(other instanceof HashMap)) {
            throw Raised.TYPE;
        }
        ((HashMap) whole).putAll(PyJson.withTexts((HashMap) other));
    }

    /** whole.update(other), of another dict or of pairs. */
    public static void update(Object whole, Object other) {
        if (other instanceof HashMap) {
            putAll(whole, other);
            return;
        }
        ArrayList pairs = PyJson.elements(other);
        for (int i = 0; i < pairs.size(); i++) {
            ArrayList pair = PyJson.elements(pairs.get(i));
            if (pair.size() != 2) {
                throw Raised.VALUE;
            }
            if (!(PyJson.scalar(pair.get(0)) instanceof String)) {
                throw GaveUp.GAVE_UP;
            }
            ((HashMap) whole).put(pair.get(0), pair.get(1));
        }
    }

    /** whole.setdefault(key, value). */
    public static Object setDefault(Object whole, String key, Object value) {
        HashMap map = (HashMap) whole;
        if (!map.containsKey(key)) {
            map.put(key, value);
        }
        return map.get(key);
    }

    /** whole.pop(), of a list. */
    public static Object pop(Object whole) {
        if (whole instanceof HashMap) {
            throw Raised.TYPE;
        }
        return PyList.pop((ArrayList) whole, -1L);
    }

    public static Object pop(Object whole, Object key) {
        if (whole instanceof ArrayList) {
            if (key instanceof java.math.BigInteger) {
                throw Raised.OVERFLOW;
            }
            return PyList.pop((ArrayList) whole, PyNumber.place(key));
        }
        Object found = PyList.lookUp((HashMap) whole, PyJson.scalar(key));
        ((HashMap) whole).remove(key);
        return found;
    }

    /** whole.pop(key, absent), of a dict. */
    public static Object pop(Object whole, Object key, Object absent) {
        if (whole instanceof ArrayList) {
            throw Raised.TYPE;
        }
        Object found = PyList.lookUp((HashMap) whole, PyJson.scalar(key), absent);
        ((HashMap) whole).remove(key);
        return found;
    }

    public static Object copy(Object whole) {
        return whole instanceof HashMap ? (Object) new LinkedHashMap((HashMap) whole)
            : new ArrayList((ArrayList) whole);
    }

    public static void clear(Object whole) {
        if (whole instanceof HashMap) {
            ((HashMap) whole).clear();
        } else {
            ((ArrayList) whole).clear();
        }
    }

    /** dict(value) of a part. */
    public static HashMap dict(Object value) {
        HashMap made = new LinkedHashMap();
        update(made, value);
        return made;
    }
}
