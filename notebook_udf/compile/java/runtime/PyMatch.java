package notebookudf;

import java.util.ArrayList;

/** Python's re.Match: what a pattern found in a text. */
public final class PyMatch {
    private final String text;
    // The first and the end of each group, in Java's units; -1 for one that took no part.
    private final int[] places;

    PyMatch(String text, int[] places) {
        this.text = text;
        this.places = places;
    }

    private int checked(long number) {
        if (number < 0 || number >= places.length / 2) {
            throw Raised.INDEX;
        }
        return 2 * (int) number;
    }

    private Object part(int at) {
        return places[at] < 0 ? null : text.substring(places[at], places[at + 1]);
    }

    private long counted(int place) {
        return place < 0 ? -1 : text.codePointCount(0, place);
    }

    /** The text of a group, or null. */
    public Object group(long number) {
        return part(checked(number));
    }

    public long start(long number) {
        return counted(places[checked(number)]);
    }

    public long end(long number) {
        return counted(places[checked(number) + 1]);
    }

    public ArrayList groups() {
        ArrayList made = new ArrayList();
        for (int at = 2; at < places.length; at += 2) {
            made.add(part(at));
        }
        return made;
    }
}
