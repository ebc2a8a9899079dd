package notebookudf;

import java.util.ArrayList;
import java.util.Arrays;

/** urllib.parse.urlparse and urlsplit, as the Python that made the class which has this has them. */
public final class PyUrl {
    private final String expanding;
    private final ArrayList withParams;
    private final boolean strips;
    private final boolean beginsWithLetter;
    private final long checked;

    /**
     * @param expanding letters that NFKC makes into a delimiter, or into several with one
     * @param withParams schemes whose paths may have parameters
     * @param strips whether what stands in front of all is left out where it is no letter
     * @param beginsWithLetter whether a scheme has to
     * @param checked of a host in brackets: 0 for nothing, 1 for it, 2 for what is around it as well
     */
    public PyUrl(String expanding, Object[] withParams, boolean strips, boolean beginsWithLetter,
            long checked) {
        this.expanding = expanding;
        this.withParams = new ArrayList(Arrays.asList(withParams));
        this.strips = strips;
        this.beginsWithLetter = beginsWithLetter;
        this.checked = checked;
    }

    private static ArrayList nothing(int count) {
        ArrayList made = new ArrayList();
        for (int i = 0; i < count; i++) {
            made.add(new byte[0]);
        }
        return made;
    }

    /** Scheme, netloc, path, query and fragment. Of null they are bytes. */
    public ArrayList split(String given) {
        if (given == null) {
            return nothing(5);
        }
        String url = clean(given);
        String scheme = "";
        String netloc = "";
        int colon = url.indexOf(':');
        if (colon > 0 && isScheme(url, colon)) {
            // It is of ASCII.
            scheme = PyCase.lower(url.substring(0, colon));
            url = url.substring(colon + 1);
        }
        if (url.startsWith("//")) {
            int end = 2;
            while (end < url.length() && "/?#".indexOf(url.charAt(end)) < 0) {
                end++;
            }
            netloc = url.substring(2, end);
            url = url.substring(end);
            boolean opens = netloc.indexOf('[') >= 0;
            if (opens != netloc.indexOf(']') >= 0) {
                throw Raised.VALUE;
            }
            if (opens) {
                checkBrackets(netloc);
            }
        }
        int hash = url.indexOf('#');
        String fragment = hash < 0 ? "" : url.substring(hash + 1);
        url = hash < 0 ? url : url.substring(0, hash);
        int mark = url.indexOf('?');
        String query = mark < 0 ? "" : url.substring(mark + 1);
        url = mark < 0 ? url : url.substring(0, mark);
        for (int i = 0; i < netloc.length(); i++) {
            // NFKC leaves ASCII as it is.
            if (netloc.charAt(i) >= 128 && expanding.indexOf(netloc.codePointAt(i)) >= 0) {
                throw Raised.VALUE;
            }
        }
        ArrayList made = new ArrayList(6);
        made.add(scheme);
        made.add(netloc);
        made.add(url);
        made.add(query);
        made.add(fragment);
        return made;
    }

    /** Scheme, netloc, path, params, query and fragment. */
    public ArrayList parsed(String given) {
        if (given == null) {
            return nothing(6);
        }
        ArrayList made = split(given);
        String path = (String) made.get(2);
        int cut = path.indexOf(';');
        if (cut >= 0) {
            cut = !withParams.contains(made.get(0)) ? -1
                : path.indexOf(';', Math.max(0, path.lastIndexOf('/')));
        }
        made.set(2, cut < 0 ? path : path.substring(0, cut));
        made.add(3, cut < 0 ? "" : path.substring(cut + 1));
        return made;
    }

