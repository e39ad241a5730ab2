import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Three controllers, of which one is asked seldom: SpringShop COUNT TRUTH. */
@EnableAutoConfiguration
@Import({SpringShop.Orders.class, SpringShop.Users.class, SpringShop.Health.class})
public class SpringShop {
    @RestController
    static class Orders {
        @GetMapping("/orders")
        String order(@RequestParam("n") int number) {
            long start = System.nanoTime();
            String cause = Requests.order(number);
            Requests.note("SpringShop$Orders.order", start, cause);
            return cause;
        }
    }

    @RestController
    static class Users {
        @GetMapping("/users")
        String user(@RequestParam("n") int number) {
            long start = System.nanoTime();
            String cause = Requests.user(number);
            Requests.note("SpringShop$Users.user", start, cause);
            return cause;
        }
    }

    @RestController
    static class Health {
        @GetMapping("/health")
        String health() {
            return "well";
        }
    }

    public static void main(String[] args) throws Exception {
        SpringApplication application = new SpringApplication(SpringShop.class);
        application.setDefaultProperties(java.util.Map.of("server.port", "0", "logging.level.root", "off",
                "spring.main.banner-mode", "off"));
        ServletWebServerApplicationContext context = (ServletWebServerApplicationContext) application.run();
        Clients.ask(context.getWebServer().getPort(), Integer.parseInt(args[0]));
        context.close();
        Requests.write(args[1]);
    }
}
