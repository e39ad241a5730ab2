package sample.app;

import android.app.ListActivity;

/** An Activity by the name of a framework class that is not among the inputs. */
public class ListScreen extends ListActivity {
    @Override
    protected void onListItemClick(int position) {
        super.onListItemClick(position);
        Driver.log("item " + position);
    }
}
