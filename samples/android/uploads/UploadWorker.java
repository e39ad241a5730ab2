package sample.uploads;

import android.content.Context;
import android.net.ConnectivityManager;
import androidx.work.Worker;
import androidx.work.WorkerParameters;
import methodbeat.Uploads;

/**
 * Sends the issues of the app where the network costs nothing. The app starts it once, for all time:
 *
 * <pre>
 * WorkManager.getInstance(this).enqueueUniquePeriodicWork("issues", ExistingPeriodicWorkPolicy.KEEP,
 *         new PeriodicWorkRequest.Builder(UploadWorker.class, 6, TimeUnit.HOURS).setConstraints(
 *                 new Constraints.Builder().setRequiredNetworkType(NetworkType.UNMETERED).build()).build());
 * </pre>
 *
 * <p>Needs the permissions INTERNET and ACCESS_NETWORK_STATE, and HttpUploader of samples/java/uploads in
 * this package, or an uploader over the client that the app has.
 */
public class UploadWorker extends Worker {
    private static final String URL = "https://example.com/issues";

    public UploadWorker(Context context, WorkerParameters parameters) {
        super(context, parameters);
    }

    @Override
    public Result doWork() {
        final Context context = getApplicationContext();
        Uploads uploads = new Uploads(context.getFilesDir() + "/issues", new HttpUploader(URL, null) {
            @Override
            public boolean mayUpload(long bytes) {
                Object service = context.getSystemService(Context.CONNECTIVITY_SERVICE);
                return !isStopped() && !((ConnectivityManager) service).isActiveNetworkMetered();
            }
        });
        uploads.run(); // what is left waits for the next period: run keeps its own back-off
        return Result.success();
    }
}
