package notebookudf;

import java.util.ArrayList;

/**
 * Lists as heapq keeps them. What is compared with what is as in Python's module, since it shows
 * in the order of the list.
 */
public final class PyHeap {
    private PyHeap() {
    }

    public static void heappush(ArrayList heap, Object value) {
        heap.add(value);
        rise(heap, 0, heap.size() - 1);
    }

    public static Object heappop(ArrayList heap) {
        if (heap.isEmpty()) {
            throw Raised.INDEX;
        }
        Object last = heap.remove(heap.size() - 1);
        return heap.isEmpty() ? last : replaced(heap, last);
    }

    public static Object heapreplace(ArrayList heap, Object value) {
        if (heap.isEmpty()) {
            throw Raised.INDEX;
        }
        return replaced(heap, value);
    }

    public static Object heappushpop(ArrayList heap, Object value) {
        return heap.isEmpty() || !PyKey.less(heap.get(0), value) ? value : replaced(heap, value);
    }

    public static void heapify(ArrayList heap) {
        for (int at = heap.size() / 2 - 1; at >= 0; at--) {
            sink(heap, at);
        }
    }

    private static Object replaced(ArrayList heap, Object value) {
        Object least = heap.set(0, value);
        sink(heap, 0);
        return least;
    }

    /** Has a value at a place rise to where its parent is no more than it, up to a place. */
    private static void rise(ArrayList heap, int top, int from) {
        Object value = heap.get(from);
        int at = from;
        while (at > top) {
            int parent = at - 1 >> 1;
            if (!PyKey.less(value, heap.get(parent))) {
                break;
            }
            heap.set(at, heap.get(parent));
            at = parent;
        }
        heap.set(at, value);
    }

    /** Has a value sink to a leaf, the lesser child rising each time, and rise from there. */
    private static void sink(ArrayList heap, int from) {
        int count = heap.size(), at = from;
        Object value = heap.get(from);
        while (2 * at + 1 < count) {
            int child = 2 * at + 1;
            if (child + 1 < count && !PyKey.less(heap.get(child), heap.get(child + 1))) {
                child++;
            }
            heap.set(at, heap.get(child));
            at = child;
        }
        heap.set(at, value);
        rise(heap, from, at);
    }
}
