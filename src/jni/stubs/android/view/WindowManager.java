package android.view;

/** Only for the compiler: the real one comes with Android. */
public interface WindowManager {
    Display getDefaultDisplay();
}
