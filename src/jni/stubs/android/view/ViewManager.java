package android.view;

/** Only for the compiler: the real one comes with Android. */
public interface ViewManager {
    void addView(View view, ViewGroup.LayoutParams place);
}
