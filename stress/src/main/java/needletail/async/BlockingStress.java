package needletail.async;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import needletail.stress.QueuedLoop;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import scala.concurrent.duration.FiniteDuration;

/** Cancelled blocking work: an interrupt reaches this task or none, never the next one of its thread. */
public class BlockingStress {
  static final Blocking OWNER =
      new Blocking(new BlockingConfig(1, 1, FiniteDuration.apply(10, "s"), false, 1));

  @JCStressTest
  @Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "given up before it began")
  @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "given up while it ran: nobody is told")
  @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "it was over before: its result is on the way")
  @Outcome(expect = FORBIDDEN, desc = "the thread is left interrupted, or a result is lost or told though given up")
  @State
  public static class StopWhileItRuns {
    final QueuedLoop loop = new QueuedLoop();
    final Blocking.Answer<Integer> answer = new Blocking.Answer<>(loop);
    volatile boolean ran = false;
    final Blocking.Work<Integer> work = new Blocking.Work<>(OWNER, answer, () -> {
      ran = true;
      return 1;
    });

    @Actor
    public void thread(III_Result r) {
      work.run();
      r.r2 = Thread.currentThread().isInterrupted() ? 1 : 0;
    }

    @Actor
    public void loop() { work.stop(); }

    @Arbiter
    public void after(III_Result r) {
      loop.runAll();
      r.r1 = ran ? 1 : 0;
      r.r3 = answer.isOpen() ? 0 : 1;
    }
  }
}
