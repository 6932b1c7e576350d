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

/** A semaphore with one place, which is taken. Results: 0 entered, 1 full, 2 too late, -1 none. */
public class SemaphoreStress {
  static class OnePlace {
    final Semaphore semaphore = new Semaphore(1, 4, FiniteDuration.apply(1, "s"));
    final QueuedLoop loop = new QueuedLoop();
    volatile Async<Object> turn;

    OnePlace() { loop.on(semaphore::enter); }

    void come() { loop.on(() -> turn = semaphore.enter()); }

    void after(III_Result r) {
      loop.runAll();
      r.r1 = turn.resultOrNull() == null || !turn.resultOrNull().isValue() ? -1 : (Integer) turn.resultOrNull().value();
      r.r2 = semaphore.inUse();
      r.r3 = semaphore.waiting();
    }
  }

  @JCStressTest
  @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "who waited has the place")
  @Outcome(expect = FORBIDDEN, desc = "somebody waits beside a free place, or a place is lost")
  @State
  public static class WaitWhileOneLeaves extends OnePlace {
    @Actor
    public void comes() { come(); }

    @Actor
    public void leaves() { semaphore.leave(); }

    @Arbiter
    public void result(III_Result r) { after(r); }
  }

  @JCStressTest
  @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "let in just before its time was over")
  @Outcome(id = "2, 0, 0", expect = ACCEPTABLE, desc = "too late: the place is free")
  @Outcome(expect = FORBIDDEN, desc = "a place is lost or given twice")
  @State
  public static class TimeOverWhileOneLeaves extends OnePlace {
    public TimeOverWhileOneLeaves() { come(); }

    @Actor
    public void timeIsOver() { loop.on(loop.timer); }

    @Actor
    public void leaves() { semaphore.leave(); }

    @Arbiter
    public void result(III_Result r) { after(r); }
  }

  @JCStressTest
  @Outcome(id = "-1, 0, 0", expect = ACCEPTABLE, desc = "the place is free")
  @Outcome(expect = FORBIDDEN, desc = "a place is lost or given twice")
  @State
  public static class CancelledWhileOneLeaves extends OnePlace {
    public CancelledWhileOneLeaves() { come(); }

    @Actor
    public void cancelled() { loop.on(() -> turn.cancel()); }

    @Actor
    public void leaves() { semaphore.leave(); }

    @Arbiter
    public void result(III_Result r) { after(r); }
  }

  @JCStressTest
  @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "the new place is that of who waited")
  @Outcome(expect = FORBIDDEN, desc = "somebody waits beside a free place, or a place is lost")
  @State
  public static class OneMoreWhileOneLeaves extends OnePlace {
    public OneMoreWhileOneLeaves() { come(); }

    @Actor
    public void grows() { semaphore.grow(1); }

    @Actor
    public void leaves() { semaphore.leave(); }

    @Arbiter
    public void result(III_Result r) { after(r); }
  }
}
