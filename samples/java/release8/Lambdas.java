package sample;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Lambdas that capture nothing, locals and this; method references of each kind. */
public class Lambdas {
    private final String name;

    Lambdas(String name) {
        this.name = name.trim();
    }

    Supplier<String> ofThis(int number) {
        return () -> name + number;
    }

    static <T, R> List<R> map(List<T> from, Function<T, R> function) {
        List<R> to = new ArrayList<>();
        from.forEach(each -> to.add(function.apply(each)));
        return to;
    }

    public static void main(String[] arguments) {
        List<String> words = new ArrayList<>();
        words.add(" a ");
        words.add(" b");
        System.out.println(map(words, String::trim));
        System.out.println(map(map(words, Lambdas::new), each -> each.ofThis(1).get()));
        Function<String, String> bound = "x"::concat;
        System.out.println(bound.andThen(String::length).apply("yz"));
        Supplier<Supplier<String>> twice = () -> () -> String.join("-", words);
        System.out.println(twice.get().get());
    }
}
