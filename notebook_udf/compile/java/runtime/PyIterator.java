package notebookudf;

import java.util.ArrayList;

/** An iterator of a list, which may grow while it is gone through. */
public final class PyIterator {
    private final ArrayList list;
    private int at;

    public PyIterator(ArrayList list) {
        this.list = list;
    }

    /** Whether all have one more; raises if only some have. */
    public static boolean together(boolean[] more) {
        for (int i = 1; i < more.length; i++) {
            if (more[i] != more[0]) {
                throw Raised.VALUE;
            }
        }
        return more[0];
    }

    /** Whether a dict has as many items as before; raises otherwise. */
    public static boolean unchanged(java.util.HashMap dict, Object size) {
        if (dict.size() != ((Integer) size).intValue()) {
            throw Raised.RAISED;
        }
        return true;
    }

    /** A limit of islice: otherwise for None; raises for less than the least one. */
    public static long limit(Object given, long otherwise, long least) {
        if (given == null) {
            return otherwise;
        }
        if (!(given instanceof Long) || ((Long) given).longValue() < least) {
            throw Raised.VALUE;
        }
        return ((Long) given).longValue();
    }

    /** The place of the next one behind a step, at most the last one; a last one of -1 is none. */
    public static long following(long at, long step, long last) {
        long next = at + step;
        if (last < 0L) {
            return next < at ? Long.MAX_VALUE : next;
        }
        return next < at || next > last ? last : next;
    }

    /** Once there is no more, there is none even if the list grows. */
    public boolean hasNext() {
        if (at >= list.size()) {
            at = Integer.MAX_VALUE;
        }
        return at < list.size();
    }

    public Object next() {
        return list.get(at++);
    }
}
