package notebookudf;

import java.util.ArrayList;

/** An iterator of the columns of lists, {@code zip(*lists)}, which may change meanwhile. */
public final class PyColumns {
    private final Object[] lists;
    private int at;

    public PyColumns(ArrayList lists) {
        this.lists = lists.toArray();
        for (int i = 0; i < this.lists.length; i++) {
            if (this.lists[i] == null) {
                throw Raised.TYPE;
            }
        }
    }

    public boolean hasNext() {
        for (int i = 0; i < lists.length; i++) {
            if (at >= ((ArrayList) lists[i]).size()) {
                // One that has ended goes on no more.
                at = Integer.MAX_VALUE;
            }
        }
        return lists.length > 0 && at < Integer.MAX_VALUE;
    }

    public Object next() {
        ArrayList made = new ArrayList(lists.length);
        for (int i = 0; i < lists.length; i++) {
            made.add(((ArrayList) lists[i]).get(at));
        }
        at++;
        return made;
    }
}
