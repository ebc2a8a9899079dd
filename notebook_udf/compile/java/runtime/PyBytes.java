package notebookudf;

/** An iterator of bytes, each as the number that Python has for it; and parts of bytes. */
public final class PyBytes {
    /** bytes[place]. */
    public static long item(byte[] bytes, long place) {
        long at = place < 0 ? place + bytes.length : place;
        if (at < 0 || at >= bytes.length) {
            throw Raised.INDEX;
        }
        return bytes[(int) at] & 255L;
    }

    /** bytes[start:stop]. */
    public static byte[] slice(byte[] bytes, Long start, Long stop) {
        long count = bytes.length;
        long from = start == null ? 0L : PyList.limit(start.longValue(), count, 0L, count);
        long to = stop == null ? count : PyList.limit(stop.longValue(), count, 0L, count);
        return java.util.Arrays.copyOfRange(bytes, (int) from, (int) Math.max(from, to));
    }

    static byte[] joined(byte[] one, byte[] other) {
        byte[] made = java.util.Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, made, one.length, other.length);
        return made;
    }

    /** text[start:stop:step], or that of bytes, whose step is 1. */
    public static Object part(Object whole, Long start, Long stop, Long step) {
        if (whole instanceof String) {
            return PyText.slice((String) whole, start, stop, step);
        }
        return slice((byte[]) whole, start, stop);
    }

    /** repr(bytes), which is what a text says of them too. */
    static String represented(byte[] bytes) {
        boolean single = false;
        boolean twofold = false;
        for (int i = 0; i < bytes.length; i++) {
            single |= bytes[i] == 39;
            twofold |= bytes[i] == 34;
        }
        char quote = single && !twofold ? (char) 34 : (char) 39;
        StringBuilder made = new StringBuilder(bytes.length + 3).append('b').append(quote);
        for (int i = 0; i < bytes.length; i++) {
            int c = bytes[i] & 255;
            int escape = "\t\n\r".indexOf(c);
            if (c == quote || c == 92) {
                made.append((char) 92).append((char) c);
            } else if (escape >= 0) {
                made.append((char) 92).append("tnr".charAt(escape));
            } else if (c < 32 || c > 126) {
                made.append((char) 92).append('x').append(DIGITS.charAt(c >> 4));
                made.append(DIGITS.charAt(c & 15));
            } else {
                made.append((char) c);
            }
        }
        return made.append(quote).toString();
    }

    private static final String DIGITS = "0123456789abcdef";
    private final byte[] bytes;
    private int at;

    public PyBytes(byte[] bytes) {
        this.bytes = bytes;
    }

    public boolean hasNext() {
        return at < bytes.length;
    }

    public long next() {
        return bytes[at++] & 255L;
    }
}
