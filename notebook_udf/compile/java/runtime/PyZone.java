package notebookudf;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.StringTokenizer;

/** What the clocks of a time zone show, by the changes that Python's local time has. */
public final class PyZone {
    private static final long DAY = 86400L;
    // The calendar, its days of the week included, repeats after 400 years.
    private static final long CYCLE = 146097L * DAY;
    // The first second of the year 1, and of the year 10000.
    private static final long FIRST = -62135596800L;
    private static final long PAST = 253402300800L;

    private final long end;
    private final long[] starts;
    private final int[] offsets;

    /** The second from which on the last 400 years repeat, an offset, and changes: when, and to what. */
    public PyZone(String changes) {
        StringTokenizer parts = new StringTokenizer(changes);
        int count = (parts.countTokens() - 2) / 2;
        end = Long.parseLong(parts.nextToken());
        starts = new long[count];
        offsets = new int[count + 1];
        offsets[0] = Integer.parseInt(parts.nextToken());
        for (int at = 0; at < count; at++) {
            starts[at] = Long.parseLong(parts.nextToken());
            offsets[at + 1] = Integer.parseInt(parts.nextToken());
        }
    }

    /** A TIMESTAMP as Python's naive datetime; one that Python has not is left to Python. */
    public LocalDateTime entered(Object value, String name, int place) {
        if (value instanceof LocalDate) {
            // Arrow takes it for midnight of UTC.
            value = ((LocalDate) value).atStartOfDay().toInstant(ZoneOffset.UTC);
        }
        if (!(value instanceof Instant)) {
            throw WrongArgument.of(value, name, place);
        }
        Instant instant = (Instant) value;
        long second = instant.getEpochSecond();
        long shown = second + offset(second);
        boolean again = isUnsteady(second) && instant(shown, false) != second;
        LocalDateTime found = LocalDateTime.ofEpochSecond(shown, instant.getNano(), ZoneOffset.UTC);
        return PyDate.folded(PyDate.enteredMoment(found, name, place), again);
    }

    /** Whether clocks change within two days. */
    private boolean isUnsteady(long second) {
        return offset(second - 2 * DAY) != offset(second + 2 * DAY)
            || offset(second) != offset(second - DAY) || offset(second) != offset(second + DAY);
    }

    /** A naive datetime, or one with an offset, as a TIMESTAMP. */
    public Object left(Object value) {
        if (value == null) {
            return null;
        }
        LocalDateTime moment = PyDate.unfolded(PyAware.shown(value));
        long second = moment.toEpochSecond(ZoneOffset.UTC);
        if (value instanceof PyAware) {
            // Arrow leaves out what is less than a second.
            second -= Math.floorDiv(((PyAware) value).offset, 1000000L);
        } else if (isUnsteady(second)) {
            // In a gap, where no clock ever stood, the offset is that behind it.
            second -= offset(instant(second, PyDate.isFolded((LocalDateTime) value)));
        } else {
            second -= offset(second);
        }
        return Instant.ofEpochSecond(second, moment.getNano());
    }

    private int offset(long second) {
        long asked = second < end ? second : end - CYCLE + Math.floorMod(second - end, CYCLE);
        int at = Arrays.binarySearch(starts, asked);
        return offsets[at >= 0 ? at + 1 : -at - 1];
    }

    /** The second at which clocks show this one: the first or, of a fold, the later. */
    private long instant(long shown, boolean fold) {
        int offset = offset(shown);
        long first = shown - offset;
        boolean matches = offset(first) == offset;
        int other = offset(!matches ? first : fold ? first + DAY : first - DAY);
        if (other == offset) {
            return first;
        }
        long second = shown - other;
        if (offset(second) == other) {
            return second;
        }
        if (matches) {
            return first;
        }
        return fold ? Math.min(first, second) : Math.max(first, second);
    }

