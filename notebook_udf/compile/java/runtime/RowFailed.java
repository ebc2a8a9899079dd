package notebookudf;

import org.apache.spark.TaskContext;

/**
 * A row on which the Python function raises: the kernel calls it there with these values.
 *
 * What is thrown is of a class of Java's own: the threads in which Spark reads how a task failed do
 * not see the classes of its sessions.
 */
public final class RowFailed {
    private static final int MOST_LETTERS = 20000;
    private static final String HEAD = "[notebook-udf row ";

    private RowFailed() {
    }

    public static IllegalStateException of(String name, Object[] values) {
        return new IllegalStateException(said(name, values));
    }

    /** The same, with the number of the row in its task; any other exception is left as it is. */
    public static IllegalStateException at(IllegalStateException failed, long row) {
        String said = String.valueOf(failed.getMessage());
        if (!said.startsWith(HEAD) || TaskContext.get() == null) {
            return failed;
        }
        return new IllegalStateException(said.replaceFirst(" #", " " + row));
    }

    private static String said(String name, Object[] values) {
        StringBuilder made = new StringBuilder(HEAD).append(name);
        TaskContext task = TaskContext.get();
        if (task == null) {
            made.append(" - - - - -");
        } else {
            made.append(' ').append(task.stageId()).append(' ').append(task.partitionId());
            made.append(' ').append(task.attemptNumber());
            made.append(' ').append(task.taskAttemptId());
            String query = task.getLocalProperty("spark.sql.execution.id");
            made.append(' ').append(query == null ? "-" : query);
        }
        made.append(" #");
        for (int i = 0; i < values.length; i++) {
            made.append(' ').append(encoded(values[i]));
        }
        return made.append(']').toString();
    }

    /** What a list, a dict or a row holds, in brackets: keys and values in turn. */
    private static String within(String kind, scala.collection.Iterator each) {
        StringBuilder made = new StringBuilder(kind).append('(');
        while (each.hasNext() && made.length() < MOST_LETTERS) {
            Object one = each.next();
            if (one instanceof scala.Tuple2) {
                made.append(encoded(((scala.Tuple2) one)._1())).append(',');
                one = ((scala.Tuple2) one)._2();
            }
            String said = encoded(one);
            if (said.equals("x")) {
                return "x";
            }
            made.append(said).append(',');
        }
        return each.hasNext() ? "x" : made.append(')').toString();
    }

    /** An argument's row has names (kind r), an answer's has none (u). */
    private static String within(org.apache.spark.sql.Row row) {
        String[] names = row.schema() == null ? null : row.schema().fieldNames();
        StringBuilder made = new StringBuilder(names == null ? "u(" : "r(");
        for (int i = 0; i < row.length() && made.length() < MOST_LETTERS; i++) {
            String said = encoded(row.get(i));
            if (said.equals("x")) {
                return "x";
            }
            if (names != null) {
                made.append(encoded(names[i])).append(',');
            }
            made.append(said).append(',');
        }
        return made.length() < MOST_LETTERS ? made.append(')').toString() : "x";
    }

    private static String base64(byte[] bytes) {
        return java.util.Base64.getUrlEncoder().encodeToString(bytes);
    }

    /** A value as text without spaces; x if it has none. */
    static String encoded(Object value) {
        if (value == null) {
            return "n";
        }
        if (value instanceof Boolean) {
            return ((Boolean) value).booleanValue() ? "b1" : "b0";
        }
        if (value instanceof Double || value instanceof Float) {
            return "f" + Double.doubleToRawLongBits(((Number) value).doubleValue());
        }
        if (value instanceof String && ((String) value).length() > MOST_LETTERS) {
            return "x";
        }
        if (value instanceof String) {
            return "s" + base64(((String) value).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        if (value instanceof byte[]) {
            return ((byte[]) value).length > MOST_LETTERS ? "x" : "y" + base64((byte[]) value);
        }
        if (value instanceof scala.collection.Map) {
            return within("m", ((scala.collection.Map) value).iterator());
        }
        if (value instanceof scala.collection.Seq) {
            return within("l", ((scala.collection.Seq) value).iterator());
        }
        if (value instanceof java.util.List) {
            java.util.List list = (java.util.List) value;
            return within("l", scala.jdk.javaapi.CollectionConverters.asScala(list).iterator());
        }
        if (value instanceof java.util.Map) {
            java.util.Map map = (java.util.Map) value;
            return within("m", scala.jdk.javaapi.CollectionConverters.asScala(map).iterator());
        }
        if (value instanceof org.apache.spark.sql.Row) {
            return within((org.apache.spark.sql.Row) value);
        }
        if (value instanceof java.math.BigDecimal) {
            return "d" + value;
        }
        if (value instanceof java.sql.Date) {
            return "t" + ((java.sql.Date) value).toLocalDate();
        }
        if (value instanceof java.time.LocalDate) {
            return "t" + value;
        }
        if (value instanceof java.time.LocalDateTime) {
            int year = ((java.time.LocalDateTime) value).getYear();
            return year < 1 || year > 9999 ? "x" : "w" + value;
        }
        if (value instanceof java.time.Instant) {
            java.time.Instant instant = (java.time.Instant) value;
            return "z" + instant.getEpochSecond() + ";" + instant.getNano() / 1000;
        }
        return value instanceof Number ? "i" + value : "x";
    }
}
