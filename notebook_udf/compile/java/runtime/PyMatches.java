package notebookudf;

import java.util.regex.Matcher;

/** p.finditer(s). */
public final class PyMatches {
    private final PyPattern pattern;
    private final String text;
    private final Matcher found;
    private boolean isThere;

    public PyMatches(PyPattern pattern, String text) {
        this.pattern = pattern;
        this.text = text;
        found = pattern.matcher(text);
        isThere = pattern.next(found, text, 0);
    }

    public boolean hasNext() {
        return isThere;
    }

    public PyMatch next() {
        PyMatch match = pattern.matched(text, found);
        isThere = pattern.next(found, text, found.end());
        return match;
    }
}
