package sample;

/** A text block and an indy string concatenation of many parts. */
public class TextBlocks {
    static String page(String title, int number) {
        return """
            <h1>%s</h1>
              <p>\tpage %d\s
            """.formatted(title, number);
    }

    public static void main(String[] arguments) {
        System.out.print(page("text", 1));
        System.out.println("a" + arguments.length + 1.5f + 'c' + 2L + null + true + page("x", 2).length());
    }
}
