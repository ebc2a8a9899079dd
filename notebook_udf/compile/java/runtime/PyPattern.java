package notebookudf;

import java.util.ArrayList;
import java.util.regex.Pattern;

/**
 * Python's re.Pattern, of what pattern_syntax.py writes. Tasks share it.
 *
 * sub, findall and split are for patterns whose matches are never empty, or always: after an empty
 * match Java and Python go on in different ways, as long as another may begin there.
 */
public final class PyPattern {
    private final Pattern ascii;
    private final Pattern any;
    private final int groups;
    private final boolean[] first;
    private final PyScanner scanner;

    public PyPattern(String ascii, String any, int groups) {
        this(ascii, any, groups, null, null);
    }

    /** A match in a text of ASCII begins with one of the letters, and is found by the scanner; each
        may be null. */
    public PyPattern(String ascii, String any, int groups, String letters, PyScanner scanner) {
        this.ascii = Pattern.compile(ascii);
        this.any = Pattern.compile(any);
        this.groups = groups;
        this.scanner = scanner;
        first = letters == null ? null : new boolean[128];
        for (int i = 0; letters != null && i < letters.length(); i++) {
            first[letters.charAt(i)] = true;
        }
    }

    PyFinder finder(String s) {
        byte[] letters = PyCase.asciiLetters(s);
        if (letters == null) {
            return new PyFinder(s, null, any.matcher(s), groups, null);
        }
        return scanner == null
            ? new PyFinder(s, letters, ascii.matcher(s), groups, first)
            : new PyFinder(s, letters, scanner, groups, first);
    }

    /** p.sub(function, s, count), to be gone through. */
    public PySubstitution substitution(String s, long count) {
        return new PySubstitution(s, finder(s), count);
    }

    public PyMatch search(String s) {
        PyFinder found = finder(s);
        return found.next(0) ? found.match() : null;
    }

    public PyMatch match(String s) {
        PyFinder found = finder(s);
        return found.isAtStart() ? found.match() : null;
    }

    public PyMatch fullmatch(String s) {
        PyFinder found = finder(s);
        return found.isAll() ? found.match() : null;
    }

    /** p.sub(template, s, count); a template is of Strings and, for groups, their numbers. */
    public String sub(String s, Object[] template, long count) {
        PyFinder found = finder(s);
        if (count < 0 || !found.next(0)) {
            return s;
        }
        StringBuilder made = new StringBuilder();
        long left = count == 0 ? Long.MAX_VALUE : count;
        int at = 0;
        do {
            made.append(s, at, found.start(0));
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
            at = found.end(0);
        } while (--left > 0 && found.next(at));
        return made.append(s, at, s.length()).toString();
    }

    /** p.findall(s), for patterns with at most one group. */
    public ArrayList findall(String s) {
        ArrayList made = new ArrayList();
        PyFinder found = finder(s);
        int group = groups == 1 ? 1 : 0, at = 0;
        while (found.next(at)) {
            at = found.end(0);
            String part = found.group(group);
            made.add(part == null ? "" : part);
        }
        return made;
    }

    /** p.split(s, maxsplit). */
    public ArrayList split(String s, long maxsplit) {
        ArrayList made = new ArrayList();
        PyFinder found = finder(s);
        long left = maxsplit == 0 ? Long.MAX_VALUE : maxsplit;
        int at = 0;
        while (left-- > 0 && found.next(at)) {
            made.add(s.substring(at, found.start(0)));
            for (int i = 1; i <= groups; i++) {
                made.add(found.group(i));
            }
            at = found.end(0);
        }
        made.add(s.substring(at));
        return made;
    }
}
