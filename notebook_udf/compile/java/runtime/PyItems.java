package notebookudf;

/** Goes through a dict, whose values are those that it has when they are reached. */
public final class PyItems {
    private final java.util.Iterator each;
    private java.util.Map.Entry now;

    public PyItems(java.util.HashMap dict) {
        each = dict.entrySet().iterator();
    }

    public boolean hasNext() {
        return each.hasNext();
    }

    /** Goes on; raises where other keys are there than when it began. */
    public void go() {
        try {
            now = (java.util.Map.Entry) each.next();
        } catch (java.util.ConcurrentModificationException changed) {
            throw Raised.RAISED;
        }
    }

    public Object key() {
        return now.getKey();
    }

    public Object value() {
        return now.getValue();
    }
}
