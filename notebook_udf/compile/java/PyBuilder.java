package notebookudf;

import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.catalyst.encoders.AgnosticEncoder;
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedArgumentExpression;
import org.apache.spark.sql.catalyst.expressions.ScalaUDF;
import org.apache.spark.sql.execution.python.UserDefinedPythonFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.codehaus.janino.SimpleCompiler;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/**
 * Makes the expression of a call: of the function in Java where each parameter is given by its
 * place, else of the function in Python, which knows names and defaults. The first call has the
 * class compiled.
 */
public final class PyBuilder extends scala.runtime.AbstractFunction1 {
    private final String name;
    private final int needed;
    private final int parameters;
    private final DataType result;
    private final UserDefinedPythonFunction inPython;
    private final PyMeter meter;
    private final String className;
    private final String header;
    private String source;
    private Object function;
    private String failure;

    public PyBuilder(String name, Integer needed, Integer parameters, DataType result,
            UserDefinedPythonFunction inPython, PyMeter meter, String className, String header,
            String source) {
        this.name = name;
        this.needed = needed.intValue();
        this.parameters = parameters.intValue();
        this.result = result;
        this.inPython = inPython;
        this.meter = meter;
        this.className = className;
        this.header = header;
        this.source = source;
    }

    public Object apply(Object given) {
        Seq arguments = (Seq) given;
        boolean named = hasNames(arguments);
        if (!named && (arguments.length() < needed || arguments.length() > parameters)) {
            // What PySpark would find out in a worker.
            throw new IllegalArgumentException("[notebook-udf arguments "
                + className.substring(className.indexOf('.') + 1) + " " + arguments.length() + "]");
        }
        if (named || arguments.length() != parameters || !isCompiled()) {
            return inPython.builder(arguments);
        }
        return new ScalaUDF(function, result, arguments, encoders(arguments),
            scala.Option.empty(), scala.Option.apply(name), true, true);
    }

    /** What the compiler had against the source; "" for nothing, null if it was not asked yet. */
    public synchronized String failure() {
        return failure;
    }

    private synchronized boolean isCompiled() {
        if (source != null) {
            try {
                function = compiled();
                failure = "";
            } catch (Exception refused) {
                failure = String.valueOf(refused);
            } catch (StackOverflowError refused) {
                failure = String.valueOf(refused);
            }
            source = null;
        }
        return function != null;
    }

    private Object compiled() throws Exception {
        ClassLoader library = PyBuilder.class.getClassLoader();
        SimpleCompiler compiler = new SimpleCompiler();
        compiler.setParentClassLoader(library);
        compiler.cook(source);
        PyClass made = new PyClass(className, (byte[]) compiler.getBytecodes().get(className));
        Class called = library.loadClass("notebookudf.PyFunction" + parameters);
        return called.getConstructors()[0].newInstance(new Object[] {made, meter, header});
    }

    /** Dates come as LocalDate: java.sql.Date has none of the ten days that October 1582 left out. */
    private static Seq encoders(Seq arguments) {
        Seq made = (Seq) Nil$.MODULE$;
        boolean hasDates = false;
        for (int at = arguments.length() - 1; at >= 0; at--) {
            Expression each = (Expression) arguments.apply(at);
            Object encoder = null;
            if (each.resolved() && each.dataType() instanceof DateType) {
                encoder = ExpressionEncoder.apply((AgnosticEncoder) Encoders.LOCALDATE());
                hasDates = true;
            }
            made = (Seq) made.prepended(scala.Option.apply(encoder));
        }
        return hasDates ? made : (Seq) Nil$.MODULE$;
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
