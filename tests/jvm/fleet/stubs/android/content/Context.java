package android.content;

public abstract class Context {
    public static final String CONNECTIVITY_SERVICE = "connectivity";

    public abstract java.io.File getFilesDir();

    public abstract Object getSystemService(String name);
}
