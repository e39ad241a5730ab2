import com.android.tools.r8.CompilationFailedException;
import com.android.tools.r8.D8;
import com.android.tools.r8.D8Command;
import com.android.tools.r8.origin.Origin;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;

/** D8 for many jars, which is fast once it is warm: a line of words between tabs for each run, answered by a line. */
public final class Dexer {
    public static void main(String[] none) throws IOException {
        PrintStream answers = System.out;
        System.setOut(System.err);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null;) {
            answers.println(run(line.split("\t")));
        }
    }

    private static String run(String[] words) {
        try {
            D8.run(D8Command.parse(words, Origin.unknown()).build());
            return "done";
        } catch (CompilationFailedException e) {
            return "failed";
        }
    }

    private Dexer() {}
}
