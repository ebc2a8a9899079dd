package notebookudf;

import java.math.BigInteger;
import java.util.ArrayList;

/** Numbers taken apart into what columns of one type hold, and times as numbers. */
public final class PyField {
    // As in field_values.py.
    private static final Long MARK = Long.valueOf(Long.MIN_VALUE + 4057L);
    private static final long MICROS = 1000000L;
    private static final Long ZERO = Long.valueOf(0L);

    private PyField() {
    }

    public static double real(Object number) {
        return number instanceof Double ? ((Double) number).doubleValue() : 0.0;
    }

    /** An int of 64 bits, 0 for any other number, null for null. */
    public static Object whole(Object number) {
        return number == null || number instanceof Long ? number : ZERO;
    }

    /** The date so many days after 1970 began; one that Python has not is left to Python. */
    public static java.time.LocalDate day(long number) {
        return PyDate.known(java.time.LocalDate.ofEpochDay(number));
    }

    /** Twice the microseconds after 1970 began, and one more for the second of two. */
    public static long clock(java.time.LocalDateTime moment) {
        long micros = moment.toEpochSecond(java.time.ZoneOffset.UTC) * MICROS + moment.getNano() / 1000;
        return 2L * micros + (PyDate.isFolded(moment) ? 1L : 0L);
    }

    public static java.time.LocalDateTime ofClock(long number) {
        return PyDate.folded(moment(Math.floorDiv(number, 2L)), Math.floorMod(number, 2L) == 1L);
    }

    public static java.time.LocalDateTime moment(long number) {
        long second = Math.floorDiv(number, MICROS);
        int nanos = (int) Math.floorMod(number, MICROS) * 1000;
        return PyDate.known(java.time.LocalDateTime.ofEpochSecond(
            second, nanos, java.time.ZoneOffset.UTC));
    }

    public static java.time.Instant instant(long number) {
        long second = Math.floorDiv(number, MICROS);
        return java.time.Instant.ofEpochSecond(second, Math.floorMod(number, MICROS) * 1000L);
    }

    /**
     * Has each int beyond 64 bits be MARK in a list, its digits in another; without one for these
     * there is none beyond, and a number that is the mark is left to other code.
     */
    public static void mark(ArrayList list, ArrayList bigs) {
        for (int i = 0; i < list.size(); i++) {
            list.set(i, marked(list.get(i), bigs));
        }
    }

    private static Object marked(Object value, ArrayList bigs) {
        if (value instanceof ArrayList) {
            mark((ArrayList) value, bigs);
        } else if (value instanceof Object[]) {
            Object[] parts = (Object[]) value;
            for (int i = 0; i < parts.length; i++) {
                parts[i] = marked(parts[i], bigs);
            }
        } else if (value instanceof BigInteger || MARK.equals(value)) {
            if (bigs == null) {
                throw GaveUp.GAVE_UP;
            }
            bigs.add(value.toString());
            return MARK;
        }
        return value;
    }

    /** Has each MARK in some lists be its int again. */
    public static void unmark(Object[] lists, ArrayList bigs) {
        java.util.Iterator digits = bigs.iterator();
        for (int i = 0; i < lists.length; i++) {
            unmarked(lists[i], digits);
        }
    }

    private static Object unmarked(Object value, java.util.Iterator digits) {
        if (value instanceof ArrayList) {
            ArrayList list = (ArrayList) value;
            for (int i = 0; i < list.size(); i++) {
                list.set(i, unmarked(list.get(i), digits));
            }
        } else if (value instanceof Object[]) {
            Object[] parts = (Object[]) value;
            for (int i = 0; i < parts.length; i++) {
                parts[i] = unmarked(parts[i], digits);
            }
        } else if (MARK.equals(value)) {
            BigInteger whole = new BigInteger((String) digits.next());
            return whole.bitLength() < 64 ? (Object) MARK : whole;
        }
        return value;
    }

    /** The digits of an int beyond 64 bits. */
    public static String big(Object number) {
        return number instanceof BigInteger ? number.toString() : "";
    }
}
