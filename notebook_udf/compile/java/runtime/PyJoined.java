package notebookudf;

/** sep.join(...) of what is given one by one. */
public final class PyJoined {
    private final String between;
    private String first;
    private StringBuilder made;
    // Python looks at what it is to join once it has all of it: the first that is no text.
    private Object other;
    private boolean hasOther;

    public PyJoined(String between) {
        this.between = between;
    }

    public void add(Object part) {
        if (!(part instanceof String)) {
            other = hasOther ? other : part;
            hasOther = true;
        } else if (first == null) {
            first = (String) part;
        } else {
            if (made == null) {
                made = new StringBuilder(2 * (first.length() + between.length()) + 64);
                put(made, first);
            }
            if (!between.isEmpty()) {
                made.append(between);
            }
            put(made, (String) part);
        }
    }

    /** Most of what is put together is single letters, of which a text costs several times more. */
    static void put(StringBuilder made, String part) {
        if (part.length() == 1) {
            made.append(part.charAt(0));
        } else {
            made.append(part);
        }
    }

    public String text() {
        if (hasOther) {
            PyJson.text(other, Raised.TYPE);
        }
        return made != null ? made.toString() : first != null ? first : "";
    }
}
