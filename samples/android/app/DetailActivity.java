package sample.app;

/** An Activity by its superclass among the inputs. */
public class DetailActivity extends BaseActivity {
    @Override
    String title() {
        return "detail of ".concat(getPackageName());
    }
}
