package notebookudf;

/** p.sub(function, s, count), match by match. */
public final class PySubstitution {
    private final String text;
    private final PyFinder found;
    private final StringBuilder made = new StringBuilder();
    private long left;
    private int at;

    PySubstitution(String text, PyFinder found, long count) {
        this.text = text;
        this.found = found;
        left = count == 0 ? Long.MAX_VALUE : count;
    }

    public boolean next() {
        return left-- > 0 && found.next(at);
    }

    public PyMatch match() {
        return found.match();
    }

    /** What stands in place of the match; null for nothing. */
    public void put(String part) {
        made.append(text, at, found.start(0));
        if (part != null) {
            made.append(part);
        }
        at = found.end(0);
    }

    public String text() {
        return made.append(text, at, text.length()).toString();
    }
}
