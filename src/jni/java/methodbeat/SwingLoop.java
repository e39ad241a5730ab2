package methodbeat;

import java.awt.AWTEvent;
import java.awt.EventQueue;
import java.awt.Toolkit;

/** The queue of Swing and AWT, each of whose events is a message. Loaded by Monitors.swing() only. */
final class SwingLoop extends EventQueue implements Pinger {
    /** Does nothing if it is pushed already. */
    static synchronized void push() {
        EventQueue queue = Toolkit.getDefaultToolkit().getSystemEventQueue();
        if (!(queue instanceof SwingLoop)) {
            queue.push(new SwingLoop());
        }
    }

    @Override
    protected void dispatchEvent(AWTEvent event) {
        Monitors.begin(this);
        try {
            super.dispatchEvent(event);
        } finally {
            Monitors.end(event);
        }
    }

    @Override
    public void ping(final int request) {
        invokeLater(new Runnable() {
            @Override
            public void run() {
                NativeMonitors.pong(request);
            }
        });
    }
}
