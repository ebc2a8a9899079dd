package notebookudf;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** An object of hashlib's. */
public final class PyHash {
    private static final char[] DIGITS = "0123456789abcdef".toCharArray();

    private final String algorithm;
    private MessageDigest made;
    private final byte[] first;

    /** hashlib.new(algorithm, bytes), by Java's name of it. */
    public PyHash(String algorithm, byte[] first) {
        this.algorithm = algorithm;
        this.first = first;
    }

    /** text.encode(): UTF-8. */
    public static byte[] encoded(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private MessageDigest begun() {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException none) {
            throw new IllegalStateException(none);
        }
    }

    public void update(byte[] bytes) {
        if (made == null) {
            made = begun();
            made.update(first);
        }
        made.update(bytes);
    }

    /** What it is until now: more may follow. */
    public byte[] digest() {
        if (made == null) {
            return begun().digest(first);
        }
        try {
            return ((MessageDigest) made.clone()).digest();
        } catch (CloneNotSupportedException never) {
            throw new IllegalStateException(never);
        }
    }

    public String hexdigest() {
        byte[] found = digest();
        char[] made = new char[found.length * 2];
        for (int i = 0; i < found.length; i++) {
            made[2 * i] = DIGITS[(found[i] >> 4) & 15];
            made[2 * i + 1] = DIGITS[found[i] & 15];
        }
        return new String(made);
    }
}
