package notebookudf;

import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;

/**
 * fromisoformat of dates and datetimes, as CPython 3.11 reads them: the bytes of UTF-8, behind
 * whose end stands a zero.
 */
public final class PyIso {
    // What makes microseconds of a fraction, by how many digits are missing.
    private static final int[] MISSING = {1, 10, 100, 1000, 10000, 100000};

    private final byte[] bytes;
    private final int end;
    private int at;
    private int hour;
    private int minute;
    private int second;
    private int micros;

    private PyIso(String text) {
        bytes = text.getBytes(StandardCharsets.UTF_8);
        end = bytes.length;
    }

    private int byteAt(int place) {
        return place < end ? (int) bytes[place] : 0;
    }

    private boolean isDigit(int place) {
        int found = byteAt(place);
        return found >= '0' && found <= '9';
    }

    /** Reads so many digits here. */
    private int number(int count) {
        int found = 0;
        for (int i = 0; i < count; i++) {
            if (!isDigit(at)) {
                throw Raised.VALUE;
            }
            found = found * 10 + byteAt(at) - '0';
            at++;
        }
        return found;
    }

    /** date.fromisoformat(text). */
    public static LocalDate date(String text) {
        PyIso reader = new PyIso(text);
        if (reader.end != 7 && reader.end != 8 && reader.end != 10) {
            throw Raised.VALUE;
        }
        return reader.day(reader.end);
    }

    /** datetime.fromisoformat(text): a LocalDateTime, or with an offset a PyAware. */
    public static Object moment(String text) {
        PyIso reader = new PyIso(text);
        if (reader.end < 7) {
            throw Raised.VALUE;
        }
        int separator = reader.separator();
        LocalDate day = reader.day(separator);
        if (reader.end == separator) {
            return day.atStartOfDay();
        }
        int first = reader.byteAt(separator);
        int high = first & 0xf0;
        reader.at = separator + (first >= 0 ? 1 : high == 0xe0 ? 3 : high == 0xf0 ? 4 : 2);
        return reader.timed(day);
    }

    private LocalDate day(int length) {
        int year = number(4);
        boolean separated = byteAt(at) == '-';
        at += separated ? 1 : 0;
        if (byteAt(at) == 'W') {
            at++;
            int week = number(2);
            int weekday = 1;
            if (at < length) {
                pass(separated);
                weekday = number(1);
            }
            return ofWeek(year, week, weekday);
        }
        int month = number(2);
        pass(separated);
        return PyDate.date(year, month, number(2));
    }

    private void pass(boolean separated) {
        if (separated && byteAt(at++) != '-') {
            throw Raised.VALUE;
        }
    }

    private static LocalDate ofWeek(int year, int week, int weekday) {
        if (year < 1 || week < 1 || week > 53 || weekday < 1 || weekday > 7) {
            throw Raised.VALUE;
        }
        LocalDate first = LocalDate.of(year, 1, 1);
        int begins = first.getDayOfWeek().getValue();
        if (week == 53 && begins != 4 && !(begins == 3 && first.isLeapYear())) {
            throw Raised.VALUE;
        }
        // The first week is the one with the year's first Thursday.
        int monday = begins <= 4 ? 1 - begins : 8 - begins;
        LocalDate found = first.plusDays(monday + 7L * (week - 1) + weekday - 1);
        if (found.getYear() < 1 || found.getYear() > 9999) {
            throw Raised.VALUE;
        }
        return found;
    }

    /** Where a date ends and something stands before a time. */
    private int separator() {
        if (end == 7) {
            return 7;
        }
        if (byteAt(4) == '-') {
            if (byteAt(5) != 'W') {
                return 10;
            }
            if (end > 8 && byteAt(8) == '-') {
                if (end == 9) {
                    throw Raised.VALUE;
                }
                return end > 10 && isDigit(10) ? 8 : 10;
            }
            return 8;
        }
        if (byteAt(4) != 'W') {
            return 8;
        }
        int found = 7;
        while (found < end && isDigit(found)) {
            found++;
        }
        return found < 9 ? found : found % 2 == 0 ? 7 : 8;
    }

    private Object timed(LocalDate day) {
        int zone = at;
        do {
            int found = byteAt(zone);
            if (found == 'Z' || found == '+' || found == '-') {
                break;
            }
        } while (++zone < end);
        boolean isMore = clock(zone);
        if (zone == end) {
            if (isMore) {
                throw Raised.VALUE;
            }
            return PyDate.moment(day.getYear(), day.getMonthValue(), day.getDayOfMonth(), hour, minute,
                second, micros);
        }
        int h = hour;
        int m = minute;
        int s = second;
        int us = micros;
        long offset = 0;
        if (byteAt(zone) == 'Z') {
            if (byteAt(zone + 1) != 0) {
                throw Raised.VALUE;
            }
        } else {
            at = zone + 1;
            if (clock(end)) {
                throw Raised.VALUE;
            }
            long seconds = hour * 3600L + minute * 60L + second;
            // What is less than a second counts for nothing alone.
            offset = seconds == 0 ? 0 : seconds * 1000000L + micros;
            offset = byteAt(zone) == '-' ? -offset : offset;
        }
        if (Math.abs(offset) >= PyAware.DAY) {
            throw Raised.VALUE;
        }
        LocalDateTime shown = PyDate.moment(day.getYear(), day.getMonthValue(), day.getDayOfMonth(),
            h, m, s, us);
        return new PyAware(shown, offset);
    }

    /** Reads a time here; whether something stands behind it. */
    private boolean clock(int until) {
        hour = 0;
        minute = 0;
        second = 0;
        micros = 0;
        boolean separated = true;
        for (int i = 0; i < 3; i++) {
            int found = number(2);
            hour = i == 0 ? found : hour;
            minute = i == 1 ? found : minute;
            second = i == 2 ? found : second;
            int c = byteAt(at++);
            separated = i == 0 ? c == ':' : separated;
            if (at >= until) {
                return c != 0;
            }
            if (separated && c == ':') {
                continue;
            }
            if (c == '.' || c == ',') {
                break;
            }
            if (separated) {
                throw Raised.VALUE;
            }
            at--;
        }
        int count = Math.min(until - at, 6);
        micros = number(count) * MISSING[6 - count];
        while (isDigit(at)) {
            at++;
        }
        return byteAt(at) != 0;
    }
}
