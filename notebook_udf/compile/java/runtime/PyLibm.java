package notebookudf;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/**
 * Functions of the machine's C library, which Python's math calls too: Java's own may differ in the
 * last digit. They are found by reflection, as each Java has them elsewhere; where one has none, the
 * fields are null, and no function is compiled to use them.
 */
public final class PyLibm {
    public static final DoubleUnaryOperator SIN = unary("sin");
    public static final DoubleUnaryOperator COS = unary("cos");
    public static final DoubleUnaryOperator TAN = unary("tan");
    public static final DoubleUnaryOperator ASIN = unary("asin");
    public static final DoubleUnaryOperator ACOS = unary("acos");
    public static final DoubleUnaryOperator ATAN = unary("atan");
    public static final DoubleUnaryOperator SINH = unary("sinh");
    public static final DoubleUnaryOperator COSH = unary("cosh");
    public static final DoubleUnaryOperator TANH = unary("tanh");
    public static final DoubleUnaryOperator ASINH = unary("asinh");
    public static final DoubleUnaryOperator ACOSH = unary("acosh");
    public static final DoubleUnaryOperator ATANH = unary("atanh");
    public static final DoubleUnaryOperator EXP = unary("exp");
    public static final DoubleUnaryOperator EXP2 = unary("exp2");
    public static final DoubleUnaryOperator EXPM1 = unary("expm1");
    public static final DoubleUnaryOperator LOG = unary("log");
    public static final DoubleUnaryOperator LOG2 = unary("log2");
    public static final DoubleUnaryOperator LOG10 = unary("log10");
    public static final DoubleUnaryOperator LOG1P = unary("log1p");
    public static final DoubleUnaryOperator CBRT = unary("cbrt");
    public static final DoubleUnaryOperator ERF = unary("erf");
    public static final DoubleUnaryOperator ERFC = unary("erfc");
    public static final DoubleBinaryOperator ATAN2 = binary("atan2");
    public static final DoubleBinaryOperator POW = binary("pow");
    public static final DoubleBinaryOperator FMOD = binary("fmod");
    // Between these no rounding error of a product is too small for a double.
    private static final double LEAST = 0x1p-900;
    private static final double MOST = 0x1p900;

    public PyLibm() {
    }

    /** What one of them answers to doubles, or to pairs of these; null if there is none. */
    public byte[] answers(String name, Boolean isOfPairs, byte[] given) throws Exception {
        Object function = PyLibm.class.getField(name).get(null);
        if (function == null) {
            return null;
        }
        ByteBuffer taken = ByteBuffer.wrap(given);
        ByteBuffer made = ByteBuffer.allocate(given.length);
        while (taken.hasRemaining()) {
            double x = taken.getDouble();
            if (isOfPairs.booleanValue()) {
                made.putDouble(((DoubleBinaryOperator) function).applyAsDouble(x, taken.getDouble()));
            } else {
                made.putDouble(((DoubleUnaryOperator) function).applyAsDouble(x));
            }
        }
        return made.array();
    }

    /** A function that may raise a ValueError, or an OverflowError where the result is too large. */
    public static double of(DoubleUnaryOperator function, double x, boolean overflows) {
        double found = function.applyAsDouble(x);
        if (Double.isNaN(found) && !Double.isNaN(x)) {
            throw Raised.VALUE;
        }
        if (Double.isInfinite(found) && !Double.isInfinite(x) && !Double.isNaN(x)) {
            throw overflows ? Raised.OVERFLOW : Raised.VALUE;
        }
        return found;
    }

    /** A logarithm: of what is not positive, a ValueError. */
    public static double logarithm(DoubleUnaryOperator function, double x) {
        if (x <= 0.0) {
            throw Raised.VALUE;
        }
        return function.applyAsDouble(x);
    }

    /** An int as a double; one that is too large has a logarithm all the same. */
    public static double ofInt(Object x) {
        try {
            return PyNumber.asDouble(x);
        } catch (Raised large) {
            throw GaveUp.GAVE_UP;
        }
    }

    /** math.pow(x, y). */
    public static double pow(double x, double y) {
        double found = POW.applyAsDouble(x, y);
        if (isFinite(x) && isFinite(y) && !isFinite(found)) {
            throw Double.isNaN(found) || x == 0.0 ? Raised.VALUE : Raised.OVERFLOW;
        }
        return found;
    }

    /** math.fmod(x, y). */
    public static double fmod(double x, double y) {
        if (Double.isInfinite(y) && isFinite(x)) {
            return x;
        }
        double found = FMOD.applyAsDouble(x, y);
        if (Double.isNaN(found) && !Double.isNaN(x) && !Double.isNaN(y)) {
            throw Raised.VALUE;
        }
        return found;
    }

    /** x ** y of floats. */
    public static double power(double x, double y) {
        if (y == 0.0 || x == 1.0) {
            return 1.0;
        }
        if (!isFinite(x) || !isFinite(y)) {
            return POW.applyAsDouble(x, y);
        }
        if (x == 0.0 && y < 0.0) {
            throw Raised.ZERO;
        }
        if (x < 0.0 && y != Math.floor(y)) {
            // A complex number.
            throw GaveUp.GAVE_UP;
        }
        double near = y == 2.0 ? square(x) : y == 0.5 ? root(x) : Double.NaN;
        double found = near == near ? near : POW.applyAsDouble(x, y);
        if (!isFinite(found)) {
            throw Raised.OVERFLOW;
        }
        return found;
    }

