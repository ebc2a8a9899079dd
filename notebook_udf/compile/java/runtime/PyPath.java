package notebookudf;

import java.util.ArrayList;

/** os.path of POSIX, and the names of a PurePosixPath. */
public final class PyPath {
    private PyPath() {
    }

    public static String basename(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    public static String dirname(String path) {
        String head = path.substring(0, path.lastIndexOf('/') + 1);
        int end = head.length();
        while (end > 0 && head.charAt(end - 1) == '/') {
            end--;
        }
        return end == 0 ? head : head.substring(0, end);
    }

    /** Where the extension begins: at the last dot, unless only dots stand before it. */
    private static int extension(String path) {
        int first = path.lastIndexOf('/') + 1, dot = path.lastIndexOf('.');
        for (int i = first; i < dot; i++) {
            if (path.charAt(i) != '.') {
                return dot;
            }
        }
        return path.length();
    }

    public static String root(String path) {
        return path.substring(0, extension(path));
    }

    public static String ext(String path) {
        return path.substring(extension(path));
    }

    /** os.path.join(path, other). */
    public static String join(String path, String other) {
        if (other.startsWith("/") || path.isEmpty()) {
            return other;
        }
        return path.endsWith("/") ? path.concat(other) : path + "/" + other;
    }

    /** PurePosixPath(path).name. */
    public static String name(String path) {
        ArrayList parts = PyText.split(path, "/", -1);
        for (int i = parts.size() - 1; i >= 0; i--) {
            String part = (String) parts.get(i);
            if (!part.isEmpty() && !part.equals(".")) {
                return part;
            }
        }
        return "";
    }

    private static int suffixAt(String name) {
        int dot = name.lastIndexOf('.');
        return dot > 0 && dot < name.length() - 1 ? dot : name.length();
    }

    public static String suffix(String path) {
        String name = name(path);
        return name.substring(suffixAt(name));
    }

    public static String stem(String path) {
        String name = name(path);
        return name.substring(0, suffixAt(name));
    }
}
