package needletail.actor;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** Messages from many threads: each accepted one is received once, each refused one is counted, within the capacity. */
public class MailboxStress {
  private static final Overflow REJECT = Overflow.RejectNewest$.MODULE$;
  private static final Overflow DROP = Overflow.DropOldest$.MODULE$;

  static int drain(Mailbox mailbox) {
    int sum = 0;
    for (Object m = mailbox.poll(); m != null; m = mailbox.poll()) sum += (Integer) m;
    return sum;
  }

  @JCStressTest
  @Outcome(id = {"1, 0, 1, 1", "0, 1, 2, 1"}, expect = ACCEPTABLE, desc = "one has the place, the other is refused")
  @Outcome(expect = FORBIDDEN, desc = "more than fit, or fewer")
  @State
  public static class TwoForTheLastPlace {
    final Mailbox mailbox = new Mailbox(1, REJECT);

    @Actor
    public void one(IIII_Result r) { r.r1 = mailbox.offer(1) ? 1 : 0; }

    @Actor
    public void other(IIII_Result r) { r.r2 = mailbox.offer(2) ? 1 : 0; }

    @Arbiter
    public void loop(IIII_Result r) {
      r.r4 = mailbox.size() + (int) mailbox.rejected().get() - 1;
      r.r3 = drain(mailbox);
      if (mailbox.size() != 0) r.r4 = -1;
    }
  }

  @JCStressTest
  @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "full: refused")
  @Outcome(id = {"1, 1, 2"}, expect = ACCEPTABLE, desc = "taken, and there")
  @Outcome(id = {"1, 3, 0"}, expect = ACCEPTABLE, desc = "taken, and received in the same go")
  @Outcome(expect = FORBIDDEN, desc = "a message is lost")
  @State
  public static class OfferWhileTheLoopTakes {
    final Mailbox mailbox = new Mailbox(1, REJECT);

    public OfferWhileTheLoopTakes() { mailbox.offer(1); }

    @Actor
    public void sender(III_Result r) { r.r1 = mailbox.offer(2) ? 1 : 0; }

    @Actor
    public void loop(III_Result r) { r.r2 = drain(mailbox); }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = drain(mailbox);
      if (mailbox.size() != 0) r.r3 = -1;
    }
  }

  @JCStressTest
  @Outcome(id = {"2, 1, 2", "4, 1, 2"}, expect = ACCEPTABLE, desc = "the newest stays, two were dropped")
  @Outcome(expect = FORBIDDEN, desc = "more than fit, or a message that is neither there nor dropped")
  @State
  public static class DropOldest {
    final Mailbox mailbox = new Mailbox(1, DROP);

    public DropOldest() { mailbox.offer(1); }

    @Actor
    public void one() { mailbox.offer(2); }

    @Actor
    public void other() { mailbox.offer(4); }

    @Arbiter
    public void loop(III_Result r) {
      r.r2 = mailbox.size();
      r.r1 = drain(mailbox);
      r.r3 = mailbox.size() == 0 ? (int) mailbox.dropped().get() : -1;
    }
  }

  @JCStressTest
  @Outcome(id = {"1, 2, 0", "3, 0, 0"}, expect = ACCEPTABLE, desc = "both received")
  @Outcome(id = {"0, 2, 1", "2, 0, 1"}, expect = ACCEPTABLE, desc = "the oldest was dropped and counted")
  @Outcome(expect = FORBIDDEN, desc = "a message that is neither received nor dropped")
  @State
  public static class DropWhileTheLoopTakes {
    final Mailbox mailbox = new Mailbox(1, DROP);

    public DropWhileTheLoopTakes() { mailbox.offer(1); }

    @Actor
    public void sender() { mailbox.offer(2); }

    @Actor
    public void loop(III_Result r) { r.r1 = drain(mailbox); }

    @Arbiter
    public void rest(III_Result r) {
      r.r2 = drain(mailbox);
      r.r3 = mailbox.size() == 0 ? (int) mailbox.dropped().get() : -1;
    }
  }

  @JCStressTest
  @Outcome(id = {"1, 0, 0", "0, 1, 0"}, expect = ACCEPTABLE, desc = "received, or taken back")
  @Outcome(expect = FORBIDDEN, desc = "both or neither")
  @State
  public static class TakeBack {
    final Mailbox mailbox = new Mailbox(2, REJECT);
    final Integer message = 1;

    public TakeBack() { mailbox.offer(message); }

    @Actor
    public void sender(III_Result r) { r.r1 = mailbox.remove(message) ? 1 : 0; }

    @Actor
    public void loop(III_Result r) { r.r2 = drain(mailbox); }

    @Arbiter
    public void rest(III_Result r) { r.r3 = mailbox.size(); }
  }
}
