import methodbeat.MethodBeat;

/** Calls probes with the ids that it is given, from main and from threads, while memory is collected. */
public final class Beats {
    public static void main(String[] words) throws InterruptedException {
        int[] ids = new int[words.length - 2];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = Integer.parseInt(words[i + 2]);
        }
        int rounds = Integer.parseInt(words[1]);
        Thread[] threads = new Thread[Integer.parseInt(words[0])];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> beat(ids, rounds), "beats " + i);
            threads[i].start();
        }
        beat(ids, rounds);
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("done");
    }

    /** The first method is left last; it catches what leaves the outer half of the others. */
    private static void beat(int[] ids, int rounds) {
        for (int round = 0; round < rounds; round++) {
            for (int id : ids) {
                MethodBeat.i(id);
            }
            for (int i = ids.length; i-- > ids.length / 2;) {
                MethodBeat.o(ids[i]);
            }
            MethodBeat.c(ids[0]);
            MethodBeat.o(ids[0]);
            if (round % 500 == 0) {
                Runtime.getRuntime().gc();
            }
        }
    }

    private Beats() {}
}
