package notebookudf;

import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.encoders.AgnosticEncoder;
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder;
import org.apache.spark.sql.catalyst.encoders.RowEncoder$;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampType;
import scala.Function1;

/**
 * How days and times are taken from Spark: as classes of java.time, within lists, dicts and rows as
 * well. The older classes that Spark gives unless it is told otherwise lack ten days of 1582, and
 * are of the time zone of the JVM.
 */
final class PyEncoders extends scala.runtime.AbstractFunction0 {
    private static final String JAVA_TIME = "spark.sql.datetime.java8API.enabled";

    private final DataType type;
    private final boolean converts;

    private PyEncoders(DataType type, boolean converts) {
        this.type = type;
        this.converts = converts;
    }

    /** What takes values of a type; null where Spark's own way is right. */
    static Object of(DataType type) {
        if (type instanceof DateType) {
            return ExpressionEncoder.apply((AgnosticEncoder) Encoders.LOCALDATE());
        }
        if (type instanceof TimestampType) {
            return ExpressionEncoder.apply((AgnosticEncoder) Encoders.INSTANT());
        }
        return holdsTimes(type) ? asked(new PyEncoders(type, false)) : null;
    }

    /** What takes values of a type as Spark keeps them. */
    static Function1 converter(DataType type) {
        return (Function1) asked(new PyEncoders(type, true));
    }

    private static Object asked(PyEncoders question) {
        // For this question alone: the session's own are not changed.
        SQLConf conf = new SQLConf();
        conf.setConfString(JAVA_TIME, "true");
        return SQLConf.withExistingConf(conf, question);
    }

    public Object apply() {
        if (converts) {
            return CatalystTypeConverters.createToScalaConverter(type);
        }
        return ExpressionEncoder.apply(RowEncoder$.MODULE$.encoderForDataType(type, false));
    }

    private static boolean holdsTimes(DataType type) {
        if (type instanceof ArrayType) {
            return holdsTimes(((ArrayType) type).elementType());
        }
        if (type instanceof MapType) {
            return holdsTimes(((MapType) type).keyType()) || holdsTimes(((MapType) type).valueType());
        }
        if (type instanceof StructType) {
            StructType row = (StructType) type;
            for (int at = 0; at < row.length(); at++) {
                if (holdsTimes(row.apply(at).dataType())) {
                    return true;
                }
            }
            return false;
        }
        return type instanceof DateType || type instanceof TimestampType;
    }
}
