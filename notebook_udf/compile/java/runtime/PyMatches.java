package notebookudf;

/** p.finditer(s). */
public final class PyMatches {
    private final PyFinder found;
    private boolean isThere;

    public PyMatches(PyPattern pattern, String text) {
        found = pattern.finder(text);
        isThere = found.next(0);
    }

    public boolean hasNext() {
        return isThere;
    }

    public PyMatch next() {
        PyMatch match = found.match();
        isThere = found.next(found.end(0));
        return match;
    }
}
