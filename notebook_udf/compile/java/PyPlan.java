package notebookudf;

import java.util.ArrayList;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ScalaUDF;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.Iterator;

/** Finds the calls of functions in an operator of a plan. */
public final class PyPlan {
    public PyPlan() {
    }

    /** For each call Spark's text of it, and what is known of the function. */
    public ArrayList calls(SparkPlan operator) {
        ArrayList found = new ArrayList();
        for (Iterator each = operator.expressions().iterator(); each.hasNext();) {
            add(found, (Expression) each.next());
        }
        return found;
    }

    private static void add(ArrayList found, Expression expression) {
        if (expression instanceof AggregateExpression && merges((AggregateExpression) expression)) {
            return;
        }
        if (expression instanceof ScalaUDF) {
            Object function = ((ScalaUDF) expression).function();
            if (function instanceof PyCalled) {
                found.add(expression.toString());
                found.add(((PyCalled) function).header());
            }
        }
        for (Iterator each = expression.children().iterator(); each.hasNext();) {
            add(found, (Expression) each.next());
        }
    }

    /** Whether an aggregate is of what others have computed, and so calls nothing. */
    private static boolean merges(AggregateExpression aggregate) {
        String mode = aggregate.mode().toString();
        return mode.equals("Final") || mode.equals("PartialMerge");
    }
}
