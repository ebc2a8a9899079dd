package notebookudf;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;

/** Python's dates, naive datetimes, and the spans between them, which are microseconds. */
public final class PyDate {
    private static final long DAY = 86400000000L;

    private PyDate() {
    }

    /** A date of Spark's; one that Python has not is left to Python. */
    public static LocalDate entered(Object value, String name, int place) {
        LocalDate found = null;
        if (value instanceof LocalDate) {
            found = (LocalDate) value;
        } else if (value instanceof java.sql.Date) {
            found = ((java.sql.Date) value).toLocalDate();
        } else {
            throw WrongArgument.of(value, name, place);
        }
        return known(found);
    }

    /** A date, unless Python has it not. */
    static LocalDate known(LocalDate found) {
        if (found.getYear() < 1 || found.getYear() > 9999) {
            throw GaveUp.GAVE_UP;
        }
        return found;
    }

    /** A datetime without a time zone; one that Python has not is left to Python. */
    public static LocalDateTime enteredMoment(Object value, String name, int place) {
        if (!(value instanceof LocalDateTime)) {
            throw WrongArgument.of(value, name, place);
        }
        return known((LocalDateTime) value);
    }

    static LocalDateTime known(LocalDateTime found) {
        known(found.toLocalDate());
        return found;
    }

    /** What Python's C code has no room for is another error than what no calendar has. */
    private static void fit(long number) {
        if (number != (int) number) {
            throw Raised.OVERFLOW;
        }
    }

    public static LocalDate date(long year, long month, long day) {
        fit(year);
        fit(month);
        fit(day);
        if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31) {
            throw Raised.VALUE;
        }
        try {
            return LocalDate.of((int) year, (int) month, (int) day);
        } catch (DateTimeException none) {
            throw Raised.VALUE;
        }
    }

    public static LocalDateTime moment(long year, long month, long day, long hour, long minute,
            long second, long micros) {
        fit(year);
        fit(month);
        fit(day);
        fit(hour);
        fit(minute);
        fit(second);
        fit(micros);
        if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59
                || micros < 0 || micros > 999999) {
            throw Raised.VALUE;
        }
        return date(year, month, day).atTime((int) hour, (int) minute, (int) second, (int) micros * 1000);
    }

    /** A date so many days later. */
    public static LocalDate plusDays(LocalDate date, long days) {
        if (days < -4000000L || days > 4000000L) {
            throw Raised.OVERFLOW;
        }
        LocalDate found = date.plusDays(days);
        if (found.getYear() < 1 || found.getYear() > 9999) {
            throw Raised.OVERFLOW;
        }
        return found;
    }

    public static LocalDateTime plus(LocalDateTime moment, long micros) {
        LocalDateTime found = unfolded(moment).plus(micros, ChronoUnit.MICROS);
        if (found.getYear() < 1 || found.getYear() > 9999) {
            throw Raised.OVERFLOW;
        }
        return found;
    }

    public static long between(LocalDate later, LocalDate earlier) {
        return (later.toEpochDay() - earlier.toEpochDay()) * DAY;
    }

    public static long between(LocalDateTime later, LocalDateTime earlier) {
        return ChronoUnit.MICROS.between(unfolded(earlier), unfolded(later));
    }

    /** A datetime that is the second of two that clocks show, which a nanosecond says; or not. */
    static LocalDateTime folded(LocalDateTime moment, boolean fold) {
        int nano = moment.getNano() / 1000 * 1000;
        return moment.withNano(fold ? nano + 1 : nano);
    }

    static boolean isFolded(LocalDateTime moment) {
        return moment.getNano() % 1000 == 1;
    }

    /** Without it: of two that are equal, it makes no difference. */
    static LocalDateTime unfolded(LocalDateTime moment) {
        return isFolded(moment) ? folded(moment, false) : moment;
    }

    /** A datetime with the fold of another. */
    public static LocalDateTime foldedLike(LocalDateTime moment, LocalDateTime other) {
        return isFolded(other) ? folded(moment, true) : moment;
    }

    public static int order(LocalDateTime one, LocalDateTime other) {
        return unfolded(one).compareTo(unfolded(other));
    }

    /** The number of a month by a name that is not minded the case of. */
    public static long month(String name, Object[] names) {
        String asked = name.toLowerCase(java.util.Locale.ROOT);
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(asked)) {
                return i + 1L;
            }
        }
        throw Raised.VALUE;
    }

    /** A year of two digits, as POSIX has it. */
    public static long year(long digits) {
        return digits <= 68L ? 2000L + digits : 1900L + digits;
    }

    /** An hour of twelve; a half of the day that is not told is the first. */
    public static long hour(long twelfth, String half) {
        boolean second = half != null && half.toLowerCase(java.util.Locale.ROOT).equals("pm");
        return twelfth % 12L + (second ? 12L : 0L);
    }

    /** Digits of a second's fraction as microseconds. */
    public static long micros(String digits) {
        return Long.parseLong((digits + "00000").substring(0, 6));
    }

    public static long weekday(LocalDate date) {
        return date.getDayOfWeek().getValue() - 1L;
    }

    public static long toOrdinal(LocalDate date) {
        return date.toEpochDay() + 719163L;
    }

    public static LocalDate fromOrdinal(Object value) {
        long found = PyNumber.place(value);
        if (found < 1L || found > 3652059L) {
            throw Raised.VALUE;
        }
        return LocalDate.ofEpochDay(found - 719163L);
    }

    static void padded(StringBuilder made, int value, int width) {
        String text = Integer.toString(value);
        for (int i = text.length(); i < width; i++) {
            made.append('0');
        }
        made.append(text);
    }

    private static StringBuilder dateText(LocalDate date) {
        StringBuilder made = new StringBuilder(26);
        padded(made, date.getYear(), 4);
        padded(made.append('-'), date.getMonthValue(), 2);
        padded(made.append('-'), date.getDayOfMonth(), 2);
        return made;
    }

    public static String text(LocalDate date) {
        return dateText(date).toString();
    }

    /** isoformat of a datetime, or with a space str of it. */
    public static String text(LocalDateTime moment, char between) {
        return text(moment, between, moment.getNano() >= 1000 ? 6 : 2);
    }

    /** isoformat of a datetime up to its hours (0), minutes (1), seconds (2), or digits of those. */
    public static String text(LocalDateTime moment, char between, int upTo) {
        StringBuilder made = dateText(moment.toLocalDate());
        padded(made.append(between), moment.getHour(), 2);
        if (upTo > 0) {
            padded(made.append(':'), moment.getMinute(), 2);
        }
        if (upTo > 1) {
            padded(made.append(':'), moment.getSecond(), 2);
        }
        if (upTo > 2) {
            padded(made.append('.'), moment.getNano() / (upTo == 3 ? 1000000 : 1000), upTo);
        }
        return made.toString();
    }
}
