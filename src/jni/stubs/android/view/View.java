package android.view;

/** Only for the compiler: the real one comes with Android. */
public class View {
    public native ViewTreeObserver getViewTreeObserver();
}
