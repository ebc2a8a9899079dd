package notebookudf;

/** An iterator of a text's letters: its code points, each a text. */
public final class PyLetters {
    private static final String[] ASCII = new String[128];

    static {
        for (int i = 0; i < ASCII.length; i++) {
            ASCII[i] = String.valueOf((char) i);
        }
    }

    private final String text;
    private int at;

    public PyLetters(String text) {
        this.text = text;
    }

    /** The text of one letter of ASCII: none is made. */
    static String ascii(int letter) {
        return ASCII[letter];
    }

    /** text.translate(table): what the table has no letter for stays, and null is left out. */
    public static String translated(String text, java.util.HashMap table) {
        StringBuilder made = new StringBuilder();
        for (PyLetters letters = new PyLetters(text); letters.hasNext();) {
            String letter = letters.next();
            Object found = table.containsKey(letter) ? table.get(letter) : letter;
            if (found != null) {
                made.append((String) found);
            }
        }
        return made.toString();
    }

    public boolean hasNext() {
        return at < text.length();
    }

    public String next() {
        char found = text.charAt(at);
        if (found < 128) {
            at++;
            return ASCII[found];
        }
        int from = at;
        at += Character.charCount(text.codePointAt(from));
        return text.substring(from, at);
    }
}
