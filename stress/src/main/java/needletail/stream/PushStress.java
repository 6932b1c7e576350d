package needletail.stream;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import needletail.async.Async;
import needletail.stress.QueuedLoop;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.IIII_Result;
import scala.Option;

/** A stream that several threads fill while its loop reads, ends or leaves it. Nothing is lost, and nobody waits for ever. */
public class PushStress {
  /** 1 accepted, 0 full, -1 closed. */
  static int offer(Push<Integer> push, int element) {
    Offer answer = push.offer(element);
    return answer == Offer.Accepted$.MODULE$ ? 1 : answer == Offer.Closed$.MODULE$ ? -1 : 0;
  }

  /** The element that `next` has: 0 at the end, -1 while it waits, -2 for a failure. */
  static int found(Async<Option<Integer>> next) {
    if (next == null || next.resultOrNull() == null) return -1; // null: jcstress runs the arbiter alone once
    if (!next.resultOrNull().isValue()) return -2;
    Option<Integer> element = next.resultOrNull().value();
    return element.isEmpty() ? 0 : element.get();
  }

  static class OnALoop {
    final QueuedLoop loop = new QueuedLoop();
    final Push<Integer> push = new Push<>(1);
    volatile Async<Option<Integer>> next;
    volatile Async<Object> sent;

    void read() { loop.on(() -> next = push.stream().next()); }

    void send(int element) { loop.on(() -> sent = push.send(element)); }

    /** What the loop finds when all its tasks have run. */
    int next() {
      loop.runAll();
      return found(next);
    }

    int sent() {
      loop.runAll();
      return sent == null || sent.resultOrNull() == null ? -1 : (Boolean) sent.resultOrNull().value() ? 1 : 0;
    }

    /** Reads what is there, at most one element. */
    int rest() {
      read();
      return next();
    }
  }

  @JCStressTest
  @Outcome(id = {"1, 0, 1, -1", "0, 1, 2, -1"}, expect = ACCEPTABLE, desc = "one has the place, the other is told that it is full")
  @Outcome(expect = FORBIDDEN, desc = "more than fit, or fewer")
  @State
  public static class TwoForTheLastPlace extends OnALoop {
    @Actor
    public void one(IIII_Result r) { r.r1 = offer(push, 1); }

    @Actor
    public void other(IIII_Result r) { r.r2 = offer(push, 2); }

    @Arbiter
    public void loop(IIII_Result r) {
      r.r3 = rest();
      r.r4 = rest();
    }
  }

  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "the reader has the element")
  @Outcome(expect = FORBIDDEN, desc = "the element is lost, or the reader waits beside it")
  @State
  public static class OfferWhileTheReaderBeginsToWait extends OnALoop {
    @Actor
    public void sender(II_Result r) { r.r1 = offer(push, 1); }

    @Actor
    public void reader() { read(); }

    @Arbiter
    public void loop(II_Result r) { r.r2 = next(); }
  }

  @JCStressTest
  @Outcome(id = {"1, 1, 0", "-1, 0, 0"}, expect = ACCEPTABLE, desc = "accepted and read before the end, or refused")
  @Outcome(expect = FORBIDDEN, desc = "an accepted element is lost, or the end is")
  @State
  public static class OfferWhileItCompletes extends OnALoop {
    public OfferWhileItCompletes() { read(); }

    @Actor
    public void sender(III_Result r) { r.r1 = offer(push, 1); }

    @Actor
    public void ender() { push.complete(); }

    @Arbiter
    public void loop(III_Result r) {
      r.r2 = next();
      r.r3 = rest();
    }
  }

  @JCStressTest
  @Outcome(id = {"1, -1, 0", "-1, -1, 0"}, expect = ACCEPTABLE, desc = "dropped or refused; no more is accepted")
  @Outcome(expect = FORBIDDEN, desc = "one that has ended accepts or gives an element")
  @State
  public static class OfferWhileTheReaderCancels extends OnALoop {
    @Actor
    public void sender(III_Result r) { r.r1 = offer(push, 1); }

    @Actor
    public void reader() { loop.on(() -> push.stream().cancel()); }

    @Arbiter
    public void loop(III_Result r) {
      r.r2 = offer(push, 2);
      r.r3 = rest();
    }
  }

  @JCStressTest
  @Outcome(id = "9, 1, 1", expect = ACCEPTABLE, desc = "who waits for room gets it")
  @Outcome(expect = FORBIDDEN, desc = "somebody waits beside a free place, or an element is lost")
  @State
  public static class WaitForRoomWhileTheReaderTakes extends OnALoop {
    final QueuedLoop readers = new QueuedLoop();
    volatile Async<Option<Integer>> first;

    public WaitForRoomWhileTheReaderTakes() { push.offer(9); }

    @Actor
    public void sender() { send(1); }

    @Actor
    public void reader() { readers.on(() -> first = push.stream().next()); }

    @Arbiter
    public void loop(III_Result r) {
      readers.runAll();
      r.r1 = found(first);
      r.r2 = sent();
      r.r3 = rest();
    }
  }

  @JCStressTest
  @Outcome(id = {"0, 0", "1, 0"}, expect = ACCEPTABLE, desc = "told that it is over")
  @Outcome(expect = FORBIDDEN, desc = "waits for ever")
  @State
  public static class WaitForRoomWhileTheReaderCancels extends OnALoop {
    final QueuedLoop readers = new QueuedLoop();

    public WaitForRoomWhileTheReaderCancels() { push.offer(9); }

    @Actor
    public void sender() { send(1); }

    @Actor
    public void reader() { readers.on(() -> push.stream().cancel()); }

    @Arbiter
    public void loop(II_Result r) {
      r.r1 = sent();
      r.r2 = rest();
    }
  }

  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "the one that still wants it has the place; nobody is left waiting")
  @Outcome(expect = FORBIDDEN, desc = "the place is lost with the one that gave up")
  @State
  public static class OneGivesUpWhileTheReaderTakes extends OnALoop {
    final QueuedLoop readers = new QueuedLoop();
    volatile Async<Object> gone;

    public OneGivesUpWhileTheReaderTakes() {
      push.offer(9);
      loop.on(() -> gone = push.send(8));
      send(1);
    }

    @Actor
    public void gives() { loop.on(() -> gone.cancel()); }

    @Actor
    public void reader() { readers.on(() -> push.stream().next()); }

    @Arbiter
    public void loop(II_Result r) {
      loop.runAll();
      // the reader comes back, finds nothing or one, and tells all who wait
      for (int i = 0; i < 3; i++) {
        readers.on(() -> { if (next == null || next.isCompleted()) next = push.stream().next(); });
        readers.runAll();
        loop.runAll();
      }
      r.r1 = sent();
      r.r2 = push.waiting();
    }
  }
}
