package notebookudf;

import java.util.HashMap;

/** Goes through a part of a document: a list, the letters of a text, or the keys of a dict. */
public final class PyParts {
    private final HashMap dict;
    private final Integer size;
    private final java.util.Iterator keys;
    private final PyIterator others;

    public PyParts(Object part) {
        dict = part instanceof HashMap ? (HashMap) part : null;
        size = dict == null ? null : Integer.valueOf(dict.size());
        keys = dict == null ? null : dict.keySet().iterator();
        others = dict == null ? new PyIterator(PyJson.elements(part)) : null;
    }

    public boolean hasNext() {
        return dict == null ? others.hasNext()
            : PyIterator.unchanged(dict, size) && keys.hasNext();
    }

    public Object next() {
        if (dict == null) {
            return others.next();
        }
        try {
            return keys.next();
        } catch (java.util.ConcurrentModificationException changed) {
            throw GaveUp.GAVE_UP;
        }
    }
}
