package notebookudf;

/**
 * A pattern that matches in one way at most, for texts of ASCII: steps that never go back. What the
 * numbers of the steps are, scans.py says.
 */
public final class PyScanner {
    private static final int END = 0, ONE_OF = 1, RUN = 2, TEXT = 3, OPEN = 4, CLOSE = 5, START = 6;
    private static final int LAST = 7, VERY_LAST = 8, EDGE = 9, TRY = 10, LOOP = 11;

    private final int[] steps;
    private final boolean[][] sets;
    private final byte[][] texts;

    public PyScanner(int[] steps, Object[] sets, Object[] texts) {
        this.steps = steps;
        this.sets = new boolean[sets.length][128];
        for (int i = 0; i < sets.length; i++) {
            String letters = (String) sets[i];
            for (int k = 0; k < letters.length(); k++) {
                this.sets[i][letters.charAt(k)] = true;
            }
        }
        this.texts = new byte[texts.length][];
        for (int i = 0; i < texts.length; i++) {
            this.texts[i] = ((String) texts[i]).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    /** Whether a match can only begin where the text does. */
    boolean isAtStart() {
        return steps[0] == START;
    }

    /** Whether a match begins at a place of ASCII letters; fills in where it and its groups are. */
    boolean matches(byte[] s, int from, int[] places) {
        java.util.Arrays.fill(places, -1);
        int end = run(s, 0, from, places);
        if (end < 0) {
            return false;
        }
        places[0] = from;
        places[1] = end;
        return true;
    }

    private int run(byte[] s, int step, int at, int[] places) {
        int length = s.length;
        while (true) {
            switch (steps[step]) {
                case END:
                    return at;
                case ONE_OF:
                    if (at == length || !sets[steps[step + 1]][s[at]]) {
                        return -1;
                    }
                    at++;
                    step += 2;
                    break;
                case RUN:
                    boolean[] set = sets[steps[step + 1]];
                    int most = steps[step + 3] < 0 ? length : Math.min(length, at + steps[step + 3]);
                    int begun = at;
                    while (at < most && set[s[at]]) {
                        at++;
                    }
                    if (at - begun < steps[step + 2]) {
                        return -1;
                    }
                    step += 4;
                    break;
                case TEXT:
                    byte[] text = texts[steps[step + 1]];
                    int past = at + text.length;
                    if (past > length
                            || !java.util.Arrays.equals(s, at, past, text, 0, text.length)) {
                        return -1;
                    }
                    at = past;
                    step += 2;
                    break;
                case OPEN:
                    places[2 * steps[step + 1]] = at;
                    step += 2;
                    break;
                case CLOSE:
                    places[2 * steps[step + 1] + 1] = at;
                    step += 2;
                    break;
                case START:
                    if (at != 0) {
                        return -1;
                    }
                    step++;
                    break;
                case LAST:
                    if (at != length && (at != length - 1 || s[at] != '\n')) {
                        return -1;
                    }
                    step++;
                    break;
                case VERY_LAST:
                    if (at != length) {
                        return -1;
                    }
                    step++;
                    break;
                case EDGE:
                    if ((at > 0 && isOfWord(s, at - 1)) == (at < length && isOfWord(s, at))) {
                        return -1;
                    }
                    step++;
                    break;
                case TRY:
                    if (begins(s, at, steps[step + 1])) {
                        int end = run(s, step + 5, at, places);
                        if (end >= 0) {
                            at = end;
                        } else if (steps[step + 4] >= 0) {
                            int first = 2 * steps[step + 3], last = 2 * steps[step + 4] + 2;
                            java.util.Arrays.fill(places, first, last, -1);
                        }
                    }
                    step = steps[step + 2];
                    break;
                case LOOP:
                    int rounds = 0;
                    while ((steps[step + 4] < 0 || rounds < steps[step + 4])
                            && begins(s, at, steps[step + 1])) {
                        int end = run(s, step + 5, at, places);
                        if (end < 0) {
                            break;
                        }
                        at = end;
                        rounds++;
                    }
                    if (rounds < steps[step + 3]) {
                        return -1;
                    }
                    step = steps[step + 2];
                    break;
                default:
                    int chosen = 0;
                    while (chosen < steps[step + 1] && !begins(s, at, steps[step + 3 + 2 * chosen])) {
                        chosen++;
                    }
                    at = chosen == steps[step + 1] ? -1 : run(s, steps[step + 4 + 2 * chosen], at, places);
                    if (at < 0) {
                        return -1;
                    }
                    step = steps[step + 2];
            }
        }
    }

    private boolean begins(byte[] s, int at, int set) {
        return at < s.length && sets[set][s[at]];
    }

    private static boolean isOfWord(byte[] s, int at) {
        int c = s[at];
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }
}
