package shop;

import java.util.Map;
import java.util.TreeMap;

final class Basket {
    private final Map<String, Integer> prices = new TreeMap<>();

    void add(String what, int price) {
        prices.merge(what, price, Integer::sum);
    }

    int total() {
        return prices.values().stream().mapToInt(Integer::intValue).sum();
    }

    @Override
    public String toString() {
        return prices.toString();
    }
}
