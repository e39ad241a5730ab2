package sample.shop;

/** Far away. */
class Bank {
    private static final long ANSWER_MS = 6000;

    String transfer(int cents) {
        return cents > 0 ? answer() : "nothing";
    }

    private String answer() {
        try {
            Thread.sleep(ANSWER_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "accepted";
    }
}
