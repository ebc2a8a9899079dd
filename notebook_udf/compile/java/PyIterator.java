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
