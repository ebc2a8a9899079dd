package notebookudf;

import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;

/**
 * A set of numbers, texts, times and None. Of those that are equal, as 1, 1.0 and True are, the first one
 * stays. Nothing that is answered may depend on the order of what is in it: Python's varies.
 */
public final class PySet {
    // What is in it, by a key that is the same for all that are equal.
    private final LinkedHashMap held = new LinkedHashMap();

    public static PySet of(ArrayList values) {
        PySet made = new PySet();
        made.addAll(values);
        return made;
    }

    private static Object key(Object value) {
        if (value instanceof Boolean) {
            return Long.valueOf(((Boolean) value).booleanValue() ? 1L : 0L);
        }
        if (value instanceof Double) {
            double real = ((Double) value).doubleValue();
            boolean whole = real == Math.rint(real) && !Double.isInfinite(real);
            return whole ? PyNumber.toInt(real) : value;
        }
        if (value instanceof LocalDateTime) {
            return PyDate.unfolded((LocalDateTime) value);
        }
        return value;
    }

    public void add(Object value) {
        if (value instanceof Double && ((Double) value).isNaN()) {
            // It is found again if it is the same object, which is not known here.
            throw GaveUp.GAVE_UP;
        }
        Object key = key(value);
        if (!held.containsKey(key)) {
            held.put(key, value);
        }
    }

    public void addAll(ArrayList values) {
        for (int i = 0; i < values.size(); i++) {
            add(values.get(i));
        }
    }

    public boolean contains(Object value) {
        return held.containsKey(key(value));
    }

    public long size() {
        return (long) held.size();
    }

    public void clear() {
        held.clear();
    }

    public void discard(Object value) {
        held.remove(key(value));
    }

    public void remove(Object value) {
        if (!contains(value)) {
            throw Raised.KEY;
        }
        discard(value);
    }

    /** What is in it, in no order. */
    public ArrayList list() {
        return new ArrayList(held.values());
    }

    public PySet copy() {
        return of(list());
    }

    public PySet union(ArrayList values) {
        PySet made = copy();
        made.addAll(values);
        return made;
    }

    /** Of two that are equal it has that of the values. */
    public PySet intersection(ArrayList values) {
        PySet made = new PySet();
        for (int i = 0; i < values.size(); i++) {
            if (contains(values.get(i))) {
                made.add(values.get(i));
            }
        }
        return made;
    }

    /** As above; of two that are equal it has that of the smaller set. */
    public PySet intersection(PySet other) {
        return other.size() > size() ? other.intersection(list()) : intersection(other.list());
    }

    public PySet difference(ArrayList values) {
        PySet made = copy();
        for (int i = 0; i < values.size(); i++) {
            made.discard(values.get(i));
        }
        return made;
    }

    public PySet exclusive(PySet other) {
        PySet made = difference(other.list());
        made.addAll(other.difference(list()).list());
        return made;
    }

    /** Has from now on what another one has. */
    public void become(PySet other) {
        ArrayList values = other.list();
        held.clear();
        addAll(values);
    }

    public boolean isSubset(PySet other) {
        return size() <= other.size() && difference(other.list()).size() == 0L;
    }

    public boolean containsAll(ArrayList values) {
        for (int i = 0; i < values.size(); i++) {
            if (!contains(values.get(i))) {
                return false;
            }
        }
        return true;
    }
}
