package sample.app;

import android.app.Activity;

/** What the framework would do: create, show, give and take the focus. */
public final class Driver {
    private Driver() {
    }

    static void log(String line) {
        System.out.println(line);
    }

    public static void main(String[] arguments) {
        MainActivity main = new MainActivity();
        main.onCreate(null);
        PlainActivity plain = new PlainActivity();
        plain.onResume();
        DetailActivity detail = new DetailActivity();
        detail.show();
        HeirActivity heir = new HeirActivity();
        heir.visit();
        ListScreen list = new ListScreen();
        list.onListItemClick(null, null, 3, 3);
        Activity[] screens = {main, plain, detail, new LockedActivity(), heir, new TrivialActivity(), list};
        for (Activity screen : screens) {
            log(screen.getClass().getSimpleName());
            screen.onWindowFocusChanged(true);
        }
        main.onWindowFocusChanged(false);
        new NotAnActivity().onWindowFocusChanged(true);
    }
}
