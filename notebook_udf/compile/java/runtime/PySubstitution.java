package notebookudf;

import java.util.regex.Matcher;

/** p.sub(function, s, count), match by match. */
public final class PySubstitution {
    private final PyPattern pattern;
    private final String text;
    private final Matcher found;
    private final StringBuilder made = new StringBuilder();
    private long left;
    private int at;

    PySubstitution(PyPattern pattern, String text, Matcher found, long count) {
        this.pattern = pattern;
        this.text = text;
        this.found = found;
        left = count == 0 ? Long.MAX_VALUE : count;
    }

    public boolean next() {
        return left-- > 0 && pattern.next(found, text, at);
    }

    public PyMatch match() {
        return pattern.matched(text, found);
    }

    /** What stands in place of the match; null for nothing. */
    public void put(String part) {
        made.append(text, at, found.start());
        if (part != null) {
            made.append(part);
        }
        at = found.end();
    }

    public String text() {
        return made.append(text, at, text.length()).toString();
    }
}
