import java.io.File;
import org.apache.catalina.Context;
import org.apache.catalina.Executor;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.AbstractProtocol;

/** A Tomcat for one web application: usage: Serve WAR FOLDER THREADS, 0 threads being virtual ones. */
public final class Serve {
    public static void main(String[] args) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[1]);
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("maxThreads", args[2]);
        connector.setProperty("minSpareThreads", args[2]);
        connector.setProperty("maxKeepAliveRequests", "-1");
        tomcat.setConnector(connector);
        if (args[2].equals("0")) {
            Executor executor = (Executor) Class.forName(
                    "org.apache.catalina.core.StandardVirtualThreadExecutor").getConstructor().newInstance();
            executor.getClass().getMethod("setName", String.class).invoke(executor, "virtual");
            tomcat.getService().addExecutor(executor);
            ((AbstractProtocol<?>) connector.getProtocolHandler()).setExecutor(executor);
        }
        new File(args[1], "webapps").mkdirs();
        Context context = tomcat.addWebapp("", new File(args[0]).getAbsolutePath());
        context.setParentClassLoader(Serve.class.getClassLoader());
        tomcat.start();
        System.out.println("port " + connector.getLocalPort());
        tomcat.getServer().await();
    }
}
