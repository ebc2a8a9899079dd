package notebookudf;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;

/** What values are put in order by: a number, a text, a time, a list, or a tuple, an array here. */
public final class PyKey {
    private PyKey() {
    }

    /** one < other. */
    public static boolean less(Object one, Object other) {
        if (one instanceof LocalDate && other instanceof LocalDate) {
            return ((LocalDate) one).isBefore((LocalDate) other);
        }
        if (one instanceof LocalDateTime && other instanceof LocalDateTime) {
            LocalDateTime later = PyDate.unfolded((LocalDateTime) other);
            return PyDate.unfolded((LocalDateTime) one).isBefore(later);
        }
        if (one instanceof PyDecimal && other instanceof PyDecimal) {
            return PyDecimal.compare((PyDecimal) one, (PyDecimal) other) < 0;
        }
        if (one instanceof ArrayList && other instanceof ArrayList) {
            return lessOfLists((ArrayList) one, (ArrayList) other);
        }
        if (!(one instanceof Object[]) || !(other instanceof Object[])) {
            checkDocument(one, other);
            return PyNumber.less(one, other);
        }
        Object[] parts = (Object[]) one, others = (Object[]) other;
        for (int i = 0; i < parts.length; i++) {
            if (!equal(parts[i], others[i])) {
                return less(parts[i], others[i]);
            }
        }
        return false;
    }

    private static boolean lessOfLists(ArrayList one, ArrayList other) {
        int both = Math.min(one.size(), other.size());
        for (int i = 0; i < both; i++) {
            if (!equal(one.get(i), other.get(i))) {
                return less(one.get(i), other.get(i));
            }
        }
        return one.size() < other.size();
    }

    /** bisect_left(list, value), or with right bisect_right. */
    public static long place(ArrayList list, Object value, boolean right) {
        int low = 0, high = list.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            Object each = list.get(middle);
            if (right ? !less(value, each) : less(each, value)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Gives up dicts of a document, and texts with half of a pair, which are no Strings. */
    private static void checkDocument(Object one, Object other) {
        if (one instanceof java.util.HashMap || other instanceof java.util.HashMap
                || one instanceof PyHalf || other instanceof PyHalf) {
            throw GaveUp.GAVE_UP;
        }
    }

    private static boolean equal(Object one, Object other) {
        boolean lists = one instanceof ArrayList && other instanceof ArrayList;
        if (lists || (one instanceof Object[] && other instanceof Object[])) {
            return !less(one, other) && !less(other, one);
        }
        checkDocument(one, other);
        if (one instanceof LocalDateTime && other instanceof LocalDateTime) {
            LocalDateTime same = PyDate.unfolded((LocalDateTime) other);
            return PyDate.unfolded((LocalDateTime) one).equals(same);
        }
        if (one instanceof PyDecimal && other instanceof PyDecimal) {
            return PyDecimal.equal((PyDecimal) one, (PyDecimal) other);
        }
        if (isNaN(one) && isNaN(other)) {
            // In a tuple it is equal to itself, if it is the same object, which is not known here.
            throw GaveUp.GAVE_UP;
        }
        return PyNumber.equal(one, other);
    }

    static boolean isNaN(Object value) {
        return value instanceof Double && ((Double) value).isNaN();
    }
}
