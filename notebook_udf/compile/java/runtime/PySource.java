package notebookudf;

import org.codehaus.janino.SimpleCompiler;

/** A class that is compiled when it is called for the first time, by whichever name of a function. */
public final class PySource {
    private final String className;
    private final PyMeter meter;
    private String source;
    private Object function;
    private String failure;

    public PySource(String className, PyMeter meter, String source) {
        this.className = className;
        this.meter = meter;
        this.source = source;
    }

    /** What Spark calls; null if it does not compile. */
    synchronized Object function(int parameters, String header) {
        if (source != null) {
            try {
                function = compiled(parameters, header);
                failure = "";
            } catch (Exception refused) {
                failure = String.valueOf(refused);
            } catch (StackOverflowError refused) {
                failure = String.valueOf(refused);
            }
            source = null;
        }
        return function;
    }

    /** What the compiler had against it; "" for nothing, null if it was not asked yet. */
    public synchronized String failure() {
        return failure;
    }

    private Object compiled(int parameters, String header) throws Exception {
        ClassLoader library = PySource.class.getClassLoader();
        SimpleCompiler compiler = new SimpleCompiler();
        compiler.setParentClassLoader(library);
        compiler.cook(source);
        PyClass made = new PyClass(className, (byte[]) compiler.getBytecodes().get(className));
        Class called = library.loadClass("notebookudf.PyFunction" + parameters);
        return called.getConstructors()[0].newInstance(new Object[] {made, meter, header});
    }
}
