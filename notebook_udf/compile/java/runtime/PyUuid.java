package notebookudf;

import java.math.BigInteger;

/** UUIDs of the module uuid, as the texts that they are written as. */
public final class PyUuid {
    private PyUuid() {
    }

    /** uuid.UUID(text). */
    public static String of(String text) {
        String digits = PyText.strip(text.replace("urn:", "").replace("uuid:", ""), "{}");
        digits = digits.replace("-", "");
        if (PyText.len(digits) != 32L) {
            throw Raised.VALUE;
        }
        return written(PyNumber.big(PyParse.toInt(digits, 16)));
    }

    /** uuid3 and uuid5: of a name, by the digest of an algorithm, and of a version. */
    public static String named(String algorithm, int version, byte[] namespace, String name) {
        PyHash hash = new PyHash(algorithm, namespace);
        hash.update(PyHash.encoded(name));
        byte[] digest = java.util.Arrays.copyOf(hash.digest(), 16);
        digest[6] = (byte) ((digest[6] & 0x0f) | version << 4);
        digest[8] = (byte) ((digest[8] & 0x3f) | 0x80);
        return written(new BigInteger(1, digest));
    }

    /** The sixteen bytes of so many hexadecimal digits. */
    public static byte[] bytes(String digits) {
        return java.util.Arrays.copyOfRange(new BigInteger("1" + digits, 16).toByteArray(), 1, 17);
    }

    private static String written(BigInteger value) {
        String digits = value.toString(16);
        StringBuilder made = new StringBuilder(36);
        for (int i = 0; i < 32; i++) {
            if (i == 8 || i == 12 || i == 16 || i == 20) {
                made.append('-');
            }
            int at = i - (32 - digits.length());
            made.append(at < 0 ? '0' : digits.charAt(at));
        }
        return made.toString();
    }
}
