package android.content;

public interface SharedPreferences {
    interface Editor {
        Editor putLong(String key, long value);
        boolean commit();
    }

    long getLong(String key, long otherwise);
    Editor edit();
}
