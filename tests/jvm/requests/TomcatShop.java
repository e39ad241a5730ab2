import java.io.File;
import java.io.IOException;
import java.net.URI;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** Two servlets: TomcatShop COUNT TRUTH FOLDER. */
public final class TomcatShop {
    public static final class Orders extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            long start = System.nanoTime();
            String cause = Requests.order(Integer.parseInt(request.getParameter("n")));
            response.getWriter().println(cause);
            Requests.note("TomcatShop$Orders.doGet", start, cause);
        }
    }

    public static final class Users extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            long start = System.nanoTime();
            response.getWriter().println(Requests.user(Integer.parseInt(request.getParameter("n"))));
            Requests.note("TomcatShop$Users.doGet", start, "-");
        }
    }

    public static void main(String[] args) throws Exception {
        java.util.logging.LogManager.getLogManager().reset();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[2]);
        tomcat.setPort(0);
        Context context = tomcat.addContext("", new File(args[2]).getAbsolutePath());
        Tomcat.addServlet(context, "orders", new Orders());
        Tomcat.addServlet(context, "users", new Users());
        context.addServletMappingDecoded("/orders", "orders");
        context.addServletMappingDecoded("/users", "users");
        tomcat.start();
        Clients.ask(tomcat.getConnector().getLocalPort(), Integer.parseInt(args[0]));
        tomcat.stop();
        Requests.write(args[1]);
    }

    private TomcatShop() {}
}
