package androidx.work;

import android.content.Context;

/** As much of WorkManager as the sample is compiled against. */
public abstract class Worker extends ListenableWorker {
    public Worker(Context context, WorkerParameters parameters) {}

    public abstract Result doWork();
}
