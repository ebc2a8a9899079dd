package notebookudf;

import java.time.LocalDateTime;
import java.time.temporal.IsoFields;

/** strftime, of the directives that compile.java.times.time_formats knows. */
public final class PyTimeFormat {
    private static final String[] DAYS = {
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
    private static final String[] MONTHS = {"January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December"};

    private PyTimeFormat() {
    }

    /** A text for a moment; whether years have four digits at least depends on Python's version. */
    public static String format(LocalDateTime moment, String how, boolean padsYears) {
        StringBuilder made = new StringBuilder(how.length() + 16);
        for (int i = 0; i < how.length(); i++) {
            char letter = how.charAt(i);
            if (letter == '%') {
                i++;
                boolean bare = how.charAt(i) == '-';
                int start = made.length();
                put(made, moment, how.charAt(bare ? ++i : i), padsYears);
                while (bare && start < made.length() - 1 && "0 ".indexOf(made.charAt(start)) >= 0) {
                    made.deleteCharAt(start);
                }
            } else {
                made.append(letter);
            }
        }
        return made.toString();
    }

    /** Which week of the year it is, by how many days its own week has had. */
    private static int week(LocalDateTime moment, int day) {
        return (moment.getDayOfYear() + 6 - day) / 7;
    }

    private static void put(StringBuilder made, LocalDateTime moment, char letter, boolean padsYears) {
        String day = DAYS[moment.getDayOfWeek().getValue() - 1];
        String month = MONTHS[moment.getMonthValue() - 1];
        switch (letter) {
            case 'Y':
                PyDate.padded(made, moment.getYear(), padsYears ? 4 : 1);
                break;
            case 'y':
                PyDate.padded(made, moment.getYear() % 100, 2);
                break;
            case 'm':
                PyDate.padded(made, moment.getMonthValue(), 2);
                break;
            case 'd':
                PyDate.padded(made, moment.getDayOfMonth(), 2);
                break;
            case 'H':
                PyDate.padded(made, moment.getHour(), 2);
                break;
            case 'I':
                PyDate.padded(made, (moment.getHour() + 11) % 12 + 1, 2);
                break;
            case 'M':
                PyDate.padded(made, moment.getMinute(), 2);
                break;
            case 'S':
                PyDate.padded(made, moment.getSecond(), 2);
                break;
            case 'f':
                PyDate.padded(made, moment.getNano() / 1000, 6);
                break;
            case 'j':
                PyDate.padded(made, moment.getDayOfYear(), 3);
                break;
            case 'e':
                made.append(moment.getDayOfMonth() < 10 ? " " : "").append(moment.getDayOfMonth());
                break;
            case 'w':
                made.append(moment.getDayOfWeek().getValue() % 7);
                break;
            case 'u':
                made.append(moment.getDayOfWeek().getValue());
                break;
            case 'V':
                PyDate.padded(made, moment.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR), 2);
                break;
            case 'G':
                made.append(moment.get(IsoFields.WEEK_BASED_YEAR));
                break;
            case 'U':
                PyDate.padded(made, week(moment, moment.getDayOfWeek().getValue() % 7), 2);
                break;
            case 'W':
                PyDate.padded(made, week(moment, moment.getDayOfWeek().getValue() - 1), 2);
                break;
            case 'A':
                made.append(day);
                break;
            case 'a':
                made.append(day.substring(0, 3));
                break;
            case 'B':
                made.append(month);
                break;
            case 'b':
                made.append(month.substring(0, 3));
                break;
            case 'p':
                made.append(moment.getHour() < 12 ? "AM" : "PM");
                break;
            default:
                made.append('%');
        }
    }
}
