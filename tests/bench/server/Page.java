package shop;

import com.google.common.base.Joiner;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.html.HtmlEscapers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** A page of a shop: some computing, a table of rows, and sometimes a wait as for a database. */
public final class Page extends HttpServlet {
    private static final String GOODS = "shelf,table,chair & stool,lamp <new>,desk,\"sofa\",bed,rug";

    @Override
    protected void doGet(HttpServletRequest in, HttpServletResponse out) throws IOException {
        int rows = number(in, "rows", 20);
        pause(number(in, "wait", 0));
        out.setContentType("text/html");
        out.getWriter().print(render(rows));
    }

    private static int number(HttpServletRequest in, String name, int otherwise) {
        String text = in.getParameter(name);
        return text == null ? otherwise : Integer.parseInt(text);
    }

    private static void pause(int ms) {
        if (ms > 0) {
            try {
                Thread.sleep(ms);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static String render(int rows) {
        List<String> names = Splitter.on(',').splitToList(GOODS);
        List<String> lines = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            lines.add(line(row, names.get(row % names.size())));
        }
        return "<table>" + Joiner.on('\n').join(lines) + "</table>";
    }

    private static String line(int row, String name) {
        Map<String, Object> cells = ImmutableSortedMap.of(
                "a name", name, "b price", price(row), "c stock", row * 7 % 11);
        StringBuilder text = new StringBuilder("<tr>");
        for (Map.Entry<String, Object> cell : cells.entrySet()) {
            text.append(cell(cell.getValue().toString()));
        }
        return text.append("</tr>").toString();
    }

    private static String cell(String text) {
        return "<td>" + HtmlEscapers.htmlEscaper().escape(text) + "</td>";
    }

    private static long price(int row) {
        long price = 17;
        for (int step = 0; step < row; step++) {
            price = price * 31 % 10007;
        }
        return price;
    }
}
