package needletail.actor;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import needletail.stress.QueuedLoop;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.III_Result;
import scala.concurrent.duration.FiniteDuration;

/** An actor and its senders: no message is lost when the actor becomes idle, and each is counted when it stops. */
public class CellStress {
  static final ActorSettings SETTINGS = new ActorSettings(
      "a", 16, Overflow.RejectNewest$.MODULE$, 0, FiniteDuration.apply(1, "s"), 8, scala.Option.empty());

  /** An actor that adds up what it receives, started and idle. */
  static class Adding {
    final QueuedLoop loop = new QueuedLoop();
    int sum = 0; // the loop's
    final ActorCell<Integer> cell = new ActorCell<>(loop, SETTINGS, context -> message -> sum += message);

    Adding() {
      cell.begin();
      loop.runAll();
    }
  }

  @JCStressTest
  @Outcome(id = "7", expect = ACCEPTABLE, desc = "all received")
  @Outcome(expect = FORBIDDEN, desc = "a message waits in the mailbox of an actor that nobody will wake")
  @State
  public static class GrowsIdle extends Adding {
    public GrowsIdle() { cell.send(1); }

    @Actor
    public void sender() {
      cell.send(2);
      cell.send(4);
    }

    @Actor
    public void loop() { loop.runAll(); }

    @Arbiter
    public void laterTurns(org.openjdk.jcstress.infra.results.I_Result r) {
      loop.runAll();
      r.r1 = sum;
    }
  }

  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "all received")
  @Outcome(expect = FORBIDDEN, desc = "two senders leave the actor to each other")
  @State
  public static class TwoWakeIt extends Adding {
    @Actor
    public void one() { cell.send(1); }

    @Actor
    public void other() { cell.send(2); }

    @Arbiter
    public void laterTurns(org.openjdk.jcstress.infra.results.I_Result r) {
      loop.runAll();
      r.r1 = sum;
    }
  }

  @JCStressTest
  @Outcome(id = {"0, 0, 1", "1, 0, 1"}, expect = ACCEPTABLE, desc = "a dead letter, whether it looked taken or not")
  @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "received")
  @Outcome(expect = FORBIDDEN, desc = "a message that was neither received nor counted, or both")
  @State
  public static class Stops extends Adding {
    @Actor
    public void sender(III_Result r) { r.r1 = cell.send(1) ? 1 : 0; }

    @Actor
    public void loop() {
      cell.stop();
      loop.runAll();
    }

    @Arbiter
    public void laterTurns(III_Result r) {
      loop.runAll();
      r.r2 = sum;
      r.r3 = (int) cell.stats().deadLetters();
    }
  }

  @JCStressTest
  @Outcome(id = {"0, 0, 1"}, expect = ACCEPTABLE, desc = "refused, a dead letter")
  @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "received")
  @Outcome(expect = FORBIDDEN, desc = "a message that was neither received nor counted, or both")
  @State
  public static class ItsLoopEnds extends Adding {
    @Actor
    public void sender(III_Result r) { r.r1 = cell.send(1) ? 1 : 0; }

    @Actor
    public void loop() { loop.end(); }

    @Arbiter
    public void lastTurn(III_Result r) {
      loop.runAll();
      r.r2 = sum;
      r.r3 = (int) cell.stats().deadLetters();
    }
  }

  @JCStressTest
  @Outcome(id = {"0, 0, 2", "0, 1, 2", "1, 0, 2"}, expect = ACCEPTABLE, desc = "dead letters, whether they looked taken or not")
  @Outcome(expect = FORBIDDEN, desc = "a message that nobody will receive and nobody has counted")
  @State
  public static class TwoSendAfterItsLoopHasEnded extends Adding {
    public TwoSendAfterItsLoopHasEnded() { loop.end(); }

    @Actor
    public void one(III_Result r) { r.r1 = cell.send(1) ? 1 : 0; }

    @Actor
    public void other(III_Result r) { r.r2 = cell.send(2) ? 1 : 0; }

    @Arbiter
    public void counted(III_Result r) { r.r3 = (int) cell.stats().deadLetters(); }
  }

  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "told once each")
  @Outcome(expect = FORBIDDEN, desc = "never told, or twice")
  @State
  public static class Watched {
    final DeathWatch watches = new DeathWatch();
    final java.util.concurrent.atomic.AtomicInteger early = new java.util.concurrent.atomic.AtomicInteger();
    final java.util.concurrent.atomic.AtomicInteger late = new java.util.concurrent.atomic.AtomicInteger();

    public Watched() { watches.add(early::incrementAndGet); }

    @Actor
    public void watcher() { watches.add(late::incrementAndGet); }

    @Actor
    public void stopping() { watches.stopped(failed -> scala.runtime.BoxedUnit.UNIT); }

    @Arbiter
    public void told(II_Result r) {
      r.r1 = early.get();
      r.r2 = late.get();
    }
  }
}
