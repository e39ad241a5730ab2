package android.content.pm;

public class PackageInfo {
    public String packageName;
    public int versionCode;
    public String versionName;
}
