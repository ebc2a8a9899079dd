package notebookudf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;

/** Lists, and constants that something is looked up in. */
public final class PyList {
    private PyList() {
    }

    public static HashSet set(Object[] values) {
        return new HashSet(Arrays.asList(values));
    }

    public static ArrayList list(Object[] values) {
        ArrayList made = new ArrayList(values.length);
        for (int i = 0; i < values.length; i++) {
            made.add(values[i]);
        }
        return made;
    }

    public static HashMap map(Object[] keys, Object[] values) {
        HashMap made = new HashMap();
        for (int i = 0; i < keys.length; i++) {
            made.put(keys[i], values[i]);
        }
        return made;
    }

    /** map[key]. */
    public static Object lookUp(HashMap map, Object key) {
        Object found = map.get(key);
        if (found == null && !map.containsKey(key)) {
            throw Raised.KEY;
        }
        return found;
    }

    /** map.get(key, absent). */
    public static Object lookUp(HashMap map, Object key, Object absent) {
        Object found = map.get(key);
        return found == null && !map.containsKey(key) ? absent : found;
    }

    public static Object item(ArrayList list, long place) {
        long at = place < 0 ? place + list.size() : place;
        if (at < 0 || at >= list.size()) {
            throw Raised.INDEX;
        }
        return list.get((int) at);
    }

    /** list[place] = value. */
    public static void set(ArrayList list, long place, Object value) {
        long at = place < 0 ? place + list.size() : place;
        if (at < 0 || at >= list.size()) {
            throw Raised.INDEX;
        }
        list.set((int) at, value);
    }

    public static void insert(ArrayList list, long place, Object value) {
        list.add((int) limit(place, list.size(), 0L, list.size()), value);
    }

    public static Object pop(ArrayList list, long place) {
        long at = place < 0 ? place + list.size() : place;
        if (at < 0 || at >= list.size()) {
            throw Raised.INDEX;
        }
        return list.remove((int) at);
    }

    /** list[start:stop] = values; with null for these del list[start:stop]. */
    public static void setSlice(ArrayList list, Long start, Long stop, ArrayList values) {
        long count = list.size();
        long from = start == null ? 0L : limit(start.longValue(), count, 0L, count);
        long to = stop == null ? count : limit(stop.longValue(), count, 0L, count);
        java.util.List cut = list.subList((int) from, (int) Math.max(from, to));
        cut.clear();
        if (values != null) {
            cut.addAll(values);
        }
    }

    /** del map[key]. */
    public static void delete(HashMap map, Object key) {
        if (!map.containsKey(key)) {
            throw Raised.KEY;
        }
        map.remove(key);
    }

    /** list * times. */
    public static ArrayList repeated(ArrayList list, long times) {
        if (times > 0 && list.size() > Integer.MAX_VALUE / times) {
            throw GaveUp.GAVE_UP;
        }
        ArrayList made = new ArrayList();
        for (long i = 0; i < times; i++) {
            made.addAll(list);
        }
        return made;
    }

    /** list *= times: the same list. */
    public static void multiply(ArrayList list, long times) {
        ArrayList made = repeated(list, times);
        list.clear();
        list.addAll(made);
    }

    /** list[start:stop:step], null for what is not given. */
    public static ArrayList slice(ArrayList list, Long start, Long stop, Long step) {
        long by = step == null ? 1L : step.longValue();
        if (by == 0L) {
            throw Raised.VALUE;
        }
        long count = list.size(), low = by < 0 ? -1L : 0L, high = by < 0 ? count - 1 : count;
        long from = start == null ? (by < 0 ? high : low) : limit(start.longValue(), count, low, high);
        long to = stop == null ? (by < 0 ? low : high) : limit(stop.longValue(), count, low, high);
        ArrayList made = new ArrayList();
        if (by > 0) {
            for (long at = from; at < to; at = by > to - at ? to : at + by) {
                made.add(list.get((int) at));
            }
        } else {
            for (long at = from; at > to; at = by < to - at ? to : at + by) {
                made.add(list.get((int) at));
            }
        }
        return made;
    }

    static long limit(long place, long count, long low, long high) {
        long at = place < 0 ? place + count : place;
        return at < low ? low : at > high ? high : at;
    }

    public static boolean contains(ArrayList list, Object value) {
        for (int i = 0; i < list.size(); i++) {
            if (PyNumber.equal(list.get(i), value)) {
                return true;
            }
        }
        return false;
    }

