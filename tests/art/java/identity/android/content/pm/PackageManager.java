package android.content.pm;

/** Knows of each app the same. */
public class PackageManager {
    public PackageInfo getPackageInfo(String name, int flags) {
        PackageInfo info = new PackageInfo();
        info.packageName = name;
        info.versionName = "5.2";
        info.versionCode = 52;
        return info;
    }
}
