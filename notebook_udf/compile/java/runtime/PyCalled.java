package notebookudf;

/** A function as Spark's plans hold it. */
public interface PyCalled {
    /** What the kernel is to know of it, as JSON. */
    String header();
}