    /** Whether two lists, or two that are None, have equal values in the same order. */
    public static boolean equal(ArrayList one, ArrayList other) {
        if (one == null || other == null || one.size() != other.size()) {
            return one == other;
        }
        for (int i = 0; i < one.size(); i++) {
            if (!PyNumber.equal(one.get(i), other.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Below 0 if the first list is less, above if the other is: of ints, or of texts. */
    public static int order(ArrayList one, ArrayList other) {
        int most = Math.min(one.size(), other.size());
        for (int i = 0; i < most; i++) {
            Object a = one.get(i), b = other.get(i);
            int found = a instanceof String
                ? PyText.compare((String) a, (String) b) : PyNumber.order(a, b);
            if (found != 0) {
                return found;
            }
        }
        return one.size() - other.size();
    }

    /** sum(list) of whole numbers that stay within 64 bits; raises elsewhere. */
    public static long sumOfLongs(ArrayList list) {
        long total = 0L;
        for (int i = 0; i < list.size(); i++) {
            total = Math.addExact(total, ((Long) list.get(i)).longValue());
        }
        return total;
    }

    /** sum(list) of whole numbers and bools. */
    public static Object sumOfInts(ArrayList list) {
        Object total = Long.valueOf(0L);
        for (int i = 0; i < list.size(); i++) {
            total = PyNumber.add(total, list.get(i));
        }
        return total;
    }

    /** sum(list) of floats, of which there is one at least, one after the other. */
    public static double sumOfDoubles(ArrayList list) {
        double total = 0.0;
        for (int i = 0; i < list.size(); i++) {
            total += PyNumber.asDouble(list.get(i));
        }
        return total;
    }

    /** As sumOfDoubles, making up for what is rounded off, as Python does from 3.12 on. */
    public static double compensatedSum(ArrayList list) {
        double total = 0.0 + PyNumber.asDouble(list.get(0)), lost = 0.0;
        for (int i = 1; i < list.size(); i++) {
            double value = PyNumber.asDouble(list.get(i)), sum = total + value;
            lost += Math.abs(total) >= Math.abs(value) ? (total - sum) + value : (value - sum) + total;
            total = sum;
        }
        return lost != 0.0 && !Double.isNaN(lost) && !Double.isInfinite(lost) ? total + lost : total;
    }

    /** sum(list) of whole numbers, bools and floats, with compensated as compensatedSum. */
    public static Object sumOfNumbers(ArrayList list, boolean compensated) {
        int at = 0, size = list.size();
        Object total = Long.valueOf(0L);
        while (at < size && !(total instanceof Double)) {
            total = PyNumber.add(total, list.get(at++));
            if (total instanceof java.math.BigInteger) {
                // From here on Python adds one object to the other.
                compensated = false;
                break;
            }
        }
        if (!compensated || !(total instanceof Double)) {
            while (at < size) {
                total = PyNumber.add(total, list.get(at++));
            }
            return total;
        }
        double sum = ((Double) total).doubleValue(), lost = 0.0;
        for (; at < size; at++) {
            Object each = list.get(at);
            if (each instanceof Double) {
                double value = ((Double) each).doubleValue(), next = sum + value;
                lost += Math.abs(sum) >= Math.abs(value) ? (sum - next) + value : (value - next) + sum;
                sum = next;
            } else if (each instanceof Long || each instanceof Boolean) {
                sum += PyNumber.asDouble(each);
            } else {
                break;
            }
        }
        boolean counts = lost != 0.0 && !Double.isNaN(lost) && !Double.isInfinite(lost);
        total = Double.valueOf(counts ? sum + lost : sum);
        while (at < size) {
            total = PyNumber.add(total, list.get(at++));
        }
        return total;
    }

    /** min(list), or with most max(list): the first of those that are equal. */
    public static Object extreme(ArrayList list, boolean most) {
        if (list.isEmpty()) {
            throw Raised.VALUE;
        }
        Object found = list.get(0);
        for (int i = 1; i < list.size(); i++) {
            Object each = list.get(i);
            if (most ? PyKey.less(found, each) : PyKey.less(each, found)) {
                found = each;
            }
        }
        return found;
    }

    /** Adds to a list all that others hold. */
    public static void join(ArrayList list, ArrayList others) {
        for (int i = 0; i < others.size(); i++) {
            if (others.get(i) == null) {
                throw Raised.TYPE;
            }
            list.addAll((ArrayList) others.get(i));
        }
    }

    /** Leaves what holds a NaN, in tuples or by itself, to Python. */
    public static void withoutNaN(ArrayList list) {
        for (int i = 0; i < list.size(); i++) {
            withoutNaN(list.get(i));
        }
    }

    private static void withoutNaN(Object value) {
        if (value instanceof Object[]) {
            Object[] parts = (Object[]) value;
            for (int i = 0; i < parts.length; i++) {
                withoutNaN(parts[i]);
            }
        } else if (value instanceof Double && ((Double) value).isNaN()) {
            throw GaveUp.GAVE_UP;
        }
    }

    /** list + other. */
    public static ArrayList joined(ArrayList list, ArrayList other) {
        ArrayList made = new ArrayList(list);
        made.addAll(other);
        return made;
    }

    /** list.index(value), of what Java compares as Python does. */
    public static long index(ArrayList list, Object value) {
        int found = list.indexOf(value);
        if (found < 0) {
            throw Raised.VALUE;
        }
        return found;
    }

    private static boolean same(Object one, Object other) {
        if (!(one instanceof Object[]) || !(other instanceof Object[])) {
            return PyNumber.equal(one, other);
        }
        Object[] parts = (Object[]) one, others = (Object[]) other;
        boolean found = parts.length == others.length;
        for (int i = 0; found && i < parts.length; i++) {
            found = same(parts[i], others[i]);
        }
        return found;
    }

    /** list.remove(value), of the same and of tuples of them. */
    public static void remove(ArrayList list, Object value) {
        for (int i = 0; i < list.size(); i++) {
            if (same(list.get(i), value)) {
                list.remove(i);
                return;
            }
        }
        throw Raised.VALUE;
    }

    /** value in list, of tuples. */
    public static boolean has(ArrayList list, Object value) {
        for (int i = 0; i < list.size(); i++) {
            if (same(list.get(i), value)) {
                return true;
            }
        }
        return false;
    }

    /** list.count(value), of the same. */
    public static long count(ArrayList list, Object value) {
        return java.util.Collections.frequency(list, value);
    }

    /** The first value whose key is the least, or with most the greatest. */
    public static Object extremeBy(ArrayList list, ArrayList keys, boolean most) {
        if (list.isEmpty()) {
            throw Raised.VALUE;
        }
        int found = 0;
        for (int i = 1; i < list.size(); i++) {
            Object one = keys.get(i), best = keys.get(found);
            if (most ? PyKey.less(best, one) : PyKey.less(one, best)) {
                found = i;
            }
        }
        return list.get(found);
    }
}
