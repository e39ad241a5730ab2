package android.view;

public interface ViewManager {
    void addView(View view, ViewGroup.LayoutParams place);
}
