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
        return new ArrayList(Arrays.asList(values));
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
            throw Raised.RAISED;
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
            throw Raised.RAISED;
        }
        return list.get((int) at);
    }

    /** list[start:stop:step], null for what is not given. */
    public static ArrayList slice(ArrayList list, Long start, Long stop, Long step) {
        long by = step == null ? 1L : step.longValue();
        if (by == 0L) {
            throw Raised.RAISED;
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

    private static long limit(long place, long count, long low, long high) {
        long at = place < 0 ? place + count : place;
        return at < low ? low : at > high ? high : at;
    }

    public static ArrayList reversed(ArrayList list) {
        ArrayList made = new ArrayList(list);
        java.util.Collections.reverse(made);
        return made;
    }
}
