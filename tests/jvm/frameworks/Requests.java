import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** Every other request throws, through two filters, into Tomcat. The argument is an empty folder. */
public final class Requests {
    private static final int ROUNDS = 100;

    public static final class Outer implements Filter {
        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            Frameworks.work(5);
            chain.doFilter(request, response);
            Frameworks.work(5);
        }
    }

    public static final class Inner implements Filter {
        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            Frameworks.work(7);
            chain.doFilter(request, response);
        }
    }

    public static final class Page extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            if (request.getParameter("fails") != null) {
                Frameworks.fail();
            }
            Frameworks.task();
            response.getWriter().println("ok");
        }
    }

    private static void add(Context context, String name, Filter filter) {
        FilterDef definition = new FilterDef();
        definition.setFilterName(name);
        definition.setFilter(filter);
        context.addFilterDef(definition);
        FilterMap map = new FilterMap();
        map.setFilterName(name);
        map.addURLPattern("/*");
        context.addFilterMap(map);
    }

    private static int ask(int port, String query) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) new URL("http://127.0.0.1:" + port + "/page" + query).openConnection();
        int code = connection.getResponseCode();
        try (InputStream in = code < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            while (in.read() >= 0) {
                continue;
            }
        }
        return code;
    }

    public static void main(String[] args) throws Exception {
        java.util.logging.LogManager.getLogManager().reset();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[0]);
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("minSpareThreads", "1");
        tomcat.getConnector().setProperty("maxThreads", "1");
        Context context = tomcat.addContext("", new File(args[0]).getAbsolutePath());
        add(context, "outer", new Outer());
        add(context, "inner", new Inner());
        Tomcat.addServlet(context, "page", new Page());
        context.addServletMappingDecoded("/page", "page");
        tomcat.start();
        int failed = 0;
        for (int i = 0; i < ROUNDS; i++) {
            failed += ask(tomcat.getConnector().getLocalPort(), "?fails=1") == 500 ? 1 : 0;
            failed += ask(tomcat.getConnector().getLocalPort(), "") == 200 ? 0 : 1000;
        }
        tomcat.stop();
        System.out.println(failed == ROUNDS ? "done" : "failed " + failed);
    }

    private Requests() {}
}