    /**
     * x * x where the C library's pow has to give the same; NaN elsewhere. Its result is off by less
     * than 0.6 units in the last place, so it is the nearest double wherever the exact square is no
     * more than 0.4 units from that.
     */
    private static double square(double x) {
        double found = x * x;
        double off = Math.abs(Math.fma(x, x, -found));
        return found > LEAST && found < MOST && off <= 0.4 * Math.ulp(found) ? found : Double.NaN;
    }

    /** The same of a square root, which is half of what is left over as far off. */
    private static double root(double x) {
        double found = Math.sqrt(x);
        double off = Math.abs(Math.fma(-found, found, x)) / (2.0 * found);
        return x > LEAST && x < MOST && off <= 0.4 * Math.ulp(found) ? found : Double.NaN;
    }

    /** x ** y of ints. */
    public static Object powerOfInts(Object x, Object y) {
        if (PyNumber.count(y) < 0L) {
            return Double.valueOf(power(PyNumber.asDouble(x), PyNumber.asDouble(y)));
        }
        return PyNumber.power(x, y);
    }

    private static boolean isFinite(double x) {
        return !Double.isNaN(x) && !Double.isInfinite(x);
    }

    private static DoubleUnaryOperator unary(String name) {
        Object handle = handle(name, 1);
        return handle == null ? null : (DoubleUnaryOperator) MethodHandleProxies.asInterfaceInstance(
            DoubleUnaryOperator.class, (MethodHandle) handle);
    }

    private static DoubleBinaryOperator binary(String name) {
        Object handle = handle(name, 2);
        return handle == null ? null : (DoubleBinaryOperator) MethodHandleProxies.asInterfaceInstance(
            DoubleBinaryOperator.class, (MethodHandle) handle);
    }

    private static Object handle(String name, int count) {
        try {
            return ofJava21(name, count);
        } catch (ReflectiveOperationException absent) {
            try {
                return ofJava17(name, count);
            } catch (ReflectiveOperationException alsoAbsent) {
                return null;
            }
        }
    }

    private static Object ofJava21(String name, int count) throws ReflectiveOperationException {
        Class linkers = Class.forName("java.lang.foreign.Linker");
        Class options = Class.forName("[Ljava.lang.foreign.Linker$Option;");
        Class addresses = Class.forName("java.lang.foreign.MemorySegment");
        Class lookups = Class.forName("java.lang.foreign.SymbolLookup");
        Object linker = call(linkers, "nativeLinker", new Class[0], null, new Object[0]);
        Object lookup = call(linkers, "defaultLookup", new Class[0], linker, new Object[0]);
        Object address = address(lookups, "find", lookup, name);
        Object real = Class.forName("java.lang.foreign.ValueLayout").getField("JAVA_DOUBLE").get(null);
        Class shapes = Class.forName("java.lang.foreign.FunctionDescriptor");
        Object shape = shape(shapes, Class.forName("java.lang.foreign.MemoryLayout"), real, count);
        Object none = Array.newInstance(options.getComponentType(), 0);
        return call(linkers, "downcallHandle", new Class[] {addresses, shapes, options}, linker,
            new Object[] {address, shape, none});
    }

    private static Object ofJava17(String name, int count) throws ReflectiveOperationException {
        Class linkers = Class.forName("jdk.incubator.foreign.CLinker");
        Class addresses = Class.forName("jdk.incubator.foreign.Addressable");
        Class lookups = Class.forName("jdk.incubator.foreign.SymbolLookup");
        Object linker = call(linkers, "getInstance", new Class[0], null, new Object[0]);
        Object lookup = call(linkers, "systemLookup", new Class[0], null, new Object[0]);
        Object address = address(lookups, "lookup", lookup, name);
        Object real = linkers.getField("C_DOUBLE").get(null);
        Class shapes = Class.forName("jdk.incubator.foreign.FunctionDescriptor");
        Object shape = shape(shapes, Class.forName("jdk.incubator.foreign.MemoryLayout"), real, count);
        Class[] reals = new Class[count];
        java.util.Arrays.fill(reals, Double.TYPE);
        return call(linkers, "downcallHandle", new Class[] {addresses, MethodType.class, shapes},
            linker, new Object[] {address, MethodType.methodType(Double.TYPE, reals), shape});
    }

    private static Object address(Class lookups, String method, Object lookup, String name)
            throws ReflectiveOperationException {
        Object found = call(
            lookups, method, new Class[] {String.class}, lookup, new Object[] {name});
        if (!((Optional) found).isPresent()) {
            throw new NoSuchMethodException(name);
        }
        return ((Optional) found).get();
    }

    private static Object shape(Class shapes, Class layouts, Object real, int count)
            throws ReflectiveOperationException {
        Object given = Array.newInstance(layouts, count);
        for (int at = 0; at < count; at++) {
            Array.set(given, at, real);
        }
        return call(shapes, "of", new Class[] {layouts, given.getClass()}, null,
            new Object[] {real, given});
    }

    private static Object call(Class owner, String name, Class[] types, Object on, Object[] given)
            throws ReflectiveOperationException {
        return owner.getMethod(name, types).invoke(on, given);
    }
}
