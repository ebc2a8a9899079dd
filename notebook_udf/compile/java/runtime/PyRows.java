package notebookudf;

import java.util.ArrayList;

/** The rows that a table function gives for an input, all at once. */
public final class PyRows extends ArrayList {
    private static final long serialVersionUID = 1L;
    // As in given_rows.py: the kernel tells of an input that has more.
    private static final int MOST = 1 << 22;

    public void put(Object row) {
        if (size() == MOST) {
            throw GaveUp.GAVE_UP;
        }
        add(row);
    }
}
