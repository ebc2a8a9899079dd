package notebookudf;

import java.util.ArrayList;

/** Tuples of what lists hold, in the order of the places that it stands at. */
public final class PySelections {
    public static final int PRODUCT = 0;
    public static final int COMBINATIONS = 1;
    public static final int PERMUTATIONS = 2;
    public static final int REPLACED = 3;

    private final ArrayList[] pools;
    private final int how;
    private final int[] places;
    private boolean more;

    /** One of each list. */
    public PySelections(ArrayList[] pools) {
        this.pools = pools;
        this.how = PRODUCT;
        this.places = new int[pools.length];
        this.more = true;
        for (int i = 0; i < pools.length; i++) {
            more = more && !pools[i].isEmpty();
        }
    }

    /** So many of a list. */
    public PySelections(ArrayList pool, int count, int how) {
        this.pools = new ArrayList[count];
        this.how = how;
        this.places = new int[count];
        for (int i = 0; i < count; i++) {
            pools[i] = pool;
            places[i] = how == REPLACED ? 0 : i;
        }
        this.more = how == REPLACED ? !pool.isEmpty() : count <= pool.size();
    }

    public boolean hasNext() {
        return more;
    }

    public Object[] next() {
        Object[] found = new Object[places.length];
        for (int i = 0; i < found.length; i++) {
            found[i] = pools[i].get(places[i]);
        }
        more = how == PERMUTATIONS ? permute() : advance();
        return found;
    }

    private boolean advance() {
        for (int i = places.length - 1; i >= 0; i--) {
            int behind = how == COMBINATIONS ? places.length - 1 - i : 0;
            if (places[i] + 1 < pools[i].size() - behind) {
                places[i]++;
                for (int j = i + 1; j < places.length; j++) {
                    places[j] = how == PRODUCT ? 0 : how == REPLACED ? places[i] : places[j - 1] + 1;
                }
                return true;
            }
        }
        return false;
    }

    private boolean permute() {
        for (int i = places.length - 1; i >= 0; i--) {
            int next = free(i, places[i] + 1);
            if (next >= 0) {
                places[i] = next;
                for (int j = i + 1; j < places.length; j++) {
                    places[j] = free(j, 0);
                }
                return true;
            }
        }
        return false;
    }

    /** The first place from one on that none before has; -1 if there is none. */
    private int free(int before, int from) {
        for (int place = from; place < pools[before].size(); place++) {
            boolean used = false;
            for (int i = 0; i < before; i++) {
                used = used || places[i] == place;
            }
            if (!used) {
                return place;
            }
        }
        return -1;
    }
}
