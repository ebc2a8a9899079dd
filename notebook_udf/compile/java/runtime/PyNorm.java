package notebookudf;

import java.util.ArrayList;

/** math.hypot and math.dist: with what each step rounds off, in the steps of each Python. */
public final class PyNorm {
    // It takes a float apart into two of half as many bits.
    private static final double HALF = 134217729.0;

    private double sum = 1.0;
    private double first;
    private double second;
    private double third;

    private PyNorm() {
    }

    /** math.dist(one, other). */
    public static double distance(ArrayList one, ArrayList other, boolean before312) {
        if (one.size() != other.size()) {
            throw Raised.VALUE;
        }
        double[] values = new double[one.size()];
        for (int i = 0; i < values.length; i++) {
            double from = PyNumber.asDouble(one.get(i));
            values[i] = from - PyNumber.asDouble(other.get(i));
        }
        return of(values, before312);
    }

    /** math.hypot(*values). */
    public static double of(double[] values, boolean before312) {
        double most = 0.0;
        boolean unknown = false;
        for (int i = 0; i < values.length; i++) {
            values[i] = Math.abs(values[i]);
            unknown = unknown || Double.isNaN(values[i]);
            most = values[i] > most ? values[i] : most;
        }
        if (Double.isInfinite(most)) {
            return most;
        }
        if (unknown) {
            return Double.NaN;
        }
        return most == 0.0 || values.length <= 1 ? most : scaled(values, most, before312);
    }

    private static double scaled(double[] values, double most, boolean before312) {
        if (most < 0x1.0p-1022 / 4.0) {
            if (before312) {
                return ofQuotients(values, most);
            }
            for (int i = 0; i < values.length; i++) {
                values[i] /= Double.MIN_NORMAL;
            }
            return Double.MIN_NORMAL * scaled(values, most / Double.MIN_NORMAL, before312);
        }
        boolean tiny = most < Double.MIN_NORMAL;
        int exponent = tiny ? Math.getExponent(most * 0x1.0p54) - 53 : Math.getExponent(most) + 1;
        double scale = Math.scalb(1.0, -exponent);
        PyNorm made = new PyNorm();
        for (int i = 0; i < values.length; i++) {
            made.add(values[i] * scale, 1.0, before312);
        }
        double root = Math.sqrt(made.left());
        made.add(root, -1.0, before312);
        root += made.left() / (2.0 * root);
        return root / scale;
    }

    private static double ofQuotients(double[] values, double most) {
        PyNorm made = new PyNorm();
        for (int i = 0; i < values.length; i++) {
            double x = values[i] / most;
            made.first += made.lost(x * x);
        }
        return most * Math.sqrt(made.sum - 1.0 + made.first);
    }

    /** Adds to the sum; gives what that rounds off. */
    private double lost(double x) {
        double before = sum;
        sum += x;
        return (before - sum) + x;
    }

    private double left() {
        return sum - 1.0 + (first + second + third);
    }

    /** Adds a square, with a sign. */
    private void add(double x, double sign, boolean before312) {
        double wide = x * HALF, high = wide - (wide - x), low = x - high;
        if (before312) {
            first += lost(sign * high * high);
            second += lost(sign * 2.0 * high * low);
            third += sign < 0.0 ? lost(-low * low) : low * low;
            return;
        }
        double most = high * high, both = high * low + low * high, square = most + both;
        double rest = most - square + both + low * low;
        first += sign * rest;
        second += lost(sign * square);
    }
}
