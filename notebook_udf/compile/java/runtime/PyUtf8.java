package notebookudf;

import java.nio.charset.StandardCharsets;

/** bytes.decode and what is read as texts of the web: UTF-8, as Python reads it. */
public final class PyUtf8 {
    private static final char[] DIGITS = "0123456789abcdef".toCharArray();

    private PyUtf8() {
    }

    /** How many bytes at a place are a character, or negative how many are wrong together. */
    private static int width(byte[] bytes, int at, int end) {
        int first = bytes[at] & 255;
        if (first < 0x80) {
            return 1;
        }
        int count = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
        if (count == 0) {
            return -1;
        }
        for (int i = 1; i < count; i++) {
            int low = i > 1 ? 0x80 : first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
            int high = i > 1 ? 0xBF : first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
            int next = at + i < end ? bytes[at + i] & 255 : 0;
            if (next < low || next > high) {
                return -i;
            }
        }
        return count;
    }

    /** bytes.decode(), with what is in the place of errors, or null. */
    public static String decoded(byte[] bytes, String instead) {
        return decoded(bytes, bytes.length, instead);
    }

    private static String decoded(byte[] bytes, int end, String instead) {
        StringBuilder made = new StringBuilder(end);
        int from = 0;
        for (int at = 0; at < end;) {
            int width = width(bytes, at, end);
            if (width > 0) {
                at += width;
                continue;
            }
            if (instead == null) {
                throw Raised.UNICODE;
            }
            made.append(new String(bytes, from, at - from, StandardCharsets.UTF_8)).append(instead);
            at -= width;
            from = at;
        }
        return made.append(new String(bytes, from, end - from, StandardCharsets.UTF_8)).toString();
    }

    /** bytes.hex(). */
    public static String hex(byte[] bytes) {
        StringBuilder made = new StringBuilder(2 * bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            made.append(DIGITS[(bytes[i] >> 4) & 15]).append(DIGITS[bytes[i] & 15]);
        }
        return made.toString();
    }

    private static int digit(String text, int at) {
        char c = at < text.length() ? text.charAt(at) : 'x';
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
            : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    }

    /** urllib.parse.unquote(text), or unquote_plus. */
    public static String unquoted(String given, boolean plus) {
        String text = plus ? given.replace('+', ' ') : given;
        if (text.indexOf('%') < 0) {
            return text;
        }
        StringBuilder made = new StringBuilder(text.length());
        byte[] bytes = new byte[text.length()];
        int count = 0;
        for (int at = 0; at < text.length();) {
            char c = text.charAt(at);
            if (c >= 128) {
                // What is no ASCII ends what is decoded together.
                made.append(decoded(bytes, count, "\ufffd")).append(c);
                count = 0;
                at++;
                continue;
            }
            int high = c == '%' ? digit(text, at + 1) : -1;
            int low = high >= 0 ? digit(text, at + 2) : -1;
            bytes[count++] = (byte) (low >= 0 ? high * 16 + low : (int) c);
            at += low >= 0 ? 3 : 1;
        }
        return made.append(decoded(bytes, count, "\ufffd")).toString();
    }

    /** urllib.parse.parse_qs(text), of null or of bytes without anything as well. */
    public static java.util.HashMap query(Object given, boolean blanks) {
        java.util.HashMap made = new java.util.LinkedHashMap();
        if (given instanceof byte[] && ((byte[]) given).length > 0) {
            throw GaveUp.GAVE_UP;
        }
        String text = given instanceof String ? (String) given : "";
        for (int at = 0; at < text.length();) {
            int end = text.indexOf('&', at);
            end = end < 0 ? text.length() : end;
            String part = text.substring(at, end);
            at = end + 1;
            int equal = part.indexOf('=');
            String value = equal < 0 ? "" : part.substring(equal + 1);
            if (part.isEmpty() || (value.isEmpty() && !blanks)) {
                continue;
            }
            String name = unquoted(equal < 0 ? part : part.substring(0, equal), true);
            java.util.ArrayList values = (java.util.ArrayList) made.get(name);
            if (values == null) {
                values = new java.util.ArrayList();
                made.put(name, values);
            }
            values.add(unquoted(value, true));
        }
        return made;
    }

    /** urllib.parse.quote(text, safe), or quote_plus. */
    public static String quoted(String text, String safe, boolean plus) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        StringBuilder made = new StringBuilder(bytes.length + 16);
        for (int i = 0; i < bytes.length; i++) {
            char c = (char) (bytes[i] & 255);
            if (plus && c == ' ') {
                made.append('+');
            } else if (c < 128 && safe.indexOf(c) >= 0) {
                made.append(c);
            } else {
                made.append('%').append(Character.toUpperCase(DIGITS[c >> 4]));
                made.append(Character.toUpperCase(DIGITS[c & 15]));
            }
        }
        return made.toString();
    }

    /** base64.b64encode(bytes), or with the alphabet of URLs. */
    public static byte[] base64(byte[] bytes, boolean ofUrls) {
        return ofUrls ? java.util.Base64.getUrlEncoder().encode(bytes)
            : java.util.Base64.getEncoder().encode(bytes);
    }

    /** A text as bytes for b64decode. */
    public static byte[] ascii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 128) {
                throw Raised.VALUE;
            }
        }
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static int six(byte c, boolean ofUrls) {
        return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26
            : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' || (ofUrls && c == '-') ? 62
            : c == '/' || (ofUrls && c == '_') ? 63 : -1;
    }

    /** base64.b64decode(bytes), which passes over what is no letter of it. */
    public static byte[] unbase64(byte[] bytes, boolean ofUrls) {
        byte[] made = new byte[bytes.length];
        int count = 0;
        int place = 0;
        int pads = 0;
        int left = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '=') {
                if (place >= 2 && place + ++pads >= 4) {
                    return java.util.Arrays.copyOf(made, count);
                }
                continue;
            }
            int six = six(bytes[i], ofUrls);
            if (six < 0) {
                continue;
            }
            pads = 0;
            if (place > 0) {
                made[count++] = (byte) (left << 2 * place | six >> (6 - 2 * place));
            }
            left = six;
            place = (place + 1) % 4;
        }
        if (place != 0) {
            throw Raised.BASE64;
        }
        return java.util.Arrays.copyOf(made, count);
    }
}
