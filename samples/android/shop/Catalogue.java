package sample.shop;

/** Things, and how well they fit a word. */
class Catalogue {
    private static final long SCORE_NS = 250000000;
    private static final String[] THINGS = {"apple", "banana", "cherry", "damson"};

    String find(String word) {
        String best = null;
        int most = -1;
        for (String thing : THINGS) {
            int score = score(thing, word);
            if (score > most) {
                most = score;
                best = thing;
            }
        }
        return best;
    }

    /** Slow, whatever the machine. */
    private int score(String thing, String word) {
        long begin = System.nanoTime();
        int score = 0;
        while (System.nanoTime() - begin < SCORE_NS) {
            score = thing.contains(word) ? word.length() : 0;
        }
        return score;
    }
}
