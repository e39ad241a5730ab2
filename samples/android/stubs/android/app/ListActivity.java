package android.app;

/** One of the framework's own Activities, known by name. */
public class ListActivity extends Activity {
    protected void onListItemClick(int position) {
    }
}
