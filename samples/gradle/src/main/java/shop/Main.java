package shop;

import shop.codec.Checksum;

public final class Main {
    private Main() {
    }

    public static void main(String[] arguments) {
        Basket basket = new Basket();
        basket.add("tea", 3);
        basket.add("cake", 5);
        System.out.println(basket.total() + " " + Checksum.of(basket.toString()));
    }
}
