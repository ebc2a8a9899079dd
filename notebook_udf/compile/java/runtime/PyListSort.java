package notebookudf;

import java.util.ArrayList;

/**
 * sorted(list). Without a NaN any stable sort gives Python's order; with one the answer depends on
 * which values are compared, so the sort of Python's lists is followed step by step: natural runs,
 * short ones made longer by binary insertion, merged by their powers, with galloping.
 */
public final class PyListSort {
    private static final int LONGEST_SHORT = 64;
    private static final int GALLOP = 7;
    private static final java.util.Comparator UP = new java.util.Comparator() {
        public int compare(Object a, Object b) {
            return PyKey.less(a, b) ? -1 : PyKey.less(b, a) ? 1 : 0;
        }
    };
    private static final java.util.Comparator DOWN = java.util.Collections.reverseOrder(UP);
    private static final java.util.Comparator TEXTS_UP = new java.util.Comparator() {
        public int compare(Object a, Object b) {
            return PyText.compare((String) a, (String) b);
        }
    };
    private static final java.util.Comparator TEXTS_DOWN =
        java.util.Collections.reverseOrder(TEXTS_UP);

    private final Object[] keys;
    // What is sorted: places of the keys.
    private final int[] order;
    // From 3.13 on a run that falls may have equal values in it, and may go on by rising.
    private final boolean longRuns;
    // Runs that are not merged yet, one behind the other.
    private final int[] starts = new int[40];
    private final int[] lengths = new int[40];
    private final int[] powers = new int[40];
    private int runs;
    private int patience = GALLOP;

    private PyListSort(Object[] keys, boolean longRuns) {
        this.keys = keys;
        this.longRuns = longRuns;
        this.order = new int[keys.length];
        for (int i = 0; i < order.length; i++) {
            order[i] = i;
        }
    }

