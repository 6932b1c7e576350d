import static io.gatling.javaapi.core.CoreDsl.*;
import static io.gatling.javaapi.http.HttpDsl.*;

import io.gatling.javaapi.core.Simulation;

/**
 * One address asked by so many users who do not pause, or at so many requests a second, over connections that are kept alive
 * and shared. Percentiles are Gatling's own, in whole milliseconds.
 */
public class Plaintext extends Simulation {
  {
    var url = System.getProperty("url");
    var seconds = Long.getLong("seconds");
    var users = Integer.getInteger("users");
    var rate = Double.parseDouble(System.getProperty("rate", "0"));
    var ask = http("plaintext").get(url).check(status().is(200));
    // What a browser would send beside the request costs time on both sides; the others do not send it.
    var protocol = http.disableCaching().disableUrlEncoding().disableFollowRedirect().shareConnections();
    if (rate > 0)
      setUp(scenario("rate").exec(ask).injectOpen(constantUsersPerSec(rate).during(seconds))).protocols(protocol);
    else
      setUp(scenario("users").during(seconds).on(exec(ask)).injectOpen(atOnceUsers(users))).protocols(protocol);
  }
}
