package notebookudf;

/** An iterator of bytes, each as the number that Python has for it. */
public final class PyBytes {
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
