package notebookudf;

/** Gives what it was made with. */
public final class PyGiven extends scala.runtime.AbstractFunction0 {
    private final Object value;

    public PyGiven(Object value) {
        this.value = value;
    }

    public Object apply() {
        return value;
    }
}
