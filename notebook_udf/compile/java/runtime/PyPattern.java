package notebookudf;

import java.util.ArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Python's re.Pattern, of what patterns.py writes. Tasks share it.
 *
 * sub, findall and split are for patterns whose matches are never empty, or always: after an empty
 * match Java and Python go on in different ways, as long as another may begin there.
 */
public final class PyPattern {
    private final Pattern ascii;
    private final Pattern any;
    private final int groups;
    // Of the letters of ASCII, those that a match may begin with; null where others may.
    private final boolean[] first;

    public PyPattern(String ascii, String any, int groups) {
        this(ascii, any, groups, null);
    }

    /** A match in a text of ASCII begins with one of the letters, which may be null. */
    public PyPattern(String ascii, String any, int groups, String letters) {
        this.ascii = Pattern.compile(ascii);
        this.any = Pattern.compile(any);
        this.groups = groups;
        first = letters == null ? null : new boolean[128];
        for (int i = 0; letters != null && i < letters.length(); i++) {
            first[letters.charAt(i)] = true;
        }
    }

    Matcher matcher(String s) {
        for (int i = 0, n = s.length(); i < n; i++) {
            if (s.charAt(i) >= 128) {
                return any.matcher(s);
            }
        }
        return ascii.matcher(s);
    }

    /** Where a match may begin in a text of ASCII; -1 if nowhere. */
    private int begins(String s, int from) {
        for (int i = from, n = s.length(); i < n; i++) {
            if (first[s.charAt(i)]) {
                return i;
            }
        }
        return -1;
    }

    /** Goes on to the next match, from the end of the one before or from 0. */
    boolean next(Matcher found, String s, int from) {
        if (first != null && found.pattern() == ascii) {
            int at = begins(s, from);
            return at >= 0 && found.find(at);
        }
        // One between the halves of a character is none.
        while (found.find()) {
            int at = found.start();
            if (at == 0 || at != found.end() || at == s.length()
                    || !Character.isSurrogatePair(s.charAt(at - 1), s.charAt(at))) {
                return true;
            }
        }
        return false;
    }

    PyMatch matched(String s, Matcher found) {
        return new PyMatch(s, found, groups);
    }

    /** p.sub(function, s, count), to be gone through. */
    public PySubstitution substitution(String s, long count) {
        return new PySubstitution(this, s, matcher(s), count);
    }

    public PyMatch search(String s) {
        Matcher found = matcher(s);
        boolean is = first == null ? found.find() : next(found, s, 0);
        return is ? new PyMatch(s, found, groups) : null;
    }

    public PyMatch match(String s) {
        Matcher found = matcher(s);
        return found.lookingAt() ? new PyMatch(s, found, groups) : null;
    }

    public PyMatch fullmatch(String s) {
        Matcher found = matcher(s);
        return found.matches() ? new PyMatch(s, found, groups) : null;
    }

    /** p.sub(template, s, count); a template is of Strings and, for groups, their numbers. */
    public String sub(String s, Object[] template, long count) {
        Matcher found = matcher(s);
        if (count < 0 || !next(found, s, 0)) {
            return s;
        }
        StringBuilder made = new StringBuilder();
        long left = count == 0 ? Long.MAX_VALUE : count;
        int at = 0;
        do {
            made.append(s, at, found.start());
            for (int i = 0; i < template.length; i++) {
                if (template[i] instanceof String) {
                    made.append((String) template[i]);
                } else {
                    int group = ((Long) template[i]).intValue();
                    if (found.start(group) >= 0) {
                        made.append(s, found.start(group), found.end(group));
                    }
                }
            }
            at = found.end();
        } while (--left > 0 && next(found, s, at));
        return made.append(s, at, s.length()).toString();
    }

    /** p.findall(s), for patterns with at most one group. */
    public ArrayList findall(String s) {
        ArrayList made = new ArrayList();
        Matcher found = matcher(s);
        int group = groups == 1 ? 1 : 0, at = 0;
        while (next(found, s, at)) {
            at = found.end();
            String part = found.group(group);
            made.add(part == null ? "" : part);
        }
        return made;
    }

    /** p.split(s, maxsplit). */
    public ArrayList split(String s, long maxsplit) {
        ArrayList made = new ArrayList();
        Matcher found = matcher(s);
        long left = maxsplit == 0 ? Long.MAX_VALUE : maxsplit;
        int at = 0;
        while (left-- > 0 && next(found, s, at)) {
            made.add(s.substring(at, found.start()));
            for (int i = 1; i <= groups; i++) {
                made.add(found.group(i));
            }
            at = found.end();
        }
        made.add(s.substring(at));
        return made;
    }
}
