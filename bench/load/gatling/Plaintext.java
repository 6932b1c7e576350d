import static io.gatling.javaapi.core.CoreDsl.*;
import static io.gatling.javaapi.http.HttpDsl.*;

import io.gatling.javaapi.core.Simulation;

/**
 * Requests one URL with a number of users without pauses, or at a number of requests per second, over shared keep-alive
 * connections. Percentiles are Gatling's own, in whole milliseconds.
 */
public class Plaintext extends Simulation {
  {
    var url = System.getProperty("url");
    var seconds = Long.getLong("seconds");
    var users = Integer.getInteger("users");
    var rate = Double.parseDouble(System.getProperty("rate", "0"));
    var ask = http("plaintext").get(url).check(status().is(200));
    // Without a browser's headers, which cost time on both sides: the other testers do not send them either.
    var protocol = http.disableCaching().disableUrlEncoding().disableFollowRedirect().shareConnections();
    if (rate > 0)
      setUp(scenario("rate").exec(ask).injectOpen(constantUsersPerSec(rate).during(seconds))).protocols(protocol);
    else
      setUp(scenario("users").during(seconds).on(exec(ask)).injectOpen(atOnceUsers(users))).protocols(protocol);
  }
}
