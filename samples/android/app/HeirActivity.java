package sample.app;

/** Must not get an override: it would not load. */
public class HeirActivity extends LockedActivity {
    void visit() {
        Driver.log("heir");
    }
}
