package notebookudf;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** hashlib, of texts as bytes. */
public final class PyHash {
    private static final char[] DIGITS = "0123456789abcdef".toCharArray();

    private PyHash() {
    }

    /** text.encode(): UTF-8. */
    public static byte[] encoded(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** hashlib.new(how, bytes).hexdigest(), by Java's name of it. */
    public static String hexdigest(byte[] bytes, String how) {
        try {
            byte[] found = MessageDigest.getInstance(how).digest(bytes);
            char[] made = new char[found.length * 2];
            for (int i = 0; i < found.length; i++) {
                made[2 * i] = DIGITS[(found[i] >> 4) & 15];
                made[2 * i + 1] = DIGITS[found[i] & 15];
            }
            return new String(made);
        } catch (NoSuchAlgorithmException none) {
            throw new IllegalStateException(none);
        }
    }
}
