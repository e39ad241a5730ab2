package methodbeat;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** The activities that have the focus, and who wants to know. */
final class Scenes {
    private static final Set<String> focused = new LinkedHashSet<>();
    private static final List<MethodBeat.Listener> listeners = new CopyOnWriteArrayList<>();

    static void listen(MethodBeat.Listener listener) {
        listeners.add(listener);
    }

    static void unlisten(MethodBeat.Listener listener) {
        listeners.remove(listener);
    }

    static void at(Object activity, boolean hasFocus) {
        String name = activity.getClass().getName();
        if (!set(name, hasFocus)) {
            return;
        }
        for (MethodBeat.Listener listener : listeners) {
            listener.onFocus(activity, hasFocus);
        }
    }

    static String[] focused() {
        synchronized (focused) {
            return focused.toArray(new String[0]);
        }
    }

    /** True if that is news. */
    private static boolean set(String name, boolean hasFocus) {
        synchronized (focused) {
            return hasFocus ? focused.add(name) : focused.remove(name);
        }
    }

    private Scenes() {}
}
