package notebookudf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression;
import org.apache.spark.sql.catalyst.expressions.ScalaUDF;
import org.apache.spark.sql.execution.python.UserDefinedPythonFunction;
import org.apache.spark.sql.types.DataType;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/**
 * Makes the expression of a call: of the function in Java where parameters are given by their
 * places, else of the function in Python, which knows names. A function has a class for so many
 * arguments as its types are declared of; other calls have a class by the types of their arguments,
 * if it was given one: until then the call is of the function in Python, and its types are wanted.
 */
public final class PyBuilder extends scala.runtime.AbstractFunction1 {
    private final String name;
    private final String identity;
    private final int needed;
    private final int parameters;
    private final DataType result;
    private final UserDefinedPythonFunction inPython;
    private final String header;
    private final ArrayList nested;
    private final HashMap sources = new HashMap();
    private final LinkedHashSet wanted = new LinkedHashSet();
    private int held;

    public PyBuilder(String name, String identity, Integer needed, Integer parameters,
            DataType result, UserDefinedPythonFunction inPython, String header, ArrayList nested) {
        this.name = name;
        this.identity = identity;
        this.needed = needed.intValue();
        this.parameters = parameters.intValue();
        this.result = result;
        this.inPython = inPython;
        this.header = header;
        this.nested = nested;
    }

    /** Has calls be of a class: those with so many arguments, or of these types. */
    public synchronized void add(String calls, PySource source) {
        sources.put(calls, source);
    }

    /** Whether there is a class for such calls, and it compiles. */
    public synchronized boolean compiles(String calls, Integer count) {
        PySource source = (PySource) sources.get(calls);
        return source != null && source.function(count.intValue(), header) != null;
    }

    public Object apply(Object given) {
        Seq arguments = (Seq) given;
        boolean named = hasNames(arguments);
        if (!named && (arguments.length() < needed || arguments.length() > parameters)) {
            // What PySpark would find out in a worker.
            throw new IllegalArgumentException(
                "[notebook-udf arguments " + identity + " " + arguments.length() + "]");
        }
        Object function = named ? null : inPython == null ? found(arguments) : function(arguments);
        if (function == null && inPython == null) {
            throw new IllegalStateException(name + " has no class for such a call");
        }
        if (function == null) {
            return inPython.builder(arguments);
        }
        return call(function, arguments);
    }

    /** The call, if there is a class for arguments that are given by their places; else null. */
    Expression ofTypes(Seq arguments) {
        for (int at = 0; at < arguments.length(); at++) {
            if (!((Expression) arguments.apply(at)).resolved()) {
                return null;
            }
        }
        Object function = hasNames(arguments) ? null : function(arguments);
        return function == null ? null : call(function, arguments);
    }

    private Expression call(Object function, Seq arguments) {
        return new ScalaUDF(function, result, arguments, encoders(arguments),
            scala.Option.empty(), scala.Option.apply(name), true, true);
    }

    /** The types of calls that were of the function in Python since the last time; JSON each. */
    public synchronized ArrayList wanted() {
        ArrayList found = new ArrayList(wanted);
        wanted.clear();
        return found;
    }

    /** Has calls be of the function in Python, until that was ended as often as it was begun. */
    public synchronized void hold(Boolean begins) {
        held += begins.booleanValue() ? 1 : -1;
    }

    private synchronized Object function(Seq arguments) {
        return held > 0 ? null : found(arguments);
    }

    private synchronized Object found(Seq arguments) {
        PySource source = (PySource) sources.get(Integer.toString(arguments.length()));
        if (source != null && fit(arguments)) {
            return source.function(arguments.length(), header);
        }
        String types = types(arguments);
        source = (PySource) sources.get(types);
        if (source != null) {
            return source.function(arguments.length(), header);
        }
        if (types != null) {
            wanted.add(types);
        }
        return null;
    }

    /**
     * Whether arrays, maps and rows are of the types that are declared (null for others): Python is
     * given what they are.
     */
    private boolean fit(Seq arguments) {
        for (int at = 0; at < arguments.length() && at < nested.size(); at++) {
            Expression each = (Expression) arguments.apply(at);
            DataType declared = (DataType) nested.get(at);
            if (declared != null && each.resolved()
                    && !declared.asNullable().equals(each.dataType().asNullable())) {
                return false;
            }
        }
        return true;
    }

    /** The types of arguments, null where they are not known. */
    private static String types(Seq arguments) {
        StringBuilder found = new StringBuilder("[");
        for (int at = 0; at < arguments.length(); at++) {
            Expression each = (Expression) arguments.apply(at);
            if (!each.resolved()) {
                return null;
            }
            // What is never null answers as what may be.
            found.append(at == 0 ? "" : ",").append(each.dataType().asNullable().json());
        }
        return found.append("]").toString();
    }

    /**
     * Dates come as LocalDate: java.sql.Date has none of the ten days that October 1582 left out.
     * Timestamps come as Instant, for the same reason.
     */
    private static Seq encoders(Seq arguments) {
        Seq made = (Seq) Nil$.MODULE$;
        boolean any = false;
        for (int at = arguments.length() - 1; at >= 0; at--) {
            Expression each = (Expression) arguments.apply(at);
            Object encoder = each.resolved() ? PyEncoders.of(each.dataType()) : null;
            any = any || encoder != null;
            made = (Seq) made.prepended(scala.Option.apply(encoder));
        }
        return any ? made : (Seq) Nil$.MODULE$;
    }

    private static boolean hasNames(Seq arguments) {
        for (int at = 0; at < arguments.length(); at++) {
            if (arguments.apply(at) instanceof NamedArgumentExpression) {
                return true;
            }
        }
        return false;
    }
}
