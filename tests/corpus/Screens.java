import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.DelayKt;
import methodbeat.Monitors;

/** Screens of an app that wait on their main thread for coroutines, two by one library function, and one that sorts: three causes. */
public class Screens {
    static class Cart {
        static void load() throws InterruptedException {
            BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, (scope, next) -> DelayKt.delay(900, next));
        }
    }

    static class News {
        static void load() throws InterruptedException {
            BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, (scope, next) -> DelayKt.delay(900, next));
        }
    }

    static class Names {
        static int sort() {
            int sum = 0;
            for (long end = System.nanoTime() + 900_000_000L; System.nanoTime() < end;) {
                String[] names = new String[20_000];
                for (int i = 0; i < names.length; i++) {
                    names[i] = Integer.toString(i * 31 % 977);
                }
                java.util.Arrays.sort(names);
                sum += names[7].length();
            }
            return sum;
        }
    }

    private static void show(int number) throws InterruptedException {
        Monitors.begin();
        if (number == 0) {
            Cart.load();
        } else if (number == 1) {
            News.load();
        } else {
            Names.sort();
        }
        Monitors.end();
        Thread.sleep(50);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Monitors.start("spool=" + arguments[0], "evil_ms=700", "stall_ms=300:300");
        for (int i = 0; i < 3; i++) {
            show(i);
        }
        Monitors.stop();
    }
}
