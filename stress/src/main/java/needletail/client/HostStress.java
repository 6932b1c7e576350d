package needletail.client;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import needletail.client.config.BreakerConfig;
import needletail.client.policy.Breaker;
import needletail.client.policy.RetryBudget;
import needletail.client.pool.HostCounts;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.III_Result;
import scala.concurrent.duration.FiniteDuration;

/** The state of a host that all loops of a client share: its breaker, its retry budget, and the counts of each loop. */
public class HostStress {
  static final BreakerConfig CONFIG =
      new BreakerConfig(true, FiniteDuration.apply(10, "s"), 1, 0.5, FiniteDuration.apply(1, "s"), 1);
  static final long OPEN_AGAIN = 5_000_000_000L;

  static boolean isAdmitted(Breaker breaker) { return breaker.admit(OPEN_AGAIN) != Breaker.Rejected(); }

  @JCStressTest
  @Outcome(id = {"1, 0", "0, 1"}, expect = ACCEPTABLE, desc = "one probe, as configured")
  @Outcome(expect = FORBIDDEN, desc = "none or two")
  @State
  public static class OneProbe {
    final Breaker breaker = new Breaker(CONFIG);

    public OneProbe() { breaker.failed(breaker.admit(0), 0); }

    @Actor
    public void one(II_Result r) { r.r1 = isAdmitted(breaker) ? 1 : 0; }

    @Actor
    public void other(II_Result r) { r.r2 = isAdmitted(breaker) ? 1 : 0; }
  }

  @JCStressTest
  @Outcome(id = {"1, 0, 0", "0, 1, 0", "0, 1, 1", "1, 0, 1"}, expect = ACCEPTABLE, desc = "its probe is given to one other, now or later")
  @Outcome(expect = FORBIDDEN, desc = "a probe is lost or doubled: the breaker would stay half open for ever")
  @State
  public static class ProbeWithdrawn {
    final Breaker breaker = new Breaker(CONFIG);
    final int probe;

    public ProbeWithdrawn() {
      breaker.failed(breaker.admit(0), 0);
      probe = breaker.admit(OPEN_AGAIN);
    }

    @Actor
    public void withdraws() { breaker.withdrawn(probe); }

    @Actor
    public void asks(III_Result r) { r.r1 = isAdmitted(breaker) ? 1 : 0; }

    @Arbiter
    public void later(III_Result r) {
      r.r2 = isAdmitted(breaker) ? 1 : 0;
      r.r3 = isAdmitted(breaker) ? 1 : 0;
      if (r.r3 == 1) r.r3 = -1;
    }
  }

  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "as many are spent as there were")
  @Outcome(id = {"1, 0", "0, 1"}, expect = FORBIDDEN, desc = "a token is lost")
  @Outcome(expect = FORBIDDEN, desc = "more than there were")
  @State
  public static class Budget {
    final RetryBudget budget = new RetryBudget(0.5, 1, 10);

    @Actor
    public void spends(II_Result r) { r.r1 = budget.spend() ? 1 : 0; }

    @Actor
    public void earns() {
      budget.earn();
      budget.earn();
    }

    @Arbiter
    public void left(II_Result r) { r.r2 = budget.left(); }
  }

  @JCStressTest
  @Outcome(id = {"1, 0, 0", "0, 1, 0"}, expect = ACCEPTABLE, desc = "one has the last token")
  @Outcome(expect = FORBIDDEN, desc = "both or neither")
  @State
  public static class LastToken {
    final RetryBudget budget = new RetryBudget(0.5, 1, 10);

    @Actor
    public void one(III_Result r) { r.r1 = budget.spend() ? 1 : 0; }

    @Actor
    public void other(III_Result r) { r.r2 = budget.spend() ? 1 : 0; }

    @Arbiter
    public void left(III_Result r) { r.r3 = budget.left(); }
  }

  @JCStressTest
  @Outcome(id = {"0, 0", "0, 1", "0, 2", "1, 1", "1, 2", "2, 2"}, expect = ACCEPTABLE, desc = "a count of that time")
  @Outcome(expect = FORBIDDEN, desc = "a count that goes back, or never was")
  @State
  public static class Counts {
    final HostCounts counts = new HostCounts();

    @Actor
    public void loop() {
      counts.add(HostCounts.Calls(), 1);
      counts.add(HostCounts.Calls(), 1);
    }

    @Actor
    public void reads(II_Result r) {
      r.r1 = (int) counts.get(HostCounts.Calls());
      r.r2 = (int) counts.get(HostCounts.Calls());
    }
  }
}
