package notebookudf;

/** Thrown where Python raises an exception, whichever that is. */
public final class Raised extends RuntimeException {
    public static final Raised RAISED = new Raised();

    private Raised() {
        super("Python raises here", null, false, false);
    }
}
