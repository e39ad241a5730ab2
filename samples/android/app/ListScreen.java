package sample.app;

import android.app.ListActivity;
import android.view.View;
import android.widget.ListView;

/** An Activity by the name of a framework class that is not among the inputs. */
public class ListScreen extends ListActivity {
    @Override
    protected void onListItemClick(ListView list, View view, int position, long id) {
        super.onListItemClick(list, view, position, id);
        Driver.log("item " + position);
    }
}
