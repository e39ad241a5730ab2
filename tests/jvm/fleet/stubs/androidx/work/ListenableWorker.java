package androidx.work;

import android.content.Context;

public abstract class ListenableWorker {
    public abstract static class Result {
        public static Result success() {
            return null;
        }
    }

    public final Context getApplicationContext() {
        return null;
    }

    public final boolean isStopped() {
        return false;
    }
}
