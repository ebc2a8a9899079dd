package notebookudf;

/** Numbers taken apart into what columns of one type hold, and times as numbers. */
public final class PyField {
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
        java.time.LocalDate found = java.time.LocalDate.ofEpochDay(number);
        if (found.getYear() < 1 || found.getYear() > 9999) {
            throw GaveUp.GAVE_UP;
        }
        return found;
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
        java.time.LocalDateTime found = java.time.LocalDateTime.ofEpochSecond(
            second, nanos, java.time.ZoneOffset.UTC);
        if (found.getYear() < 1 || found.getYear() > 9999) {
            throw GaveUp.GAVE_UP;
        }
        return found;
    }

    public static java.time.Instant instant(long number) {
        long second = Math.floorDiv(number, MICROS);
        return java.time.Instant.ofEpochSecond(second, Math.floorMod(number, MICROS) * 1000L);
    }

    /** The digits of an int beyond 64 bits. */
    public static String big(Object number) {
        return number instanceof java.math.BigInteger ? number.toString() : "";
    }
}
