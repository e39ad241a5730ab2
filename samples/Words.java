import com.google.common.base.Joiner;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.Multiset;
import com.google.common.collect.Multisets;

/** What quickstart.sh runs on an instrumented guava.jar. */
public class Words {
    public static void main(String[] arguments) {
        Multiset<String> words = ImmutableMultiset.copyOf(
                Splitter.on(' ').omitEmptyStrings().split("to be or not to be"));
        System.out.println(Joiner.on(", ").join(Multisets.copyHighestCountFirst(words).entrySet()));
    }
}
