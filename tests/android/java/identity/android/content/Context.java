package android.content;

import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;

/** Says what the properties package.name, package.version and package.code say; without the first, nothing works. */
public abstract class Context {
    public PackageManager getPackageManager() {
        return new PackageManager() {
            @Override
            public PackageInfo getPackageInfo(String name, int flags) throws NameNotFoundException {
                if (!name.equals(System.getProperty("package.name"))) {
                    throw new NameNotFoundException();
                }
                PackageInfo info = new PackageInfo();
                info.packageName = name;
                info.versionName = System.getProperty("package.version");
                info.versionCode = Integer.getInteger("package.code", 0);
                return info;
            }
        };
    }

    public String getPackageName() {
        return System.getProperty("package.name", "gone");
    }
}
