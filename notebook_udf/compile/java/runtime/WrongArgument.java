package notebookudf;

/** A column is of a type that the function is not declared for; see RowFailed for what is thrown. */
public final class WrongArgument {
    private WrongArgument() {
    }

    public static IllegalArgumentException of(Object value, String name, int place) {
        String type = value.getClass().getSimpleName();
        return new IllegalArgumentException("[notebook-udf argument " + name + " " + place + " " + type + "]");
    }
}
