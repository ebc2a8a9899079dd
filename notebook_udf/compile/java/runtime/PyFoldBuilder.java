package notebookudf;

import java.util.ArrayList;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Seq;

/** Makes the expression of a call of a folding, which rewritten queries make where it compiles. */
public final class PyFoldBuilder extends scala.runtime.AbstractFunction1 {
    private final String name;
    private final String header;
    private final StructType result;
    private PySource source;
    private PyFolding folding;

    public PyFoldBuilder(String name, String header, StructType result) {
        this.name = name;
        this.header = header;
        this.result = result;
    }

    /** Has calls be of a class; the types of what it folds are the folding's. */
    public synchronized void add(String calls, PySource source) {
        this.source = source;
    }

    /** Whether its class compiles. */
    public synchronized boolean compiles(String calls, Integer count) {
        PyFunction2 function = source == null ? null : (PyFunction2) source.function(2, header);
        if (function != null && folding == null) {
            folding = new PyFolding(function, name, result);
        }
        return folding != null;
    }

    public synchronized Object apply(Object given) {
        if (folding == null) {
            throw new IllegalStateException(name + " has no class");
        }
        return new PyFold((Seq) given, folding, 0, 0);
    }

    /** No call has others than the types it was made for. */
    public ArrayList wanted() {
        return new ArrayList();
    }

    /** Nothing calls it where functions are to run in workers. */
    public void hold(Boolean begins) {
    }
}
