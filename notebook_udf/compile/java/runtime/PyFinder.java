package notebookudf;

import java.util.regex.Matcher;

/** Finds the matches of a pattern in a text, by java.util.regex or by steps that never go back. */
final class PyFinder {
    // What is asked for: the next match, one from a place on, at the start, or of all the text.
    private static final int NEXT = 0;
    private static final int FROM = 1;
    private static final int START = 2;
    private static final int ALL = 3;

    private final String text;
    // Those of a text of ASCII, null of any other: an array is read faster than a String.
    private final byte[] letters;
    private final PyScanner scanner;
    private final Matcher matcher;
    // Of the letters of ASCII, those that a match may begin with; null where others may.
    private final boolean[] first;
    private final int[] places;
    // Where the next match may begin: behind an empty one there is none at the same place.
    private int least = 0;
    // Where a Matcher looks for the next.
    private int after = 0;

    PyFinder(String text, byte[] letters, PyScanner scanner, int groups, boolean[] first) {
        this.text = text;
        this.letters = letters;
        this.scanner = scanner;
        this.first = first;
        matcher = null;
        places = new int[2 * groups + 2];
    }

    PyFinder(String text, byte[] letters, Matcher matcher, int groups, boolean[] first) {
        this.text = text;
        this.letters = letters;
        this.matcher = matcher;
        this.first = first;
        scanner = null;
        places = new int[2 * groups + 2];
    }

    /** Goes on to the next match, from the end of the one before or from 0. */
    boolean next(int from) {
        if (scanner != null) {
            return scanned(from);
        }
        if (first != null) {
            int at = begins(from);
            return at >= 0 && matched(FROM, at);
        }
        // One between the halves of a character is none.
        while (matched(NEXT, after)) {
            int at = matcher.start();
            after = matcher.end() + (at == matcher.end() ? 1 : 0);
            if (at == 0 || at != matcher.end() || at == text.length()
                    || !Character.isSurrogatePair(text.charAt(at - 1), text.charAt(at))) {
                return true;
            }
        }
        return false;
    }

    private boolean scanned(int from) {
        int last = scanner.isAtStart() ? 0 : text.length();
        for (int at = Math.max(from, least); at <= last; at++) {
            if (first != null) {
                at = begins(at);
                if (at < 0) {
                    return false;
                }
            }
            if (scanner.matches(letters, at, places)) {
                least = Math.max(places[1], at + 1);
                return true;
            }
        }
        return false;
    }

    /** Where a match may begin in a text of ASCII; -1 if nowhere. */
    private int begins(int from) {
        for (int i = from; i < letters.length; i++) {
            if (first[letters[i]]) {
                return i;
            }
        }
        return -1;
    }

    /** Whether the text has a match, from a place on where it is not the first that is looked for. */
    private boolean matched(int how, int from) {
        try {
            return asked(how, from);
        } catch (StackOverflowError rounds) {
            // What it was about to do is not known any more.
            matcher.reset();
            return new Deep(this, how == NEXT ? FROM : how, from).found();
        }
    }

    private boolean asked(int how, int from) {
        switch (how) {
            case NEXT:
                return matcher.find();
            case FROM:
                return from <= text.length() && matcher.find(from);
            case START:
                return matcher.lookingAt();
            default:
                return matcher.matches();
        }
    }

    /** Java's calls are as deep as the rounds of a repeat are many: a thread with room for them. */
    private static final class Deep extends Thread {
        private static final long ROOM = 1L << 30;
        private final PyFinder finder;
        private final int how;
        private final int from;
        private boolean found;
        private Throwable failed;

        Deep(PyFinder finder, int how, int from) {
            super(null, null, "notebook-udf-deep-match", ROOM);
            this.finder = finder;
            this.how = how;
            this.from = from;
            setDaemon(true);
        }

        public void run() {
            try {
                found = finder.asked(how, from);
            } catch (Throwable e) {
                failed = e;
            }
        }

        boolean found() {
            start();
            try {
                join();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while a text was matched", stopped);
            }
            if (failed instanceof StackOverflowError) {
                throw GaveUp.GAVE_UP;
            }
            if (failed != null) {
                throw new IllegalStateException(failed);
            }
            return found;
        }
    }

    /** Whether the text begins with a match. */
    boolean isAtStart() {
        return scanner != null ? scanner.matches(letters, 0, places) : matched(START, 0);
    }

    /** Whether the whole text is a match. */
    boolean isAll() {
        if (scanner == null) {
            return matched(ALL, 0);
        }
        return scanner.matches(letters, 0, places) && places[1] == text.length();
    }

    int start(int group) {
        if (scanner != null) {
            return places[2 * group + 1] < 0 ? -1 : places[2 * group];
        }
        return matcher.start(group);
    }

    int end(int group) {
        return scanner != null ? places[2 * group + 1] : matcher.end(group);
    }

    /** The text of a group; null if it took no part. */
    String group(int group) {
        int start = start(group);
        return start < 0 ? null : text.substring(start, end(group));
    }

    PyMatch match() {
        int[] found = new int[places.length];
        for (int group = 0; 2 * group < found.length; group++) {
            found[2 * group] = start(group);
            found[2 * group + 1] = end(group);
        }
        return new PyMatch(text, found);
    }
}