    /** What clocks show at a second, which Python has to have. */
    private long shown(long second) {
        long found = second + offset(second);
        if (found < FIRST || found >= PAST) {
            throw Raised.VALUE;
        }
        return found;
    }

    /** timestamp() of a naive datetime, or of one with an offset. */
    public double timestamp(Object value) {
        if (value instanceof PyAware) {
            long micros = PyDate.between(((PyAware) value).shown, LocalDateTime.of(1970, 1, 1, 0, 0));
            return PySpan.totalSeconds(micros - ((PyAware) value).offset);
        }
        LocalDateTime moment = (LocalDateTime) value;
        long second = searched(moment.toEpochSecond(ZoneOffset.UTC), PyDate.isFolded(moment));
        return (double) second + moment.getNano() / 1000 / 1e6;
    }

    /** value.astimezone(zone) of a zone that is always at one offset. */
    public PyAware moved(Object value, long to) {
        if (value instanceof PyAware) {
            return ((PyAware) value).moved(to);
        }
        LocalDateTime moment = (LocalDateTime) value;
        long shown = PyDate.unfolded(moment).toEpochSecond(ZoneOffset.UTC);
        // In a gap Python takes the offset of the second that it finds for it.
        long second = searched(shown, PyDate.isFolded(moment));
        return new PyAware(moment, offset(second) * 1000000L).moved(to);
    }

    /** As ``instant``, where Python asks for what it may not have. */
    private long searched(long wanted, boolean fold) {
        long a = shown(wanted) - wanted;
        long first = wanted - a;
        long at = shown(first);
        long b;
        if (at == wanted) {
            long near = fold ? first + DAY : first - DAY;
            b = shown(near) - near;
            if (a == b) {
                return first;
            }
        } else {
            b = at - first;
        }
        long second = wanted - b;
        if (shown(second) == wanted) {
            return second;
        }
        if (at == wanted) {
            return first;
        }
        return fold ? Math.min(first, second) : Math.max(first, second);
    }

    /** datetime.fromtimestamp(number) of an int or a float. */
    public LocalDateTime fromTimestamp(Object number) {
        PyInstant of = PyInstant.nearest(number);
        long second = of.second;
        long found = checked(second, offset(second));
        long transition = found - shown(second - DAY) - DAY;
        boolean again = transition < 0 && shown(second + transition) == found;
        return PyDate.folded(LocalDateTime.ofEpochSecond(found, of.micros * 1000, ZoneOffset.UTC), again);
    }

    /** date.fromtimestamp(number) of an int or a float. */
    public LocalDate dateFromTimestamp(Object number) {
        long second = PyInstant.whole(number).second;
        return LocalDate.ofEpochDay(Math.floorDiv(checked(second, offset(second)), DAY));
    }

    /** datetime.utcfromtimestamp(number) of an int or a float. */
    public static LocalDateTime utcFromTimestamp(Object number) {
        PyInstant of = PyInstant.nearest(number);
        return LocalDateTime.ofEpochSecond(checked(of.second, 0), of.micros * 1000, ZoneOffset.UTC);
    }

    /** The year at a second, so much later. */
    private static long year(long second, int offset) {
        long day = Math.floorDiv(second, DAY);
        day += Math.floorDiv(second - day * DAY + offset, DAY);
        long cycles = Math.floorDiv(day, 146097L);
        return 400L * cycles + LocalDate.ofEpochDay(day - 146097L * cycles).getYear();
    }

    /** A second at an offset; the C library has no years that are too far. */
    private static long checked(long second, int offset) {
        long year = year(second, offset);
        boolean isFar = year - 1900L != (int) (year - 1900L);
        long before = year(second, 0);
        if (isFar != (before - 1900L != (int) (before - 1900L))) {
            // Of some zones the library asks for the year of UTC as well.
            throw Raised.RAISED;
        }
        if (isFar) {
            throw Raised.OS;
        }
        if (year < 1 || year > 9999) {
            throw Raised.VALUE;
        }
        return second + offset;
    }
}
