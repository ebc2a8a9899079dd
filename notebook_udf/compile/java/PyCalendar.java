package notebookudf;

import java.time.LocalDateTime;

/** Days and moments written by a format. */
public final class PyCalendar {
    private static final String[] DAYS = new String[] {
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    };
    private static final String[] MONTHS = new String[] {
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    };

    private PyCalendar() {
    }

    /** moment.strftime(how); some versions of Python write a year with four digits always. */
    public static String written(LocalDateTime moment, String how, boolean padsYears) {
        StringBuilder made = new StringBuilder();
        for (int at = 0; at < how.length(); at++) {
            char letter = how.charAt(at);
            if (letter == '%') {
                at++;
                add(made, moment, how.charAt(at), padsYears);
            } else {
                made.append(letter);
            }
        }
        return made.toString();
    }

    private static void add(StringBuilder made, LocalDateTime moment, char what, boolean padsYears) {
        int hour = moment.getHour() % 12;
        String day = DAYS[moment.getDayOfWeek().getValue() - 1];
        String month = MONTHS[moment.getMonthValue() - 1];
        switch (what) {
            case 'Y': number(made, moment.getYear(), padsYears ? 4 : 1); break;
            case 'y': number(made, moment.getYear() % 100, 2); break;
            case 'm': number(made, moment.getMonthValue(), 2); break;
            case 'd': number(made, moment.getDayOfMonth(), 2); break;
            case 'j': number(made, moment.getDayOfYear(), 3); break;
            case 'H': number(made, moment.getHour(), 2); break;
            case 'I': number(made, hour == 0 ? 12 : hour, 2); break;
            case 'M': number(made, moment.getMinute(), 2); break;
            case 'S': number(made, moment.getSecond(), 2); break;
            case 'f': number(made, moment.getNano() / 1000, 6); break;
            case 'p': made.append(moment.getHour() < 12 ? "AM" : "PM"); break;
            case 'A': made.append(day); break;
            case 'a': made.append(day.substring(0, 3)); break;
            case 'B': made.append(month); break;
            case 'b': made.append(month.substring(0, 3)); break;
            default: made.append('%');
        }
    }

    private static void number(StringBuilder made, int value, int digits) {
        String text = Integer.toString(value);
        for (int i = text.length(); i < digits; i++) {
            made.append('0');
        }
        made.append(text);
    }
}
