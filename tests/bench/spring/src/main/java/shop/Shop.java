package shop;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A shop whose prices cost much, whose stock is read from a database, and whose greeting costs nothing. */
@SpringBootApplication
public class Shop {
    public static void main(String[] words) {
        SpringApplication.run(Shop.class, words);
    }
}

@Service
class PriceService {
    private static final int ROUNDS = 12_000;

    String price(String item) {
        return item + " " + hash(item.getBytes(StandardCharsets.UTF_8)).substring(0, 4);
    }

    String hash(byte[] item) {
        byte[] hash = item;
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (int i = 0; i < ROUNDS; i++) {
                hash = digest.digest(hash);
            }
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        return HexFormat.of().formatHex(hash);
    }
}

@Service
class StockService {
    private final JdbcTemplate template;

    StockService(JdbcTemplate template) {
        this.template = template;
        template.execute("create table stock(item varchar primary key, amount int)");
        template.update("insert into stock select 'item' || x, x from system_range(1, 500)");
    }

    List<Integer> stock(String item) {
        return template.queryForList("select amount from stock where item = ?", Integer.class, item);
    }
}

@RestController
class Controller {
    private final PriceService prices;
    private final StockService stocks;

    Controller(PriceService prices, StockService stocks) {
        this.prices = prices;
        this.stocks = stocks;
    }

    @GetMapping("/price/{item}")
    String price(@PathVariable("item") String item) {
        return prices.price(item);
    }

    @GetMapping("/stock/{item}")
    String stock(@PathVariable("item") String item) {
        return stocks.stock(item).toString();
    }

    @GetMapping("/hello")
    String hello() {
        return "hello";
    }
}
