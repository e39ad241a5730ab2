import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;
import org.junit.runner.Description;
import org.junit.runners.model.Statement;

/** Tests of which most fail, in several ways, under JUnit's own runner. */
public class Tests {
    private static final int ROUNDS = 20;

    /** Of this program, between JUnit's own statements. */
    static final class Around implements TestRule {
        @Override
        public Statement apply(Statement base, Description description) {
            return new Statement() {
                @Override
                public void evaluate() throws Throwable {
                    Frameworks.work(3);
                    base.evaluate();
                }
            };
        }
    }

    @Rule
    public final TestRule around = new Around();

    @Before
    public void before() {
        Frameworks.work(2);
    }

    @After
    public void after() {
        Frameworks.work(2);
        Frameworks.fail();
    }

    @Test
    public void passes() {
        Frameworks.task();
    }

    @Test
    public void fails() {
        Frameworks.fail();
    }

    @Test(expected = IllegalStateException.class)
    public void failsAsExpected() {
        Frameworks.fail();
    }

    public static void main(String[] args) {
        int failures = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Result result = JUnitCore.runClasses(Tests.class);
            failures += result.getFailureCount();
            Frameworks.task();
        }
        System.out.println(failures == 4 * ROUNDS ? "done" : "failed " + failures);
    }
}
