package notebookudf;

/** An exception of Python's: which of the common ones it is, if that is known. */
public final class Raised extends RuntimeException {
    // Bits, which compile.java.writing.exceptions knows as well.
    public static final Raised TYPE = new Raised(1);
    public static final Raised VALUE = new Raised(2);
    public static final Raised INDEX = new Raised(4);
    public static final Raised KEY = new Raised(8);
    public static final Raised ZERO = new Raised(16);
    public static final Raised ATTRIBUTE = new Raised(32);
    public static final Raised OVERFLOW = new Raised(64);
    /** One of VALUE's, which a handler may ask for by its own name. */
    public static final Raised JSON = new Raised(128);
    public static final Raised OS = new Raised(256);
    /** One of VALUE's, as are those of base64. */
    public static final Raised UNICODE = new Raised(512);
    public static final Raised BASE64 = new Raised(1024);
    public static final Raised ENCODE = new Raised(2048);
    /** A Decimal's InvalidOperation. */
    public static final Raised INVALID = new Raised(4096);
    /** One of ZERO's, of Decimals. */
    public static final Raised DIVISION = new Raised(8192);
    /** One of VALUE's. */
    public static final Raised STATISTICS = new Raised(16384);
    /** Of no type that is known. */
    public static final Raised RAISED = new Raised(0);
    private static final int ALL = -1;

    private final int bit;
    private final String text;
    /** Of a class that not all functions know. */
    private final String name;

    private Raised(int bit) {
        this(bit, null, null);
    }

    private Raised(int bit, String name, String text) {
        super(null, null, false, false);
        this.bit = bit;
        this.name = name;
        this.text = text;
    }

    /** One of a class of exceptions that a function raises itself. */
    public static Raised other(int bit, String name) {
        return new Raised(bit, name, null);
    }

    /** The same with a text; one that has a text keeps it. */
    public Raised saying(String said) {
        return text != null || said == null ? this : new Raised(bit, name, said);
    }

    /** Whether it is of one class, and says nothing yet. */
    public boolean isSilent(int type) {
        return text == null && bit == type;
    }

    /** What {@code str} gives of it; given up where that is not known. */
    public String text() {
        if (text == null) {
            throw GaveUp.GAVE_UP;
        }
        return text;
    }

    /** The name of its class in Python; of those that all know, by the places of their bits. */
    public String name(String[] names) {
        if (name != null) {
            return name;
        }
        int place = Integer.numberOfTrailingZeros(bit);
        if (place >= names.length) {
            throw GaveUp.GAVE_UP;
        }
        return names[place];
    }

    /** Whether it is of one of some types. */
    public boolean is(int types) {
        if (types == ALL) {
            return true;
        }
        if (bit == 0) {
            throw GaveUp.GAVE_UP;
        }
        return (bit & types) != 0;
    }
}
