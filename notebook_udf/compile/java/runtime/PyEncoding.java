package notebookudf;

import java.util.zip.Adler32;
import java.util.zip.CRC32;

/** text.encode and bytes.decode of encodings that have a byte for each letter. */
public final class PyEncoding {
    private PyEncoding() {
    }

    /** Of letters before a limit; for others, what is in their place: null where they are an error. */
    public static byte[] encoded(String text, int limit, String instead) {
        byte[] made = new byte[text.length()];
        int count = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < limit) {
                made[count++] = (byte) c;
            } else if (instead == null) {
                throw Raised.ENCODE;
            } else if (!Character.isLowSurrogate(c) && !instead.isEmpty()) {
                made[count++] = (byte) instead.charAt(0);
            }
        }
        return count == made.length ? made : java.util.Arrays.copyOf(made, count);
    }

    /** As encoded, the other way round. */
    public static String decoded(byte[] bytes, int limit, String instead) {
        StringBuilder made = new StringBuilder(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            char c = (char) (bytes[i] & 255);
            if (c < limit) {
                made.append(c);
            } else if (instead == null) {
                throw Raised.UNICODE;
            } else {
                made.append(instead);
            }
        }
        return made.toString();
    }

    /** zlib.crc32(bytes). */
    public static long crc32(byte[] bytes) {
        CRC32 made = new CRC32();
        made.update(bytes);
        return made.getValue();
    }

    /** zlib.adler32(bytes). */
    public static long adler32(byte[] bytes) {
        Adler32 made = new Adler32();
        made.update(bytes);
        return made.getValue();
    }
}
