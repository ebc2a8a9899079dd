package notebookudf;

import java.util.ArrayList;
import java.util.Collection;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.PythonUDF;
import org.apache.spark.sql.catalyst.expressions.ScalaUDF;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.QueryPlan;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.Iterator;

/** Finds the calls of functions in plans. */
public final class PyPlan {
    public PyPlan() {
    }

    /** For each call in an operator Spark's text of it, and what is known of the function. */
    public ArrayList calls(SparkPlan operator) {
        ArrayList found = new ArrayList();
        for (Iterator each = operator.expressions().iterator(); each.hasNext();) {
            add(found, (Expression) each.next());
        }
        return found;
    }

    /** Whether an analysed plan calls one of these functions in Python. */
    public Boolean isInPython(QueryPlan plan, Collection names) {
        for (Iterator each = plan.expressions().iterator(); each.hasNext();) {
            if (callsInPython((Expression) each.next(), names)) {
                return Boolean.TRUE;
            }
        }
        for (Iterator each = plan.children().iterator(); each.hasNext();) {
            if (isInPython((QueryPlan) each.next(), names).booleanValue()) {
                return Boolean.TRUE;
            }
        }
        return Boolean.FALSE;
    }

    private boolean callsInPython(Expression expression, Collection names) {
        if (expression instanceof PythonUDF && names.contains(((PythonUDF) expression).name())) {
            return true;
        }
        if (expression instanceof PlanExpression
                && isInPython(((PlanExpression) expression).plan(), names).booleanValue()) {
            return true;
        }
        for (Iterator each = expression.children().iterator(); each.hasNext();) {
            if (callsInPython((Expression) each.next(), names)) {
                return true;
            }
        }
        return false;
    }

    private static void add(ArrayList found, Expression expression) {
        if (expression instanceof AggregateExpression && merges((AggregateExpression) expression)) {
            return;
        }
        Object called = expression instanceof ScalaUDF
            ? ((ScalaUDF) expression).function() : expression;
        if (called instanceof PyCalled) {
            found.add(expression.toString());
            found.add(((PyCalled) called).header());
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
