package android.content;

public abstract class Context {
    public String getPackageName() {
        return "sample.app";
    }
}
