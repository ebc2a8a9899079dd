package notebookudf;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import org.apache.spark.TaskContext;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Stands before a function of which a share of calls is checked. It keeps these calls with their
 * answers, as texts; the kernel makes them again in Python. What it keeps is bounded: of a long task
 * fewer calls than the share, still from all of it. Where Spark computes a row while it plans a
 * query, the kernel is asked at once.
 */
public final class PyCheck implements InvocationHandler {
    private static final int MOST_ROWS = 500;
    private static final int MOST_LETTERS = 250000;

    private final Object made;
    private final PyMeter meter;
    private final double share;
    private final ArrayList kept = new ArrayList();
    private long letters;
    private long chosen;
    // Of the calls that the share chooses, every so manyth is kept.
    private long step = 1L;

    private PyCheck(Object made, PyMeter meter, double share) {
        this.made = made;
        this.meter = meter;
        this.share = share;
    }

    /** What is called in the place of a function. */
    static Object before(Object made, PyMeter meter, double share) {
        PyCheck check = new PyCheck(made, meter, share);
        meter.keeps(check);
        ClassLoader library = PyCheck.class.getClassLoader();
        return Proxy.newProxyInstance(library, made.getClass().getInterfaces(), check);
    }

    public Object invoke(Object proxy, Method method, Object[] values) throws Throwable {
        Object answer;
        try {
            answer = method.invoke(made, values);
        } catch (InvocationTargetException raised) {
            throw raised.getCause();
        }
        long row = meter.rows() - 1L;
        if (Math.floor(row * share) != Math.floor((row - 1L) * share)) {
            check(row + 1L, answer, values);
        }
        return answer;
    }

    private synchronized void check(long row, Object answer, Object[] values) {
        boolean plans = TaskContext.get() == null;
        if (!plans && chosen++ % step != 0L) {
            return;
        }
        Object said = answer instanceof UTF8String ? answer.toString() : answer;
        String call = text(row, said, values);
        if (call == null || call.length() > MOST_LETTERS / 4) {
            return;
        }
        if (plans) {
            meter.ask(call);
            return;
        }
        kept.add(call);
        letters += call.length();
        while (kept.size() > MOST_ROWS || letters > MOST_LETTERS) {
            thin();
        }
    }

    /** Keeps every other one, from now on too. */
    private void thin() {
        step *= 2L;
        letters = 0L;
        ArrayList all = new ArrayList(kept);
        kept.clear();
        for (int i = 0; i < all.size(); i += 2) {
            kept.add(all.get(i));
            letters += ((String) all.get(i)).length();
        }
    }

    /** The calls, a line each. */
    synchronized String lines() {
        return String.join("\n", kept);
    }

    /** A call as text; null if a value in it has none. */
    private static String text(long row, Object answer, Object[] values) {
        String said = RowFailed.encoded(answer);
        StringBuilder made = new StringBuilder().append(row).append(' ').append(said);
        boolean known = !said.equals("x");
        for (int i = 0; i < values.length && known; i++) {
            String each = RowFailed.encoded(values[i]);
            known = !each.equals("x");
            made.append(' ').append(each);
        }
        return known ? made.toString() : null;
    }
}
