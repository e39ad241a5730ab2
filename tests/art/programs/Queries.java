import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** H2: its parser, and what it parses for. */
public final class Queries {
    private static final String[] QUERIES = {
        "CREATE TABLE p(id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, at DECIMAL(10, 2) DEFAULT 1.5, boss INT REFERENCES p)",
        "INSERT INTO p(id, name, boss) VALUES (1, 'one', NULL), (2, 'two', 1), (3, 'three', 1), (4, 'four', 3)",
        "CREATE INDEX i ON p(name, at DESC)",
        "SELECT a.name || '-' || b.name, COUNT(*) OVER () FROM p a LEFT JOIN p b ON a.boss = b.id WHERE a.id > ALL (SELECT 1)"
            + " ORDER BY a.id DESC",
        "WITH RECURSIVE r(id, depth) AS (SELECT id, 0 FROM p WHERE boss IS NULL UNION ALL SELECT p.id, depth + 1 FROM p, r"
            + " WHERE p.boss = r.id) SELECT MAX(depth), SUM(id) FROM r",
        "SELECT CASE WHEN name LIKE 't%' THEN UPPER(name) ELSE SUBSTRING(name, 2) END x, at * 2 FROM p GROUP BY x, at"
            + " HAVING COUNT(*) > 0 ORDER BY 1",
        "UPDATE p SET at = (SELECT SUM(id) FROM p q WHERE q.boss = p.id) WHERE id IN (1, 3)",
        "SELECT id, at FROM p WHERE at IS NOT DISTINCT FROM 5.00",
        "SELECT FROM WHERE",
        "INSERT INTO p(id, name) VALUES (1, 'again')",
        "SELECT 1 / 0",
        "DROP TABLE p CASCADE",
    };

    public static void main(String[] words) throws Exception {
        Connection connection = new org.h2.Driver().connect("jdbc:h2:mem:", new java.util.Properties());
        Statement statement = connection.createStatement();
        for (String query : QUERIES) {
            try {
                System.out.println(statement.execute(query) ? rows(statement.getResultSet())
                        : statement.getUpdateCount() + " rows");
            } catch (SQLException e) {
                System.out.println(e.getErrorCode() + " " + e.getSQLState());
            }
        }
        connection.close();
    }

    private static String rows(ResultSet result) throws SQLException {
        StringBuilder text = new StringBuilder();
        while (result.next()) {
            for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                text.append(result.getString(i)).append(i == 1 ? " " : "; ");
            }
        }
        return text.toString();
    }

    private Queries() {}
}