    /** sorted(list, reverse=backwards). */
    public static ArrayList sorted(ArrayList list, boolean backwards, boolean longRuns) {
        Object[] values = list.toArray();
        boolean reals = true, wholes = true, texts = true;
        for (int i = 0; i < values.length; i++) {
            if (PyKey.isNaN(values[i])) {
                return inOrder(list, order(values, backwards, longRuns));
            }
            // Zeros may be equal without being the same.
            reals = reals && values[i] instanceof Double && ((Double) values[i]).doubleValue() != 0.0;
            wholes = wholes && values[i] instanceof Long;
            texts = texts && values[i] instanceof String;
        }
        // Equal ones are the same here. As objects they would be sorted by calls.
        if (wholes) {
            long[] numbers = new long[values.length];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = ((Long) values[i]).longValue();
            }
            java.util.Arrays.sort(numbers);
            for (int i = 0, last = numbers.length - 1; i <= last; i++) {
                values[i] = Long.valueOf(numbers[backwards ? last - i : i]);
            }
            return PyList.list(values);
        }
        if (reals) {
            double[] numbers = new double[values.length];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = ((Double) values[i]).doubleValue();
            }
            java.util.Arrays.sort(numbers);
            for (int i = 0, last = numbers.length - 1; i <= last; i++) {
                values[i] = Double.valueOf(numbers[backwards ? last - i : i]);
            }
            return PyList.list(values);
        }
        if (texts) {
            java.util.Arrays.sort(values, backwards ? TEXTS_DOWN : TEXTS_UP);
        } else {
            java.util.Arrays.sort(values, backwards ? DOWN : UP);
        }
        return PyList.list(values);
    }

    /** sorted(list, key=..., reverse=backwards), of the keys that its values have. */
    public static ArrayList sortedBy(ArrayList list, ArrayList given, boolean backwards, boolean longRuns) {
        final Object[] keys = given.toArray();
        for (int i = 0; i < keys.length; i++) {
            if (PyKey.isNaN(keys[i])) {
                return inOrder(list, order(keys, backwards, longRuns));
            }
        }
        Integer[] places = new Integer[keys.length];
        for (int i = 0; i < places.length; i++) {
            places[i] = Integer.valueOf(i);
        }
        final java.util.Comparator way = backwards ? DOWN : UP;
        java.util.Arrays.sort(places, new java.util.Comparator() {
            public int compare(Object a, Object b) {
                return way.compare(keys[((Integer) a).intValue()], keys[((Integer) b).intValue()]);
            }
        });
        ArrayList made = new ArrayList(places.length);
        for (int i = 0; i < places.length; i++) {
            made.add(list.get(places[i].intValue()));
        }
        return made;
    }

    /** list.sort(reverse=backwards). */
    public static void sort(ArrayList list, boolean backwards, boolean longRuns) {
        refill(list, sorted(list, backwards, longRuns));
    }

    /** Puts into a list what was in it while it was sorted by a key; it has to be empty still. */
    public static void restore(ArrayList list, ArrayList values) {
        if (!list.isEmpty()) {
            throw Raised.VALUE;
        }
        refill(list, values);
    }

    private static void refill(ArrayList list, ArrayList values) {
        list.clear();
        list.addAll(values);
    }

    private static ArrayList inOrder(ArrayList list, int[] places) {
        ArrayList made = new ArrayList(places.length);
        for (int i = 0; i < places.length; i++) {
            made.add(list.get(places[i]));
        }
        return made;
    }

    private static int[] order(Object[] keys, boolean backwards, boolean longRuns) {
        PyListSort sort = new PyListSort(keys, longRuns);
        if (backwards) {
            sort.reverse(0, keys.length);
        }
        sort.run();
        if (backwards) {
            sort.reverse(0, keys.length);
        }
        return sort.order;
    }

    private void run() {
        int count = order.length, shortest = count, odd = 0;
        while (shortest >= LONGEST_SHORT) {
            odd |= shortest & 1;
            shortest >>= 1;
        }
        shortest += odd;
        for (int at = 0; at < count;) {
            int length = longRuns ? longRun(at, count) : plainRun(at, count);
            if (length < shortest) {
                int whole = Math.min(shortest, count - at);
                insert(at, at + length, at + whole);
                length = whole;
            }
            add(at, length);
            at += length;
        }
        while (runs > 1) {
            int last = runs - 2;
            merge(last > 0 && lengths[last - 1] < lengths[last + 1] ? last - 1 : last);
        }
    }

    /** Whether the key at one place is less than that at another. */
    private boolean less(int one, int other) {
        return PyKey.less(keys[one], keys[other]);
    }

    private void reverse(int from, int end) {
        for (int low = from, high = end - 1; low < high; low++, high--) {
            int kept = order[low];
            order[low] = order[high];
            order[high] = kept;
        }
    }

    /** The length of the run that begins here, which rises afterwards: one that falls is turned. */
    private int plainRun(int from, int end) {
        int at = from + 1;
        if (at == end) {
            return 1;
        }
        boolean falls = less(order[at], order[at - 1]);
        do {
            at++;
        } while (at < end && less(order[at], order[at - 1]) == falls);
        if (falls) {
            reverse(from, at);
        }
        return at - from;
    }

    private int longRun(int from, int end) {
        int at = rising(from + 1, end);
        if (at == end) {
            return at - from;
        }
        if (at - from > 1) {
            if (less(order[from], order[at - 1])) {
                return at - from;
            }
            reverse(from, at);
        }
        at++;
        // How many equal ones there are before this place, besides the first of them.
        int equal = 0;
        for (; at < end; at++) {
            if (less(order[at], order[at - 1])) {
                reverse(at - 1 - equal, at);
                equal = 0;
            } else if (less(order[at - 1], order[at])) {
                break;
            } else {
                equal++;
            }
        }
        reverse(at - 1 - equal, at);
        reverse(from, at);
        return rising(at, end) - from;
    }

    /** The first place from this one on whose key is less than the one before it. */
    private int rising(int from, int end) {
        int at = from;
        while (at < end && !less(order[at], order[at - 1])) {
            at++;
        }
        return at;
    }

    /** Puts what stands from a place on into the run before it. */
    private void insert(int from, int sorted, int end) {
        for (int at = sorted; at < end; at++) {
            int one = order[at], low = from, high = at;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (less(one, order[middle])) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            System.arraycopy(order, low, order, low + 1, at - low);
            order[low] = one;
        }
    }

    /** Adds a run behind the others, of which those are merged that stand lower in the tree. */
    private void add(int from, int length) {
        if (runs > 0) {
            int power = power(starts[runs - 1], lengths[runs - 1], length);
            while (runs > 1 && powers[runs - 2] > power) {
                merge(runs - 2);
            }
            powers[runs - 1] = power;
        }
        starts[runs] = from;
        lengths[runs] = length;
        runs++;
    }

    /** The first binary digit in which the middles of two runs differ, as parts of the list. */
    private int power(int from, int length, int following) {
        long count = order.length, one = 2L * from + length, other = one + length + following;
        int digit = 1;
        while (one >= count || other < count) {
            if (one >= count) {
                one -= count;
                other -= count;
            }
            one <<= 1;
            other <<= 1;
            digit++;
        }
        return digit;
    }

    /** Merges a run with the next one. */
    private void merge(int run) {
        int from = starts[run], count = lengths[run];
        int second = starts[run + 1], following = lengths[run + 1];
        lengths[run] = count + following;
        if (run == runs - 3) {
            starts[run + 1] = starts[run + 2];
            lengths[run + 1] = lengths[run + 2];
            powers[run + 1] = powers[run + 2];
        }
        runs--;
        int first = after(order[second], order, from, count, 0);
        from += first;
        count -= first;
        if (count == 0) {
            return;
        }
        following = before(order[from + count - 1], order, second, following, following - 1);
        if (following == 0) {
            return;
        }
        if (count <= following) {
            mergeUp(from, count, second, following);
        } else {
            mergeDown(from, count, second, following);
        }
    }

    /** Merges two runs from their beginning, the first of which is copied. */
    private void mergeUp(int from, int left, int second, int following) {
        int[] spare = java.util.Arrays.copyOfRange(order, from, from + left);
        int a = 0, na = left, b = second, nb = following, to = from;
        order[to++] = order[b++];
        nb--;
        boolean gallops = false;
        int wonA = 0, wonB = 0, wait = patience;
        while (na > 1 && nb > 0) {
            if (!gallops) {
                if (less(order[b], spare[a])) {
                    order[to++] = order[b++];
                    nb--;
                    wonA = 0;
                    gallops = ++wonB >= wait;
                } else {
                    order[to++] = spare[a++];
                    na--;
                    wonB = 0;
                    gallops = ++wonA >= wait;
                }
                wait += gallops ? 1 : 0;
                continue;
            }
            wait -= wait > 1 ? 1 : 0;
            patience = wait;
            wonA = after(order[b], spare, a, na, 0);
            System.arraycopy(spare, a, order, to, wonA);
            to += wonA;
            a += wonA;
            na -= wonA;
            if (wonA > 0 && na <= 1) {
                break;
            }
            order[to++] = order[b++];
            nb--;
            if (nb == 0) {
                break;
            }
            wonB = before(spare[a], order, b, nb, 0);
            System.arraycopy(order, b, order, to, wonB);
            to += wonB;
            b += wonB;
            nb -= wonB;
            if (nb == 0) {
                break;
            }
            order[to++] = spare[a++];
            na--;
            if (na > 1 && wonA < GALLOP && wonB < GALLOP) {
                gallops = false;
                wait++;
                patience = wait;
                wonA = 0;
                wonB = 0;
            }
        }
        System.arraycopy(order, b, order, to, nb);
        System.arraycopy(spare, a, order, to + nb, na);
    }

    /** Merges two runs from their end, the second of which is copied. */
    private void mergeDown(int from, int left, int second, int following) {
        int[] spare = java.util.Arrays.copyOfRange(order, second, second + following);
        int na = left, nb = following, to = second + following - 1;
        order[to--] = order[from + --na];
        boolean gallops = false;
        int wonA = 0, wonB = 0, wait = patience;
        while (na > 0 && nb > 1) {
            if (!gallops) {
                if (less(spare[nb - 1], order[from + na - 1])) {
                    order[to--] = order[from + --na];
                    wonB = 0;
                    gallops = ++wonA >= wait;
                } else {
                    order[to--] = spare[--nb];
                    wonA = 0;
                    gallops = ++wonB >= wait;
                }
                wait += gallops ? 1 : 0;
                continue;
            }
            wait -= wait > 1 ? 1 : 0;
            patience = wait;
            wonA = na - after(spare[nb - 1], order, from, na, na - 1);
            to -= wonA;
            na -= wonA;
            System.arraycopy(order, from + na, order, to + 1, wonA);
            if (na == 0) {
                break;
            }
            order[to--] = spare[--nb];
            if (nb == 1) {
                break;
            }
            wonB = nb - before(order[from + na - 1], spare, 0, nb, nb - 1);
            to -= wonB;
            nb -= wonB;
            System.arraycopy(spare, nb, order, to + 1, wonB);
            if (wonB > 0 && nb <= 1) {
                break;
            }
            order[to--] = order[from + --na];
            if (na > 0 && wonA < GALLOP && wonB < GALLOP) {
                gallops = false;
                wait++;
                patience = wait;
                wonA = 0;
                wonB = 0;
            }
        }
        System.arraycopy(order, from, order, from + nb, na);
        System.arraycopy(spare, 0, order, from, nb);
    }

    /** How many of a run a key comes after, itself before those that are equal to it. */
    private int before(int key, int[] run, int from, int count, int hint) {
        int low, high;
        if (less(run[from + hint], key)) {
            int most = count - hint, last = 0, step = 1;
            while (step < most && less(run[from + hint + step], key)) {
                last = step;
                step = (step << 1) + 1;
            }
            low = hint + last;
            high = hint + Math.min(step, most);
        } else {
            int most = hint + 1, last = 0, step = 1;
            while (step < most && !less(run[from + hint - step], key)) {
                last = step;
                step = (step << 1) + 1;
            }
            low = hint - Math.min(step, most);
            high = hint - last;
        }
        low++;
        while (low < high) {
            int middle = low + ((high - low) >> 1);
            if (less(run[from + middle], key)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return high;
    }

    /** As before, with the key behind those that are equal to it. */
    private int after(int key, int[] run, int from, int count, int hint) {
        int low, high;
        if (less(key, run[from + hint])) {
            int most = hint + 1, last = 0, step = 1;
            while (step < most && less(key, run[from + hint - step])) {
                last = step;
                step = (step << 1) + 1;
            }
            low = hint - Math.min(step, most);
            high = hint - last;
        } else {
            int most = count - hint, last = 0, step = 1;
            while (step < most && !less(key, run[from + hint + step])) {
                last = step;
                step = (step << 1) + 1;
            }
            low = hint + last;
            high = hint + Math.min(step, most);
        }
        low++;
        while (low < high) {
            int middle = low + ((high - low) >> 1);
            if (less(key, run[from + middle])) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return high;
    }
}
