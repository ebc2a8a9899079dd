package notebookudf;

/** A row that this code does not answer, whatever Python does with it. */
public final class GaveUp extends RuntimeException {
    public static final GaveUp GAVE_UP = new GaveUp();

    private GaveUp() {
        super(null, null, false, false);
    }
}
