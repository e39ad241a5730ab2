package sample;

import java.io.StringReader;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Type annotations inside code: on locals, resources, catches, casts, instanceof, new, arguments. */
public class Annotated {
    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Mark {
        int value() default 0;
    }

    static <T> T pass(T value) {
        return java.util.Objects.requireNonNull(value);
    }

    static class Box<T> {
        final T content;

        <S extends T> Box(S content) {
            this.content = pass(content);
        }
    }

    static String use(Object object) throws Exception {
        @Mark(1) String text = (@Mark(2) String) object;
        List<@Mark(3) String> list = new ArrayList<@Mark(4) String>();
        for (@Mark(5) int i = 0; i < 2; i++) {
            list.add(Annotated.<@Mark(6) String>pass(text));
        }
        try (@Mark(7) StringReader reader = new StringReader(text)) {
            list.add(String.valueOf((char) reader.read()));
        } catch (@Mark(8) IllegalStateException e) {
            list.clear();
        }
        if (object instanceof @Mark(9) CharSequence) {
            Supplier<List<String>> maker = @Mark(10) ArrayList::new;
            list.addAll(maker.get());
        }
        return list + new <@Mark(11) String> Box<String>(text).content;
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(use("words"));
    }
}
