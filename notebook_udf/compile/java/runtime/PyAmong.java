package notebookudf;

/** A constant text that others are looked for in: most of those are single letters. */
public final class PyAmong {
    private final String text;
    private final boolean[] ascii = new boolean[128];

    public PyAmong(String text) {
        this.text = text;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < 128) {
                ascii[text.charAt(i)] = true;
            }
        }
    }

    public boolean has(String sub) {
        if (sub.length() != 1) {
            return PyText.contains(text, sub);
        }
        char letter = sub.charAt(0);
        return letter < 128 ? ascii[letter] : text.indexOf(letter) >= 0;
    }
}
