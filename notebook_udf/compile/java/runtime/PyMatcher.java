package notebookudf;

import java.util.ArrayList;
import java.util.HashMap;

/** difflib.SequenceMatcher of two texts, without junk: how much of them is alike. */
public final class PyMatcher {
    private static final int ASCII = 128;

    private final HashMap others = new HashMap();
    // The letters of the texts by their numbers; of the first, -1 for those that the second lacks.
    private final int[] a;
    private final int[] b;
    // The first place of each letter in the second text, and of each place that of the next alike.
    private final int[] first;
    private final int[] next;
    private final int[] counts;

    public PyMatcher(String a, String b, boolean leavesPopular) {
        this.b = letters(b, true);
        this.a = letters(a, false);
        int kinds = ASCII + others.size(), size = this.b.length;
        first = new int[kinds];
        counts = new int[kinds];
        next = new int[size];
        java.util.Arrays.fill(first, -1);
        for (int j = size - 1; j >= 0; j--) {
            next[j] = first[this.b[j]];
            first[this.b[j]] = j;
            counts[this.b[j]]++;
        }
        for (int kind = 0; leavesPopular && size >= 200 && kind < kinds; kind++) {
            if (counts[kind] > size / 100 + 1) {
                first[kind] = -1;
            }
        }
    }

    private int[] letters(String text, boolean isSecond) {
        int[] made = new int[text.codePointCount(0, text.length())];
        for (int i = 0, at = 0; i < made.length; i++) {
            int letter = text.codePointAt(at);
            at += Character.charCount(letter);
            made[i] = letter < ASCII ? letter : numbered(letter, isSecond);
        }
        return made;
    }

    private int numbered(int letter, boolean isSecond) {
        Integer key = Integer.valueOf(letter);
        if (isSecond && !others.containsKey(key)) {
            others.put(key, Integer.valueOf(ASCII + others.size()));
        }
        Object known = others.get(key);
        return known == null ? -1 : ((Integer) known).intValue();
    }

    private double share(int alike) {
        int all = a.length + b.length;
        return all == 0 ? 1.0 : 2.0 * alike / all;
    }

    public double ratio() {
        int alike = 0;
        ArrayList left = new ArrayList();
        left.add(new int[] {0, a.length, 0, b.length});
        int[] last = new int[b.length + 1], now = new int[b.length + 1];
        while (!left.isEmpty()) {
            int[] part = (int[]) left.remove(left.size() - 1);
            int[] found = longest(part[0], part[1], part[2], part[3], last, now);
            int i = found[0], j = found[1], size = found[2];
            if (size == 0) {
                continue;
            }
            alike += size;
            if (part[0] < i && part[2] < j) {
                left.add(new int[] {part[0], i, part[2], j});
            }
            if (i + size < part[1] && j + size < part[3]) {
                left.add(new int[] {i + size, part[1], j + size, part[3]});
            }
        }
        return share(alike);
    }

    /**
     * The longest part that both have within some limits: where it begins in each, and its length.
     *
     * @param last of each place behind a letter of the second text how much before it is alike; 0
     * @param now the same; both are so again afterwards
     */
    private int[] longest(int from, int to, int begin, int end, int[] last, int[] now) {
        int i = from, j = begin, size = 0;
        int[] before = last, here = now;
        for (int row = from; row < to; row++) {
            if ((row & 1023) == 1023) {
                PyTask.goOn();
            }
            for (int at = a[row] < 0 ? -1 : first[a[row]]; at >= 0 && at < end; at = next[at]) {
                if (at < begin) {
                    continue;
                }
                int length = before[at] + 1;
                here[at + 1] = length;
                if (length > size) {
                    i = row - length + 1;
                    j = at - length + 1;
                    size = length;
                }
            }
            if (row > from) {
                forget(before, a[row - 1], begin, end);
            }
            int[] other = before;
            before = here;
            here = other;
        }
        if (to > from) {
            forget(before, a[to - 1], begin, end);
        }
        while (i > from && j > begin && b[j - 1] == a[i - 1]) {
            i--;
            j--;
            size++;
        }
        while (i + size < to && j + size < end && b[j + size] == a[i + size]) {
            size++;
        }
        return new int[] {i, j, size};
    }

    private void forget(int[] lengths, int letter, int begin, int end) {
        for (int at = letter < 0 ? -1 : first[letter]; at >= 0 && at < end; at = next[at]) {
            if (at >= begin) {
                lengths[at + 1] = 0;
            }
        }
    }

    /** How much is alike at most: letters that both have, wherever they stand. */
    public double quickRatio() {
        int[] left = (int[]) counts.clone();
        int alike = 0;
        for (int i = 0; i < a.length; i++) {
            if (a[i] >= 0 && left[a[i]]-- > 0) {
                alike++;
            }
        }
        return share(alike);
    }

    /** How much is alike at most, by the lengths alone. */
    public double realQuickRatio() {
        return share(Math.min(a.length, b.length));
    }

    /** difflib.get_close_matches(word, possibilities, n, cutoff). */
    public static ArrayList close(String word, ArrayList possibilities, long most, double cutoff) {
        ArrayList shares = new ArrayList(), found = new ArrayList();
        for (int i = 0; i < possibilities.size(); i++) {
            if (!(possibilities.get(i) instanceof String)) {
                throw Raised.TYPE;
            }
            String text = (String) possibilities.get(i);
            PyMatcher matcher = new PyMatcher(text, word, true);
            if (matcher.realQuickRatio() < cutoff || matcher.quickRatio() < cutoff) {
                continue;
            }
            double share = matcher.ratio();
            if (share >= cutoff) {
                put(shares, found, share, text);
            }
        }
        return new ArrayList(found.subList(0, (int) Math.min(most, found.size())));
    }

    /** Puts a text behind all that are more alike, or as much and later in order. */
    private static void put(ArrayList shares, ArrayList found, double share, String text) {
        int at = 0;
        while (at < found.size()) {
            double other = ((Double) shares.get(at)).doubleValue();
            if (other < share
                    || (other == share && PyText.compare((String) found.get(at), text) < 0)) {
                break;
            }
            at++;
        }
        shares.add(at, Double.valueOf(share));
        found.add(at, text);
    }
}
