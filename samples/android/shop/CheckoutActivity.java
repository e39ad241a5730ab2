package sample.shop;

import android.app.Activity;

/** Pays on the main thread, which then does nothing else for six seconds. */
public class CheckoutActivity extends Activity {
    @Override
    protected void onResume() {
        super.onResume();
        ShopApplication.log("checkout");
    }

    public void pay(int cents) {
        ShopApplication.log("paid " + cents + ": " + new Bank().transfer(cents));
    }
}
