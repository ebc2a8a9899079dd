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
