package notebookudf;

import java.util.HashMap;

/** unicodedata: normal forms, combining classes and categories, by the tables of this Python. */
public final class PyNormal {
    private static final int SYLLABLES = 0xAC00, LEADS = 0x1100, VOWELS = 0x1161, TAILS = 0x11A7;
    private static final String[][] CANONICAL = new String[4352][];
    private static final String[][] COMPATIBLE = new String[4352][];
    private static final byte[][] CLASSES = new byte[4352][];
    private static final HashMap PAIRS = new HashMap();
    private static final int[] STARTS;
    private static final String[] CATEGORIES;

    static {
        fill(CANONICAL, PyNormalTables.canonical());
        fill(COMPATIBLE, PyNormalTables.compatible());
        int[] classes = PyNormalTables.classes().codePoints().toArray();
        for (int i = 0; i < classes.length; i += 2) {
            int block = classes[i] >> 8;
            if (CLASSES[block] == null) {
                CLASSES[block] = new byte[256];
            }
            CLASSES[block][classes[i] & 255] = (byte) classes[i + 1];
        }
        int[] pairs = PyNormalTables.pairs().codePoints().toArray();
        for (int i = 0; i < pairs.length; i += 3) {
            PAIRS.put(key(pairs[i], pairs[i + 1]), Integer.valueOf(pairs[i + 2]));
        }
        int[] runs = PyNormalTables.categories().codePoints().toArray();
        STARTS = new int[runs.length / 3];
        CATEGORIES = new String[runs.length / 3];
        for (int i = 0; i < STARTS.length; i++) {
            STARTS[i] = runs[3 * i];
            CATEGORIES[i] = new String(runs, 3 * i + 1, 2).intern();
        }
    }

    private PyNormal() {
    }

    /** Entries end with a line feed: a character, and what it is taken apart into. */
    private static void fill(String[][] table, String entries) {
        for (int at = 0; at < entries.length();) {
            int end = entries.indexOf('\n', at), c = entries.codePointAt(at);
            if (table[c >> 8] == null) {
                table[c >> 8] = new String[256];
            }
            table[c >> 8][c & 255] = entries.substring(at + Character.charCount(c), end);
            at = end + 1;
        }
    }

    private static Long key(int one, int other) {
        return Long.valueOf(((long) one << 32) | other);
    }

    private static int classOf(int c) {
        byte[] block = CLASSES[c >> 8];
        return block == null ? 0 : block[c & 255] & 255;
    }

    private static String found(String[][] table, int c) {
        String[] block = table[c >> 8];
        return block == null ? null : block[c & 255];
    }

    private static int only(String letter) {
        if (PyText.len(letter) != 1L) {
            throw Raised.TYPE;
        }
        return letter.codePointAt(0);
    }

    /** unicodedata.combining(letter). */
    public static long combining(String letter) {
        return classOf(only(letter));
    }

    /** unicodedata.category(letter). */
    public static String category(String letter) {
        int at = java.util.Arrays.binarySearch(STARTS, only(letter));
        return CATEGORIES[at >= 0 ? at : -at - 2];
    }

    /** unicodedata.normalize(form, text). */
    public static String normalized(String text, boolean compatible, boolean composes) {
        // Before this letter nothing changes, whatever stands beside it.
        int last = composes && !compatible ? 0x300 : 128;
        int plain = 0;
        while (plain < text.length() && text.charAt(plain) < last) {
            plain++;
        }
        if (plain == text.length()) {
            return text;
        }
        int[] made = apart(text, compatible);
        order(made);
        return composes ? together(made) : new String(made, 0, made.length);
    }

    private static int[] apart(String text, boolean compatible) {
        StringBuilder made = new StringBuilder(text.length() * 2);
        for (int i = 0; i < text.length();) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            int syllable = c - SYLLABLES;
            String parts = compatible ? found(COMPATIBLE, c) : null;
            parts = parts == null ? found(CANONICAL, c) : parts;
            if (parts != null) {
                made.append(parts);
            } else if (syllable >= 0 && syllable < 11172) {
                made.append((char) (LEADS + syllable / 588)).append((char) (VOWELS + syllable % 588 / 28));
                if (syllable % 28 != 0) {
                    made.append((char) (TAILS + syllable % 28));
                }
            } else {
                made.appendCodePoint(c);
            }
        }
        return made.codePoints().toArray();
    }

    /** Puts what combines with a letter in the order of its classes; what is of one class stays. */
    private static void order(int[] points) {
        for (int i = 1; i < points.length; i++) {
            int c = points[i], own = classOf(c), at = i;
            while (own != 0 && at > 0 && classOf(points[at - 1]) > own) {
                points[at] = points[at - 1];
                at--;
            }
            points[at] = c;
        }
    }

    private static int pair(int one, int other) {
        if (one >= LEADS && one < LEADS + 19 && other >= VOWELS && other < VOWELS + 21) {
            return SYLLABLES + ((one - LEADS) * 21 + other - VOWELS) * 28;
        }
        boolean open = one >= SYLLABLES && one < SYLLABLES + 11172 && (one - SYLLABLES) % 28 == 0;
        if (open && other > TAILS && other < TAILS + 28) {
            return one + other - TAILS;
        }
        Object made = PAIRS.get(key(one, other));
        return made == null ? -1 : ((Integer) made).intValue();
    }

    private static String together(int[] points) {
        int count = 0, starter = -1, last = 0;
        for (int i = 0; i < points.length; i++) {
            int c = points[i], own = classOf(c);
            // What stands between may keep it from the letter.
            boolean near = starter >= 0 && (count == starter + 1 || (last != 0 && last < own));
            int made = near ? pair(points[starter], c) : -1;
            if (made >= 0) {
                points[starter] = made;
                continue;
            }
            if (own == 0) {
                starter = count;
            }
            last = own;
            points[count++] = c;
        }
        return new String(points, 0, count);
    }
}
