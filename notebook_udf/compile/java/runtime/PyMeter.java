package notebookudf;

import java.util.ArrayList;
import org.apache.spark.TaskContext;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.TaskCompletionListener;

/**
 * Counts the rows of a function in a task, and takes the time of some. What it has counted leaves by
 * an accumulator with the task's end, as Python's accumulators leave: pickled.
 */
public final class PyMeter implements java.io.Serializable, TaskCompletionListener {
    private static final long serialVersionUID = 1L;
    // A look at the clock costs as much as a short function.
    private static final int ONE_OF = 64;

    private final String name;
    private final long number;
    private final CollectionAccumulator accumulator;
    private final double share;
    private transient PyCheck check;
    // What the kernel has against an answer, while Spark plans.
    private transient String refused;
    private transient TaskContext task;
    private transient long rows;
    private transient long made;
    // Rows that calls were for beside their first.
    private transient long more;
    private transient long timed;
    private transient long nanoseconds;
    // The first row has the class loaded: its time says nothing about the others.
    private transient long first;
    private transient long began;

    public PyMeter(String name, long number, CollectionAccumulator accumulator, double share) {
        this.name = name;
        this.number = number;
        this.accumulator = accumulator;
        this.share = share;
    }

    /** What is called in the place of a function: itself, unless a share of its calls is checked. */
    Object before(Object made) {
        return share == 0.0 ? made : PyCheck.before(made, this, share);
    }

    void keeps(PyCheck made) {
        check = made;
    }

    /** Counts a row; whether its time is to be taken. */
    public boolean counts() {
        return rows++ % ONE_OF == 0L && isInTask();
    }

    /** Counts what a row gives: the rows in a table function's list, or a value. */
    public void gave(Object answer) {
        made += answer instanceof PyRows ? ((PyRows) answer).size() : 1L;
    }

    /** Counts further rows that the last call was for. */
    void also(long further) {
        more += further;
    }

    /** How many rows there were until now. */
    public long rows() {
        return rows + more;
    }

    private boolean isInTask() {
        if (task == null && rows == 1L) {
            task = TaskContext.get();
            if (task != null) {
                began = System.currentTimeMillis();
                task.addTaskCompletionListener(this);
            }
        }
        return task != null;
    }

    public void took(long time) {
        if (rows == 1L) {
            first = time;
        } else {
            timed++;
            nanoseconds += time;
        }
    }

    private long spent() {
        return first + (timed == 0L ? 0L : (long) ((double) nanoseconds / timed * (rows - 1L)));
    }

    public void onTaskCompletion(TaskContext ended) {
        ArrayList said = new ArrayList();
        said.add(name);
        said.add(text(ended.getLocalProperty("spark.sql.execution.id")));
        said.add(String.valueOf(ended.stageId()));
        said.add(String.valueOf(ended.partitionId()));
        said.add(String.valueOf(ended.attemptNumber()));
        said.add(String.valueOf(ended.taskAttemptId()));
        said.add(String.valueOf(began));
        said.add(String.valueOf(rows()));
        said.add(String.valueOf(made));
        said.add(String.valueOf(spent()));
        said.add(ended.isInterrupted() ? "stopped" : "done");
        said.add(text(ended.getLocalProperty("spark.job.description")));
        said.add(check == null ? "" : check.lines());
        accumulator.add(pickled(said));
    }

    /** Has the kernel check a call of a row that Spark computes while it plans. */
    synchronized void ask(String call) {
        ArrayList said = new ArrayList();
        said.add(name);
        said.add(call);
        CollectionAccumulator sent = (CollectionAccumulator) accumulator.copyAndReset();
        sent.add(pickled(said));
        accumulator.merge(sent);
        String why = refused;
        refused = null;
        if (why != null) {
            throw new IllegalStateException(why);
        }
    }

    /** Has the call be an error that the kernel is asked about. */
    public void refuse(String why) {
        refused = why;
    }

    private byte[] pickled(ArrayList said) {
        ArrayList records = new ArrayList();
        records.add(said);
        try {
            Object[] update = new Object[] {Long.valueOf(number), records};
            return new net.razorvine.pickle.Pickler().dumps(update);
        } catch (java.io.IOException never) {
            throw new IllegalStateException(never);
        }
    }

    private static String text(String property) {
        return property == null ? "" : property;
    }
}
