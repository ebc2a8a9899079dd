package notebookudf;

import java.util.Map;

/**
 * The class of a function, as the bytes that travel with a query: a JVM makes it once, and lets go
 * of those that were not called for long.
 */
public final class PyClass implements java.io.Serializable {
    private static final long serialVersionUID = 1L;
    private static final int MOST_CLASSES = 500;
    private static final Map MADE = new Kept();

    private final String name;
    private final byte[] bytes;

    public PyClass(String name, byte[] bytes) {
        this.name = name;
        this.bytes = bytes;
    }

    /** The one object of the class. */
    public Object made() {
        synchronized (MADE) {
            Object known = MADE.get(name);
            if (known == null) {
                known = new Loader().made(name, bytes);
                MADE.put(name, known);
            }
            return known;
        }
    }

    private static final class Kept extends java.util.LinkedHashMap {
        Kept() {
            super(16, 0.75f, true);
        }

        protected boolean removeEldestEntry(Map.Entry eldest) {
            return size() > MOST_CLASSES;
        }
    }

    /** One for each class, so that it can go without the others. */
    private static final class Loader extends ClassLoader {
        Loader() {
            super(PyClass.class.getClassLoader());
        }

        Object made(String name, byte[] bytes) {
            try {
                Class found = defineClass(name, bytes, 0, bytes.length);
                return found.getConstructors()[0].newInstance(new Object[0]);
            } catch (ReflectiveOperationException never) {
                throw new IllegalStateException(never);
            }
        }
    }
}
