package notebookudf;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.StringTokenizer;

/** What the clocks of a time zone show, by the changes that Python's local time has. */
public final class PyZone {
    // The calendar, its days of the week included, repeats after 400 years.
    private static final long CYCLE = 146097L * 86400L;

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
        LocalDateTime shown = LocalDateTime.ofEpochSecond(
            second + offset(second), instant.getNano(), ZoneOffset.UTC);
        return PyDate.enteredMoment(shown, name, place);
    }

    /** A naive datetime of UTC as a TIMESTAMP. */
    public static Object left(Object moment) {
        return moment == null ? null : ((LocalDateTime) moment).toInstant(ZoneOffset.UTC);
    }

    private int offset(long second) {
        long asked = second < end ? second : end - CYCLE + Math.floorMod(second - end, CYCLE);
        int at = Arrays.binarySearch(starts, asked);
        return offsets[at >= 0 ? at + 1 : -at - 1];
    }
}
