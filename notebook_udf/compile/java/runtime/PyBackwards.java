package notebookudf;

import java.util.ArrayList;

/** An iterator of a list from its end, which may change while it is gone through. */
public final class PyBackwards {
    private final ArrayList list;
    private int at;

    public PyBackwards(ArrayList list) {
        this.list = list;
        this.at = list.size() - 1;
    }

    public boolean hasNext() {
        if (at >= list.size()) {
            at = -1;
        }
        return at >= 0;
    }

    public Object next() {
        return list.get(at--);
    }
}
