import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A day of a small shop in H2, in memory: customers and orders go in, then come the questions of an
 * office. Prints a sum over all that was answered, the same each time.
 * usage: Rows ROWS
 */
final class Rows {
    private static final int CUSTOMERS = 2000;

    public static void main(String[] arguments) throws SQLException {
        int rows = Integer.parseInt(arguments[0]);
        try (Connection shop = DriverManager.getConnection("jdbc:h2:mem:shop")) {
            create(shop);
            fill(shop, rows);
            long sum = 0;
            for (int round = 0; round < 4; round++) {
                sum += ask(shop, rows, round);
                change(shop, rows, round);
            }
            System.out.println(rows + " rows, " + sum);
        }
    }

    private static void create(Connection shop) throws SQLException {
        try (Statement statement = shop.createStatement()) {
            statement.execute("create table customer (id int primary key, name varchar(40),"
                    + " town varchar(40))");
            statement.execute("create table orders (id int primary key, customer int, article varchar(40),"
                    + " price decimal(10, 2), note varchar(200))");
            statement.execute("create index by_customer on orders (customer)");
            statement.execute("create index by_article on orders (article, price)");
        }
    }

    private static void fill(Connection shop, int rows) throws SQLException {
        try (PreparedStatement add = shop.prepareStatement("insert into customer values (?, ?, ?)")) {
            for (int id = 0; id < CUSTOMERS; id++) {
                add.setInt(1, id);
                add.setString(2, "customer " + id * 7919 % 10007);
                add.setString(3, "town " + id % 97);
                add.executeUpdate();
            }
        }
        try (PreparedStatement add = shop.prepareStatement("insert into orders values (?, ?, ?, ?, ?)")) {
            for (int id = 0; id < rows; id++) {
                add.setInt(1, id);
                add.setInt(2, (int) (id * 2654435761L % CUSTOMERS));
                add.setString(3, "article " + id * 31 % 499);
                add.setBigDecimal(4, java.math.BigDecimal.valueOf(id * 37 % 100000, 2));
                add.setString(5, "as on " + id % 365 + ", to the door, order " + id);
                add.executeUpdate();
            }
        }
    }

    private static long ask(Connection shop, int rows, int round) throws SQLException {
        long sum = 0;
        String[] questions = {
            "select town, count(*), sum(price) from orders join customer on customer.id = orders.customer"
                    + " group by town order by 3 desc",
            "select article, avg(price) from orders where note like '%door%" + round + "' group by article"
                    + " having count(*) > 3 order by article",
            "select name, (select max(price) from orders where customer = customer.id) from customer"
                    + " order by name",
            "select distinct upper(substring(note, 1, 12)) from orders order by 1",
        };
        for (String question : questions) {
            try (Statement statement = shop.createStatement();
                    ResultSet answer = statement.executeQuery(question)) {
                while (answer.next()) {
                    sum = 31 * sum + answer.getString(1).hashCode();
                }
            }
        }
        try (PreparedStatement find = shop.prepareStatement("select article, price from orders"
                + " where customer = ? and price > ? order by price")) {
            for (int customer = 0; customer < CUSTOMERS; customer++) {
                find.setInt(1, customer);
                find.setBigDecimal(2, java.math.BigDecimal.valueOf(rows % 100 + round));
                try (ResultSet answer = find.executeQuery()) {
                    while (answer.next()) {
                        sum += answer.getBigDecimal(2).unscaledValue().longValue();
                    }
                }
            }
        }
        return sum;
    }

    private static void change(Connection shop, int rows, int round) throws SQLException {
        try (PreparedStatement raise = shop.prepareStatement("update orders set price = price + 1 where id = ?")) {
            for (int id = round; id < rows; id += 3) {
                raise.setInt(1, id);
                raise.executeUpdate();
            }
        }
    }

    private Rows() {}
}
