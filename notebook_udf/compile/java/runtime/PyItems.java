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

    /** Goes on; when Python raises for other keys than there were, it knows itself. */
    public void go() {
        try {
            now = (java.util.Map.Entry) each.next();
        } catch (java.util.ConcurrentModificationException changed) {
            throw GaveUp.GAVE_UP;
        }
    }

    public Object key() {
        return now.getKey();
    }

    public Object value() {
        return now.getValue();
    }
}
