package sample.shop;

import android.app.Activity;
import android.os.Bundle;
import android.widget.TextView;

/** What there is; a search takes the main thread for a second. */
public class CatalogueActivity extends Activity {
    private final Catalogue catalogue = new Catalogue();
    private TextView found;

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        found = new TextView(this);
        setContentView(found);
        ShopApplication.log("catalogue");
    }

    public void search(String word) {
        found.setText(catalogue.find(word));
        ShopApplication.log("found " + found.getText());
    }
}
