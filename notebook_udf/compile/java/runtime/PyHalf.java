package notebookudf;

/**
 * A text of a JSON document with half of a surrogate pair, which no column holds. It is equal to no
 * text that a function has otherwise; whoever wants its letters gives up.
 */
public final class PyHalf {
    final String text;

    PyHalf(String text) {
        this.text = text;
    }

    public boolean equals(Object other) {
        return other instanceof PyHalf && ((PyHalf) other).text.equals(text);
    }

    public int hashCode() {
        return text.hashCode();
    }
}
