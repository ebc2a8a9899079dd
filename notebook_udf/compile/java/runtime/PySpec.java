package notebookudf;

/** What format() is told, and the layout that it asks for. */
final class PySpec {
    String fill = " ";
    char align = '>';
    char sign;
    boolean noNegativeZero;
    boolean alternate;
    long width = -1;
    char separator;
    int precision = -1;
    /** 0 where there is none. */
    char type;

    private final String spec;
    private int at;

    PySpec(String spec, boolean isText) {
        this.spec = spec;
        align = isText ? '<' : '>';
        boolean aligned = true;
        boolean filled = false;
        int first = Character.charCount(spec.codePointAt(0));
        if (isAlign(first)) {
            fill = spec.substring(0, first);
            filled = true;
            at = first;
        } else {
            aligned = isAlign(0);
        }
        if (aligned) {
            align = spec.charAt(at++);
        }
        if (comes(' ') || comes('+') || comes('-')) {
            sign = spec.charAt(at++);
        }
        noNegativeZero = takes('z');
        alternate = takes('#');
        if (!filled && takes('0')) {
            fill = "0";
            if (!aligned && !isText) {
                align = '=';
            }
        }
        width = number(PyText.MOST);
        if (takes(',')) {
            separator = ',';
        }
        if (comes('_')) {
            if (separator != 0) {
                throw Raised.RAISED;
            }
            separator = '_';
            at++;
        }
        if (comes(',')) {
            throw Raised.RAISED;
        }
        if (takes('.')) {
            precision = (int) number(Integer.MAX_VALUE);
            if (precision < 0) {
                throw Raised.RAISED;
            }
        }
        if (at < spec.length()) {
            type = spec.charAt(at++);
        }
        if (at < spec.length() || (type == 0 && at > 0 && spec.charAt(at - 1) == 0)) {
            throw Raised.RAISED;
        }
        if (separator != 0 && (isText || "deEfFgG%\0".indexOf(type) < 0)
                && (separator != '_' || "boxX".indexOf(type) < 0)) {
            throw Raised.RAISED;
        }
    }

    private boolean isAlign(int i) {
        return i < spec.length() && "<>=^".indexOf(spec.charAt(i)) >= 0;
    }

    private boolean comes(char c) {
        return at < spec.length() && spec.charAt(at) == c;
    }

    private boolean takes(char c) {
        if (!comes(c)) {
            return false;
        }
        at++;
        return true;
    }

    /** The number that comes, in any script's digits; -1 if none does. */
    private long number(int most) {
        long found = -1;
        while (at < spec.length()) {
            int c = spec.codePointAt(at);
            int digit = PyUnicode.decimal(c);
            if (digit < 0) {
                break;
            }
            found = Math.max(found, 0) * 10 + digit;
            if (found > most) {
                throw Raised.RAISED;
            }
            at += Character.charCount(c);
        }
        return found;
    }

    private void fill(StringBuilder made, long many) {
        PyFormat.fill(made, fill, many);
    }

    /** Of text, which has so many characters: left of all padding, or of that within it. */
    String padded(String sign, String prefix, String text, long length) {
        String front = sign + prefix;
        long missing = width - length - front.length();
        if (missing <= 0) {
            return front.isEmpty() ? text : front + text;
        }
        long before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
        StringBuilder made = new StringBuilder();
        fill(made, before);
        made.append(front);
        if (align == '=') {
            fill(made, missing);
        }
        made.append(text);
        if (align == '<' || align == '^') {
            fill(made, missing - before);
        }
        return made.toString();
    }

    /** Of a number: digits are those before the point, rest is what follows them. */
    String number(boolean negative, String prefix, String digits, String rest) {
        String mark = negative ? "-" : sign == '+' || sign == ' ' ? String.valueOf(sign) : "";
        String text = digits;
        if (separator != 0 && !digits.isEmpty()) {
            long least = 0;
            if (align == '=' && fill.equals("0")) {
                least = width - mark.length() - prefix.length() - rest.length();
            }
            text = grouped(digits, least);
        }
        text += rest;
        return padded(mark, prefix, text, text.length());
    }

    /** Zeros come before the digits up to a width, and have separators too, but not in front. */
    private String grouped(String digits, long least) {
        int size = separator == '_' && "boxX".indexOf(type) >= 0 ? 4 : 3;
        StringBuilder made = new StringBuilder();
        int left = digits.length();
        int inGroup = 0;
        while (left > 0 || made.length() < least) {
            if (inGroup == size) {
                made.append(separator);
                inGroup = 0;
            }
            made.append(left > 0 ? digits.charAt(--left) : '0');
            inGroup++;
        }
        return made.reverse().toString();
    }
}
