package notebookudf;

/** An iterator of bytes, each as the number that Python has for it; and parts of bytes. */
public final class PyBytes {
    /** The argument of a BINARY column. */
    public static byte[] entered(Object value, String name, int place) {
        if (!(value instanceof byte[])) {
            throw WrongArgument.of(value, name, place);
        }
        return (byte[]) value;
    }

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
        int from = start == null ? 0 : limit(start.longValue(), bytes.length);
        int to = stop == null ? bytes.length : limit(stop.longValue(), bytes.length);
        return from < to ? java.util.Arrays.copyOfRange(bytes, from, to) : new byte[0];
    }

    private static int limit(long place, int count) {
        long at = place < 0 ? place + count : place;
        return (int) Math.max(0L, Math.min(at, (long) count));
    }

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
