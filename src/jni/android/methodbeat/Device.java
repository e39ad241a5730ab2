package methodbeat;

import android.content.Context;
import android.content.pm.PackageInfo;
import android.os.Build;

/** What Android knows of whom files come from: the app, and of the device what all of its model have. */
final class Device {
    private static final String MAP_ID = "r8-map-id-"; // R8's, where it takes the names of sources

    /** The setting app; told: what has been given, which stays; or null. */
    static String describe(Context context, String told) {
        Identity identity = new Identity(told != null ? told : "");
        try {
            PackageInfo info = context.getPackageManager().getPackageInfo(context.getPackageName(), 0);
            identity.add("id", info.packageName);
            identity.add("version", info.versionName);
            identity.add("code", info.versionCode > 0 ? Integer.toString(info.versionCode) : null);
        } catch (Throwable e) { // the system may be on its way down
            Log.say("the version of the app is not known", e);
        }
        String file = new Throwable().getStackTrace()[0].getFileName();
        identity.add("r8", file != null && file.startsWith(MAP_ID) ? file.substring(MAP_ID.length()) : null);
        identity.add("maker", Build.MANUFACTURER);
        identity.add("model", Build.MODEL);
        identity.add("os", "Android");
        identity.add("os_level", Integer.toString(Build.VERSION.SDK_INT));
        identity.add("abi", Build.CPU_ABI); // of the process
        identity.add("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        return identity.toString();
    }

    private Device() {}
}
