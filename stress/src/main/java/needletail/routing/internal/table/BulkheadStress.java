package needletail.routing.internal.table;

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

/** Places of a bulkhead that all loops share: none is lost or given twice, and none is free while a request waits. */
public class BulkheadStress {
  static final FiniteDuration SECOND = FiniteDuration.apply(1, "s");

  /** 1: let in, 0: refused, -1: nothing has happened, -2: it did not come so far. */
  static int turn(Bulkhead.Waiter waiter) {
    return waiter == null ? -2
        : waiter.turn().resultOrNull() == null ? -1
        : Boolean.TRUE.equals(waiter.turn().resultOrNull().toTry().get()) ? 1 : 0;
  }

  /** Of one place, which is taken at first. */
  static class OnePlace {
    final Bulkhead bulkhead = new Bulkhead(1, 4, SECOND);
    final QueuedLoop loop = new QueuedLoop();
    volatile Bulkhead.Waiter waiter;

    OnePlace() { bulkhead.tryEnter(); }

    void come() { loop.on(() -> waiter = bulkhead.tryWait()); }
  }

  @JCStressTest
  @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "who waited has the place")
  @Outcome(expect = FORBIDDEN, desc = "somebody waits beside a free place, or a place is lost")
  @State
  public static class WaitWhileOneLeaves extends OnePlace {
    @Actor
    public void comes() { come(); }

    @Actor
    public void leaves() { bulkhead.leave(); }

    @Arbiter
    public void after(III_Result r) {
      loop.runAll();
      r.r1 = turn(waiter);
      r.r2 = bulkhead.taken();
      r.r3 = bulkhead.queued();
    }
  }

  @JCStressTest
  @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "let in just before its time was over")
  @Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "it gave up: the place is free")
  @Outcome(expect = FORBIDDEN, desc = "a place is lost or given twice")
  @State
  public static class TimeOverWhileOneLeaves extends OnePlace {
    public TimeOverWhileOneLeaves() { come(); }

    @Actor
    public void timeIsOver() { loop.on(loop.timer); }

    @Actor
    public void leaves() { bulkhead.leave(); }

    @Arbiter
    public void after(III_Result r) {
      loop.runAll();
      r.r1 = turn(waiter);
      r.r2 = bulkhead.taken();
      r.r3 = bulkhead.queued();
    }
  }

  @JCStressTest
  @Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "the place is free")
  @Outcome(expect = FORBIDDEN, desc = "a place is lost or given twice")
  @State
  public static class CancelledWhileOneLeaves extends OnePlace {
    public CancelledWhileOneLeaves() { come(); }

    @Actor
    public void cancelled() { loop.on(() -> waiter.turn().cancel()); }

    @Actor
    public void leaves() { bulkhead.leave(); }

    @Arbiter
    public void after(III_Result r) {
      loop.runAll();
      r.r1 = waiter.turn().resultOrNull() != null && waiter.turn().resultOrNull().isValue() ? 1 : 0;
      r.r2 = bulkhead.taken();
      r.r3 = bulkhead.queued();
    }
  }

  @JCStressTest
  @Outcome(id = {"1, 0, 1", "0, 1, 1"}, expect = ACCEPTABLE, desc = "one has it")
  @Outcome(expect = FORBIDDEN, desc = "both or neither")
  @State
  public static class TwoForTheLastPlace {
    final Bulkhead bulkhead = new Bulkhead(1, 4, SECOND);

    @Actor
    public void one(III_Result r) { r.r1 = bulkhead.tryEnter() ? 1 : 0; }

    @Actor
    public void other(III_Result r) { r.r2 = bulkhead.tryEnter() ? 1 : 0; }

    @Arbiter
    public void after(III_Result r) { r.r3 = bulkhead.taken(); }
  }

  @JCStressTest
  @Outcome(id = "2, 2, 0", expect = ACCEPTABLE, desc = "both who waited are in")
  @Outcome(expect = FORBIDDEN, desc = "somebody waits beside a free place, or a place is lost")
  @State
  public static class TwoLeaveWhileTwoWait {
    final Bulkhead bulkhead = new Bulkhead(2, 4, SECOND);
    final QueuedLoop loop = new QueuedLoop();
    final QueuedLoop other = new QueuedLoop();
    Bulkhead.Waiter first;
    volatile Bulkhead.Waiter second;

    public TwoLeaveWhileTwoWait() {
      bulkhead.tryEnter();
      bulkhead.tryEnter();
      loop.on(() -> first = bulkhead.tryWait());
    }

    @Actor
    public void comes() {
      other.on(() -> second = bulkhead.tryWait());
      bulkhead.leave();
    }

    @Actor
    public void leaves() { bulkhead.leave(); }

    @Arbiter
    public void after(III_Result r) {
      loop.runAll();
      other.runAll();
      r.r1 = turn(first) + turn(second);
      r.r2 = bulkhead.taken();
      r.r3 = bulkhead.queued();
    }
  }
}
