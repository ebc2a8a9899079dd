package notebookudf;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.types.DataType;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** A call of a folding, as an aggregate of Spark's. */
public final class PyFold extends TypedImperativeAggregate
        implements PyCalled, java.io.Serializable {
    private static final long serialVersionUID = 1L;

    private final Seq arguments;
    private final PyFolding folding;
    private final int mutableOffset;
    private final int inputOffset;
    private transient Expression[] values;

    PyFold(Seq arguments, PyFolding folding, int mutableOffset, int inputOffset) {
        this.arguments = arguments;
        this.folding = folding;
        this.mutableOffset = mutableOffset;
        this.inputOffset = inputOffset;
    }

    public String header() {
        return folding.header();
    }

    public Object createAggregationBuffer() {
        return new PyFolding.Group();
    }

    public Object update(Object group, InternalRow input) {
        if (values == null) {
            values = new Expression[arguments.length()];
            for (int i = 0; i < values.length; i++) {
                values[i] = (Expression) arguments.apply(i);
            }
        }
        Object row;
        if (values.length == 1) {
            // What is read belongs to Spark, which uses it again.
            row = InternalRow.copyValue(values[0].eval(input));
        } else {
            Object[] made = new Object[values.length];
            for (int i = 0; i < made.length; i++) {
                made[i] = InternalRow.copyValue(values[i].eval(input));
            }
            row = new GenericInternalRow(made);
        }
        folding.add((PyFolding.Group) group, row);
        return group;
    }

    public Object merge(Object group, Object other) {
        folding.merge((PyFolding.Group) group, (PyFolding.Group) other);
        return group;
    }

    public Object eval(Object group) {
        return folding.whole((PyFolding.Group) group);
    }

    public byte[] serialize(Object group) {
        return folding.serialized((PyFolding.Group) group);
    }

    public Object deserialize(byte[] bytes) {
        return folding.deserialized(bytes);
    }

    public boolean nullable() {
        return false;
    }

    public DataType dataType() {
        return folding.result;
    }

    public String prettyName() {
        return folding.name;
    }

    public Seq children() {
        return arguments;
    }

    public TreeNode withNewChildrenInternal(IndexedSeq given) {
        return new PyFold(given, folding, mutableOffset, inputOffset);
    }

    public int mutableAggBufferOffset() {
        return mutableOffset;
    }

    public ImperativeAggregate withNewMutableAggBufferOffset(int offset) {
        return new PyFold(arguments, folding, offset, inputOffset);
    }

    public int inputAggBufferOffset() {
        return inputOffset;
    }

    public ImperativeAggregate withNewInputAggBufferOffset(int offset) {
        return new PyFold(arguments, folding, mutableOffset, offset);
    }

    public int productArity() {
        return 1;
    }

    public Object productElement(int place) {
        return arguments;
    }

    public boolean canEqual(Object other) {
        return other instanceof PyFold;
    }

    public boolean equals(Object other) {
        return other instanceof PyFold && ((PyFold) other).folding == folding
            && ((PyFold) other).arguments.equals(arguments)
            && ((PyFold) other).mutableOffset == mutableOffset
            && ((PyFold) other).inputOffset == inputOffset;
    }

    public int hashCode() {
        return arguments.hashCode();
    }
}
