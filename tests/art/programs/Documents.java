import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.annotations.SerializedName;
import com.google.gson.annotations.Since;
import com.google.gson.reflect.TypeToken;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Gson: objects by reflection, generic types, trees, and text that is wrong. */
public final class Documents {
    private enum Kind {
        @SerializedName("first") ONE,
        TWO
    }

    private static final class Item {
        int number;
        @SerializedName("label") String name;
        transient int skipped = 7;
        @Since(2) Double later = 2.5;
        Kind kind = Kind.ONE;
        Item[] parts = {};
        Map<String, List<Long>> lists = new TreeMap<>();
    }

    public static void main(String[] words) {
        Gson gson = new GsonBuilder().setVersion(1).setPrettyPrinting().serializeNulls().create();
        Item item = new Item();
        item.number = 1;
        item.parts = new Item[] {new Item()};
        item.lists.put("a", new ArrayList<>(java.util.Arrays.asList(1L, 1L << 40)));
        String text = gson.toJson(item);
        System.out.println(text);
        Item again = gson.fromJson(text, Item.class);
        System.out.println(gson.toJson(again).equals(text) + " " + again.parts[0].kind);
        Type type = new TypeToken<Map<String, List<Item>>>() {}.getType();
        Map<String, List<Item>> map = new Gson().fromJson("{'x':[{'number':3,'kind':'TWO','later':null}],'y':[]}", type);
        System.out.println(map.get("x").get(0).kind + " " + map.get("x").get(0).later + " " + map.get("y"));
        for (String wrong : new String[] {"{", "[1,,2]", "{'number':'x'}", "{'a':1}{", "nul", "\"\\u12\""}) {
            System.out.println(read(wrong, gson));
        }
        StringBuilder large = new StringBuilder("[");
        for (int i = 0; i < 200; i++) {
            large.append(i == 0 ? "" : ",").append("{\"n\":").append(i * i).append(",\"s\":\"\\t").append(i).append("\"}");
        }
        JsonElement tree = JsonParser.parseString(large.append(']').toString());
        int sum = 0;
        for (JsonElement each : tree.getAsJsonArray()) {
            sum += each.getAsJsonObject().get("n").getAsInt();
        }
        System.out.println(sum + " " + tree.toString().length());
    }

    private static String read(String text, Gson gson) {
        try {
            return gson.fromJson(text, Item.class) + " " + JsonParser.parseString(text);
        } catch (JsonParseException e) {
            return e.getClass().getName() + " " + (e.getCause() != null);
        }
    }

    private Documents() {}
}
