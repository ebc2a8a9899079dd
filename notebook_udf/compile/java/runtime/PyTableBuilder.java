package notebookudf;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Inline;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.execution.python.UserDefinedPythonTableFunction;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/**
 * Makes the rows of a call of a table function: of the list that it gives in Java where there is one
 * for the arguments, else of the function in Python.
 */
public final class PyTableBuilder extends scala.runtime.AbstractFunction1 {
    private final PyBuilder lists;
    private final UserDefinedPythonTableFunction inPython;
    private final ParserInterface parser;

    public PyTableBuilder(PyBuilder lists, UserDefinedPythonTableFunction inPython,
            ParserInterface parser) {
        this.lists = lists;
        this.inPython = inPython;
        this.parser = parser;
    }

    public Object apply(Object given) {
        Expression list = lists.ofTypes((Seq) given);
        if (list == null) {
            return inPython.builder((Seq) given, new PyGiven(parser));
        }
        Seq none = (Seq) Nil$.MODULE$;
        return new Generate(new Inline(list), none, false, scala.Option.empty(), none,
            new OneRowRelation());
    }
}
