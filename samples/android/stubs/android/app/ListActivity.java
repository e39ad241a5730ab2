package android.app;

import android.view.View;
import android.widget.ListView;

/** One of the framework's own Activities, known by name. */
public class ListActivity extends Activity {
    protected void onListItemClick(ListView list, View view, int position, long id) {
    }
}