    private String clean(String given) {
        int from = 0;
        while (strips && from < given.length() && given.charAt(from) <= ' ') {
            from++;
        }
        boolean isClean = given.indexOf('\t') < 0 && given.indexOf('\r') < 0
            && given.indexOf('\n') < 0;
        if (isClean) {
            return given.substring(from);
        }
        StringBuilder made = new StringBuilder(given.length());
        for (int i = from; i < given.length(); i++) {
            char c = given.charAt(i);
            if (c != '\t' && c != '\r' && c != '\n') {
                made.append(c);
            }
        }
        return made.toString();
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isHexadecimal(char c) {
        return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    }

    private boolean isScheme(String url, int end) {
        for (int i = 0; i < end; i++) {
            char c = url.charAt(i);
            if (!isLetter(c) && !isDigit(c) && "+-.".indexOf(c) < 0) {
                return false;
            }
        }
        return !beginsWithLetter || isLetter(url.charAt(0));
    }

    private static String before(String text, char c) {
        int at = text.indexOf(c);
        return at < 0 ? text : text.substring(0, at);
    }

    private static String after(String text, char c) {
        int at = text.indexOf(c);
        return at < 0 ? "" : text.substring(at + 1);
    }

    private void checkBrackets(String netloc) {
        if (checked == 0L) {
            return;
        }
        String host = before(after(netloc, '['), ']');
        if (checked == 2L) {
            String info = netloc.substring(netloc.lastIndexOf('@') + 1);
            int open = info.indexOf('[');
            String port = after(info, ']');
            if (open > 0 || (open == 0 && !port.isEmpty() && !port.startsWith(":"))) {
                throw Raised.VALUE;
            }
            host = open < 0 ? before(info, ':') : before(info.substring(1), ']');
        }
        boolean fits = host.startsWith("v") ? isFuture(host) : isSix(host);
        if (!fits) {
            throw Raised.VALUE;
        }
    }

    /** v, hexadecimal digits, a point and anything. */
    private static boolean isFuture(String host) {
        int at = 1;
        while (at < host.length() && isHexadecimal(host.charAt(at))) {
            at++;
        }
        return at > 1 && at + 1 < host.length() && host.charAt(at) == '.';
    }

    private static ArrayList parts(String text, char by) {
        ArrayList made = new ArrayList();
        int from = 0;
        for (int at = text.indexOf(by); at >= 0; at = text.indexOf(by, from)) {
            made.add(text.substring(from, at));
            from = at + 1;
        }
        made.add(text.substring(from));
        return made;
    }

    /** Whether ipaddress.IPv6Address takes it. */
    private static boolean isSix(String given) {
        String text = before(given, '%');
        if (text.length() < given.length()) {
            String scope = given.substring(text.length() + 1);
            if (scope.isEmpty() || scope.indexOf('%') >= 0) {
                return false;
            }
        }
        ArrayList parts = parts(text, ':');
        if (text.isEmpty() || parts.size() < 3) {
            return false;
        }
        String last = (String) parts.get(parts.size() - 1);
        if (last.indexOf('.') >= 0) {
            if (!isFour(last)) {
                return false;
            }
            parts.set(parts.size() - 1, "0");
            parts.add("0");
        }
        int count = parts.size();
        if (count > 9) {
            return false;
        }
        int skipped = -1;
        for (int i = 1; i < count - 1; i++) {
            if (((String) parts.get(i)).isEmpty()) {
                if (skipped >= 0) {
                    return false;
                }
                skipped = i;
            }
        }
        int high = count;
        int low = 0;
        boolean opens = ((String) parts.get(0)).isEmpty();
        boolean closes = ((String) parts.get(count - 1)).isEmpty();
        if (skipped >= 0) {
            high = skipped - (opens ? 1 : 0);
            low = count - skipped - 1 - (closes ? 1 : 0);
            if ((opens && high > 0) || (closes && low > 0) || high + low > 7) {
                return false;
            }
        } else if (count != 8) {
            return false;
        }
        for (int i = 0; i < high + low; i++) {
            String part = (String) parts.get(i < high ? i : count - low + (i - high));
            if (!isPart(part)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPart(String part) {
        for (int i = 0; i < part.length(); i++) {
            if (!isHexadecimal(part.charAt(i))) {
                return false;
            }
        }
        return !part.isEmpty() && part.length() <= 4;
    }

    private static boolean isFour(String text) {
        ArrayList parts = parts(text, '.');
        for (int i = 0; i < parts.size(); i++) {
            String part = (String) parts.get(i);
            for (int j = 0; j < part.length(); j++) {
                if (!isDigit(part.charAt(j))) {
                    return false;
                }
            }
            boolean fits = !part.isEmpty() && part.length() <= 3
                && (part.length() == 1 || part.charAt(0) != '0') && Integer.parseInt(part) <= 255;
            if (!fits) {
                return false;
            }
        }
        return parts.size() == 4;
    }

    /** .hostname, of a netloc. */
    public static String hostname(Object netloc) {
        if (!(netloc instanceof String)) {
            return null;
        }
        String info = ((String) netloc).substring(((String) netloc).lastIndexOf('@') + 1);
        String host = info.indexOf('[') >= 0 ? before(after(info, '['), ']') : before(info, ':');
        if (host.isEmpty()) {
            return null;
        }
        String name = before(host, '%');
        return PyCase.lower(name).concat(host.substring(name.length()));
    }

    /** .port, of a netloc. */
    public static Object port(Object netloc) {
        if (!(netloc instanceof String)) {
            return null;
        }
        String info = ((String) netloc).substring(((String) netloc).lastIndexOf('@') + 1);
        String port = info.indexOf('[') >= 0 ? after(after(after(info, '['), ']'), ':')
            : after(info, ':');
        if (port.isEmpty()) {
            return null;
        }
        long found = 0L;
        for (int i = 0; i < port.length(); i++) {
            found = found * 10L + (port.charAt(i) - '0');
            if (!isDigit(port.charAt(i)) || found > 65535L) {
                throw Raised.VALUE;
            }
        }
        return Long.valueOf(found);
    }

    /** .username, of a netloc. */
    public static String username(Object netloc) {
        int at = netloc instanceof String ? ((String) netloc).lastIndexOf('@') : -1;
        return at < 0 ? null : before(((String) netloc).substring(0, at), ':');
    }

    /** .password, of a netloc. */
    public static String password(Object netloc) {
        int at = netloc instanceof String ? ((String) netloc).lastIndexOf('@') : -1;
        String info = at < 0 ? "" : ((String) netloc).substring(0, at);
        return info.indexOf(':') < 0 ? null : after(info, ':');
    }
}
