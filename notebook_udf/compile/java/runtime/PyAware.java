package notebookudf;

import java.time.LocalDateTime;

/**
 * A datetime with an offset to UTC in microseconds; and what is done with values that are one, or
 * a datetime without.
 */
public final class PyAware {
    static final long DAY = 86400000000L;

    final LocalDateTime shown;
    final long offset;

    PyAware(LocalDateTime shown, long offset) {
        this.shown = shown;
        this.offset = offset;
    }

    /** What a value shows, at an offset: {@code replace(tzinfo=)}. */
    public static PyAware at(Object value, long offset) {
        return new PyAware(shown(value), offset);
    }

    /** datetime.fromtimestamp(number, zone) of a zone that is always at one offset. */
    public static PyAware fromTimestamp(Object number, long offset) {
        return new PyAware(PyDate.plus(PyZone.utcFromTimestamp(number), offset), offset);
    }

    /** astimezone of a zone that is always at one offset. */
    public PyAware moved(long to) {
        if (offset == to && (shown.getYear() == 1 || shown.getYear() == 9999)) {
            // Of its own zone Python gives it back; of another it may have no UTC.
            throw GaveUp.GAVE_UP;
        }
        return new PyAware(PyDate.plus(PyDate.plus(shown, -offset), to), to);
    }

    /** At an offset as strptime reads it: Z, or a sign, digits in pairs with or without colons. */
    public static Object at(LocalDateTime shown, String said) {
        if (said.equals("Z")) {
            return new PyAware(shown, 0L);
        }
        String digits = said.substring(1);
        if (digits.charAt(2) == ':') {
            digits = digits.substring(0, 2) + digits.substring(3);
            if (digits.length() > 4) {
                if (digits.charAt(4) != ':') {
                    throw Raised.VALUE;
                }
                digits = digits.substring(0, 4) + digits.substring(5);
            }
        }
        long seconds = number(digits, 0, 2) * 3600L + number(digits, 2, 4) * 60L;
        StringBuilder fraction = new StringBuilder();
        if (digits.length() > 4) {
            seconds += number(digits, 4, 6);
            fraction.append(digits, Math.min(7, digits.length()), digits.length());
        }
        while (fraction.length() < 6) {
            fraction.append('0');
        }
        long micros = seconds * 1000000L + number(fraction.toString(), 0, 6);
        if (micros >= DAY) {
            throw Raised.VALUE;
        }
        return new PyAware(shown, said.charAt(0) == '-' ? -micros : micros);
    }

    private static long number(String digits, int from, int to) {
        return PyNumber.count(PyParse.toInt(digits.substring(from, to), 10));
    }

    /** What its clock shows. */
    public static LocalDateTime shown(Object value) {
        return value instanceof PyAware ? ((PyAware) value).shown : (LocalDateTime) value;
    }

    /** One without an offset. */
    public static LocalDateTime naive(Object value) {
        if (value instanceof PyAware) {
            throw Raised.RAISED;
        }
        return (LocalDateTime) value;
    }

    /** What shows this, with the offset of another. */
    public static Object like(LocalDateTime shown, Object other) {
        return other instanceof PyAware ? (Object) new PyAware(shown, ((PyAware) other).offset) : shown;
    }

    public static Object plus(Object value, long micros) {
        return like(PyDate.plus(shown(value), micros), value);
    }

    private static boolean areAlike(Object one, Object other) {
        return one instanceof PyAware == other instanceof PyAware;
    }

    private static long offset(Object value) {
        return value instanceof PyAware ? ((PyAware) value).offset : 0L;
    }

    public static long between(Object later, Object earlier) {
        if (!areAlike(later, earlier)) {
            throw Raised.TYPE;
        }
        return PyDate.between(shown(later), shown(earlier)) - offset(later) + offset(earlier);
    }

    public static boolean equal(Object one, Object other) {
        return areAlike(one, other) && between(one, other) == 0L;
    }

    /** isoformat, or with a space str. */
    public static String text(Object value, char between) {
        return withOffset(PyDate.text(shown(value), between), value);
    }

    /** As text, up to what is asked for. */
    public static String text(Object value, char between, int upTo) {
        return withOffset(PyDate.text(shown(value), between, upTo), value);
    }

    private static String withOffset(String text, Object value) {
        return value instanceof PyAware ? text + said(((PyAware) value).offset) : text;
    }

    private static String said(long offset) {
        long micros = Math.abs(offset);
        StringBuilder made = new StringBuilder(offset < 0 ? "-" : "+");
        PyDate.padded(made, (int) (micros / 3600000000L), 2);
        PyDate.padded(made.append(':'), (int) (micros / 60000000L % 60L), 2);
        long rest = micros % 60000000L;
        if (rest != 0) {
            PyDate.padded(made.append(':'), (int) (rest / 1000000L), 2);
        }
        if (rest % 1000000L != 0) {
            PyDate.padded(made.append('.'), (int) (rest % 1000000L), 6);
        }
        return made.toString();
    }
}
