package notebookudf;

import java.util.ArrayList;

/** Python's deque: it keeps no more than ``most``, and lets those at the other end go. */
public final class PyQueue extends ArrayList {
    private static final long serialVersionUID = 1L;

    private final int most;
    // How often one was added or taken: who goes through it meanwhile is told.
    int changes = 0;

    private PyQueue(int most) {
        this.most = most;
    }

    public static PyQueue endless() {
        return new PyQueue(-1);
    }

    /** One with a maxlen, which may be null; a negative one is a ValueError. */
    public static PyQueue of(Object most) {
        if (most == null) {
            return endless();
        }
        long places = PyNumber.fitting(most);
        if (places < 0L) {
            throw Raised.VALUE;
        }
        return new PyQueue((int) Math.min(places, (long) Integer.MAX_VALUE));
    }

    /** append(value). */
    public boolean add(Object value) {
        changes++;
        super.add(value);
        if (most >= 0 && size() > most) {
            super.remove(0);
        }
        return true;
    }

    public void appendleft(Object value) {
        changes++;
        super.add(0, value);
        if (most >= 0 && size() > most) {
            super.remove(size() - 1);
        }
    }

    public Object pop() {
        return taken(size() - 1);
    }

    public Object popleft() {
        return taken(0);
    }

    private Object taken(int at) {
        if (isEmpty()) {
            throw Raised.INDEX;
        }
        changes++;
        return super.remove(at);
    }

    public void clear() {
        changes++;
        super.clear();
    }

    /** Goes through it, and raises once it has been changed. */
    public static final class Each {
        private final PyQueue queue;
        private final int changes;
        private int at = 0;

        public Each(PyQueue queue) {
            this.queue = queue;
            changes = queue.changes;
        }

        public boolean hasNext() {
            if (queue.changes != changes) {
                // RuntimeError.
                throw Raised.RAISED;
            }
            return at < queue.size();
        }

        public Object next() {
            return queue.get(at++);
        }
    }
}
