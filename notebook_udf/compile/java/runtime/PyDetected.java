package notebookudf;

/**
 * json.loads of bytes, whose encoding it finds out by the first of them. Halves of pairs pass in
 * Python; here a document with one is given up, unless it is none.
 */
public final class PyDetected {
    private static final int INSTEAD = 0xfffd;

    private final byte[] bytes;
    private final boolean isBig;
    private boolean hasHalf;

    private PyDetected(byte[] bytes, boolean isBig) {
        this.bytes = bytes;
        this.isBig = isBig;
    }

    public static Object loads(byte[] bytes) {
        int a = at(bytes, 0), b = at(bytes, 1), c = at(bytes, 2), d = at(bytes, 3);
        boolean zeros = bytes.length >= 4 || bytes.length == 2;
        PyDetected read = new PyDetected(bytes, a == 0 || a == 0xfe);
        String text;
        if (a == 0 && b == 0 && c == 0xfe && d == 0xff || a == 0xff && b == 0xfe && c == 0 && d == 0) {
            text = read.wide(4);
        } else if (a == 0xfe && b == 0xff || a == 0xff && b == 0xfe) {
            text = read.narrow(2);
        } else if (a == 0xef && b == 0xbb && c == 0xbf) {
            text = read.utf8(3);
        } else if (zeros && a == 0) {
            text = b == 0 && c >= 0 ? read.wide(0) : read.narrow(0);
        } else if (zeros && b == 0) {
            text = c == 0 && d == 0 ? read.wide(0) : read.narrow(0);
        } else {
            text = read.utf8(0);
        }
        Object found = PyJson.loads(text);
        if (read.hasHalf) {
            throw GaveUp.GAVE_UP;
        }
        return found;
    }

    /** A byte as a number; of one that is not there, -1. */
    private static int at(byte[] bytes, int place) {
        return place < bytes.length ? bytes[place] & 255 : -1;
    }

    private int number(int from, int size) {
        int made = 0;
        for (int i = 0; i < size; i++) {
            made = made << 8 | bytes[isBig ? from + i : from + size - 1 - i] & 255;
        }
        return made;
    }

    private String utf8(int from) {
        byte[] read = java.util.Arrays.copyOfRange(bytes, from, bytes.length);
        for (int i = 0; i + 2 < read.length; i++) {
            if (at(read, i) == 0xed && at(read, i + 1) >= 0xa0 && at(read, i + 1) < 0xc0
                    && at(read, i + 2) >= 0x80 && at(read, i + 2) < 0xc0) {
                hasHalf = true;
                // U+FFFD.
                read[i] = (byte) 0xef;
                read[i + 1] = (byte) 0xbf;
                read[i + 2] = (byte) 0xbd;
            }
        }
        return PyUtf8.decoded(read, null);
    }

    /** Of UTF-16. */
    private String narrow(int from) {
        if ((bytes.length - from) % 2 != 0) {
            throw Raised.UNICODE;
        }
        StringBuilder made = new StringBuilder();
        for (int i = from; i < bytes.length; i += 2) {
            made.append((char) number(i, 2));
        }
        for (int i = 0; i < made.length(); i++) {
            boolean isPair = i + 1 < made.length()
                && Character.isSurrogatePair(made.charAt(i), made.charAt(i + 1));
            if (isPair) {
                i++;
            } else if (Character.isSurrogate(made.charAt(i))) {
                hasHalf = true;
                made.setCharAt(i, (char) INSTEAD);
            }
        }
        return made.toString();
    }

    /** Of UTF-32. */
    private String wide(int from) {
        StringBuilder made = new StringBuilder();
        for (int i = from; i + 4 <= bytes.length; i += 4) {
            int letter = number(i, 4);
            if (letter < 0 || letter > Character.MAX_CODE_POINT) {
                throw Raised.UNICODE;
            }
            boolean isHalf = letter >= 0xd800 && letter < 0xe000;
            hasHalf = hasHalf || isHalf;
            made.appendCodePoint(isHalf ? INSTEAD : letter);
        }
        if ((bytes.length - from) % 4 != 0) {
            throw Raised.UNICODE;
        }
        return made.toString();
    }
}
