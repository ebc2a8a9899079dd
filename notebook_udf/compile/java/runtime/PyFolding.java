package notebookudf;

import java.util.ArrayList;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Function1;
import scala.collection.immutable.ArraySeq;

/**
 * What folds the rows of groups into accumulators: a function of accumulators, the first of which the
 * others are merged into, and of rows.
 */
public final class PyFolding implements java.io.Serializable {
    private static final long serialVersionUID = 1L;
    // A call costs as much as some rows: of many they share it.
    private static final int ROWS = 64;
    private static final int PARTITION = 40;
    private static final long LETTERS = 8000L;
    private static final int LETTERS_OF_A_ROW = 4;

    private final PyFunction2 function;
    final String name;
    // A row of accumulators and rows, as a group has them in the end.
    final StructType result;
    private final DataType state;
    private final DataType row;
    private transient Function1 stateOut;
    private transient Function1 rowOut;
    private transient Function1 stateIn;
    private transient UnsafeProjection bytes;
    // Groups that had a first row in this task.
    private transient long begun;

    PyFolding(PyFunction2 function, String name, StructType result) {
        this.function = function;
        this.name = name;
        this.result = result;
        this.state = ((ArrayType) result.apply(0).dataType()).elementType();
        this.row = ((ArrayType) result.apply(1).dataType()).elementType();
    }

    String header() {
        return function.header();
    }

    /** An accumulator of what was folded until now, and the rows that were not yet. */
    static final class Group {
        private ArrayList states = new ArrayList(1);
        private ArrayList rows = new ArrayList(1);
        private int most = ROWS;
        // Where its first row was: partitions in their order, and the groups of each.
        private long number;

        private void take(Group other) {
            states = other.states;
            rows = other.rows;
            most = other.most;
            number = other.number;
        }

        private boolean isEmpty() {
            return states.isEmpty() && rows.isEmpty();
        }
    }

    /** Adds a row, which stays as it is. */
    void add(Group group, Object row) {
        if (group.isEmpty()) {
            TaskContext task = TaskContext.get();
            group.number = (task == null ? 0L : (long) task.partitionId() << PARTITION) + ++begun;
        }
        group.rows.add(row);
        if (group.rows.size() >= group.most) {
            fold(group);
        }
    }

    /**
     * Adds what another part of a group has, in the order of the partitions, and of the rows in each:
     * where Spark sorts, it merges those last that came first.
     */
    void merge(Group group, Group other) {
        if (other.isEmpty()) {
            return;
        }
        if (group.isEmpty() || other.number < group.number) {
            Group before = new Group();
            before.take(group);
            group.take(other);
            other = before;
        }
        if (!other.states.isEmpty()) {
            if (!group.rows.isEmpty()) {
                fold(group);
            }
            group.states.addAll(other.states);
            if (group.states.size() > 1) {
                fold(group);
            }
        }
        group.rows.addAll(other.rows);
        if (group.rows.size() >= group.most) {
            fold(group);
        }
    }

    private void fold(Group group) {
        if (rowOut == null) {
            stateOut = PyEncoders.converter(state);
            rowOut = PyEncoders.converter(row);
            stateIn = CatalystTypeConverters.createToCatalystConverter(state);
        }
        int count = group.rows.size();
        try {
            folded(group, group.rows);
        } catch (IllegalStateException several) {
            failOfOne(group);
            throw several;
        }
        function.meter().also(count - 1L);
        InternalRow state = (InternalRow) group.states.get(0);
        group.rows.clear();
        // One that grows costs as much as it has: it is made again when as many rows have come.
        group.most = Math.max(ROWS, size(state));
    }

    /** Makes the one accumulator of those that there are, and of rows. */
    private void folded(Group group, java.util.List rows) {
        Object made = function.apply(given(group.states, stateOut), given(rows, rowOut));
        group.states.clear();
        group.states.add(stateIn.apply(made));
    }

    /** Fails of the one row that fails, if it is one: the account of a failure has its values. */
    private void failOfOne(Group group) {
        for (int i = 0; i < group.rows.size(); i++) {
            folded(group, group.rows.subList(i, i + 1));
        }
    }

    private static Object given(java.util.List values, Function1 out) {
        Object[] made = values.toArray();
        for (int i = 0; i < made.length; i++) {
            made[i] = out.apply(made[i]);
        }
        return ArraySeq.unsafeWrapArray(made);
    }

    /** How many rows an accumulator costs to make again: by what it holds, and by its digits. */
    private int size(InternalRow given) {
        StructType types = (StructType) state;
        int found = 0;
        for (int i = 0; i < types.length(); i++) {
            DataType type = types.apply(i).dataType();
            if (type instanceof ArrayType && !given.isNullAt(i)) {
                found += given.getArray(i).numElements();
            } else if (type instanceof StringType && !given.isNullAt(i)) {
                found += given.getUTF8String(i).numBytes() / LETTERS_OF_A_ROW;
            }
        }
        return found;
    }

    /** A group as it is in the end; one of long texts as an accumulator, see ``failOfOne``. */
    InternalRow whole(Group group) {
        long letters = 0L;
        for (int i = 0; i < group.rows.size() && letters <= LETTERS; i++) {
            letters += letters(group.rows.get(i));
        }
        if (letters > LETTERS) {
            fold(group);
        }
        return new GenericInternalRow(new Object[] {array(group.states), array(group.rows)});
    }

    private static long letters(Object value) {
        if (value instanceof UTF8String) {
            return ((UTF8String) value).numBytes();
        }
        if (!(value instanceof GenericInternalRow)) {
            return value instanceof UnsafeRow ? ((UnsafeRow) value).getSizeInBytes() : 0L;
        }
        long found = 0L;
        Object[] parts = ((GenericInternalRow) value).values();
        for (int i = 0; i < parts.length; i++) {
            found += letters(parts[i]);
        }
        return found;
    }

    private static ArrayData array(ArrayList values) {
        return new GenericArrayData(values.toArray());
    }

    byte[] serialized(Group group) {
        if (bytes == null) {
            bytes = UnsafeProjection.create(result.add("number", DataTypes.LongType));
        }
        Object number = Long.valueOf(group.number);
        Object[] kept = new Object[] {array(group.states), array(group.rows), number};
        // The row's bytes are written over by the next, of another call of the same function.
        return bytes.apply(new GenericInternalRow(kept)).copy().getBytes();
    }

    /** A group of bytes that are nobody else's. */
    Group deserialized(byte[] given) {
        UnsafeRow read = new UnsafeRow(3);
        read.pointTo(given, given.length);
        Group group = new Group();
        take(group.states, read.getArray(0), state);
        take(group.rows, read.getArray(1), row);
        group.number = read.getLong(2);
        for (int i = 0; i < group.states.size(); i++) {
            group.most = Math.max(group.most, size((InternalRow) group.states.get(i)));
        }
        return group;
    }

    private static void take(ArrayList into, ArrayData from, DataType type) {
        for (int i = 0; i < from.numElements(); i++) {
            into.add(from.isNullAt(i) ? null : from.get(i, type));
        }
    }
}
