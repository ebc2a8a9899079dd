package notebookudf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;

/** Dicts of what a list holds: texts, whole numbers and None, in the order of the list. */
public final class PyCounts {
    private PyCounts() {
    }

    /** dict.fromkeys(list, value). */
    public static HashMap keys(ArrayList list, Object value) {
        HashMap made = new LinkedHashMap();
        for (int i = 0; i < list.size(); i++) {
            made.put(list.get(i), value);
        }
        return made;
    }

    /** Counter(list). */
    public static HashMap of(ArrayList list) {
        HashMap made = new LinkedHashMap();
        for (int i = 0; i < list.size(); i++) {
            Long known = (Long) made.get(list.get(i));
            made.put(list.get(i), Long.valueOf(known == null ? 1L : known.longValue() + 1L));
        }
        return made;
    }

    /** counts.update(list). */
    public static void count(HashMap counts, ArrayList list) {
        for (int i = 0; i < list.size(); i++) {
            add(counts, list.get(i), Long.valueOf(1L));
        }
    }

    /** counts.update(others). */
    public static void addAll(HashMap counts, HashMap others) {
        // They may be the same.
        Object[] keys = others.keySet().toArray();
        for (int i = 0; i < keys.length; i++) {
            add(counts, keys[i], others.get(keys[i]));
        }
    }

    private static void add(HashMap counts, Object key, Object more) {
        Object known = counts.get(key);
        counts.put(key, known == null ? more : PyNumber.add(known, more));
    }

    /** The keys that counts.most_common(most) names. */
    public static ArrayList ranked(final HashMap counts, long most) {
        Object[] keys = counts.keySet().toArray();
        java.util.Arrays.sort(keys, new java.util.Comparator() {
            public int compare(Object a, Object b) {
                return PyNumber.order(counts.get(b), counts.get(a));
            }
        });
        ArrayList made = new ArrayList();
        for (int i = 0; i < keys.length && i < most; i++) {
            made.add(keys[i]);
        }
        return made;
    }

    public static ArrayList values(HashMap counts, ArrayList keys) {
        ArrayList made = new ArrayList();
        for (int i = 0; i < keys.size(); i++) {
            made.add(counts.get(keys.get(i)));
        }
        return made;
    }
}
