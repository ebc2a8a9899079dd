package notebookudf;

import org.apache.spark.TaskContext;

/** The task that a function runs in. */
public final class PyTask {
    private PyTask() {
    }

    /** Ends a loop whose query was cancelled: nobody else can. */
    public static void goOn() {
        TaskContext task = TaskContext.get();
        if (task != null && task.isInterrupted()) {
            throw new org.apache.spark.TaskKilledException("the query was cancelled");
        }
    }
}
