package needletail.io.loop;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.III_Result;

/** The contract of {@link TaskQueue} for a loop and for producers of tasks. */
public class TaskQueueStress {
  private static final int ADDED = 0, MUST_WAKE = 1, REJECTED = 2;

  /** A task whose field is written before it is added, without any synchronisation of its own. */
  static final class Task implements Runnable {
    int number;

    Task(int number) { this.number = number; }

    public void run() {}
  }

  static int count(TaskQueue.Node node) {
    int n = 0;
    for (; node != null; node = node.next()) n += ((Task) node.task()).number;
    return n;
  }

  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "asleep before the task came: its producer wakes the loop")
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "the task was there: the loop does not sleep")
  @Outcome(expect = FORBIDDEN, desc = "a lost wake-up, or one for nothing")
  @State
  public static class FallAsleep {
    final TaskQueue queue = new TaskQueue();

    @Actor
    public void loop(II_Result r) { r.r1 = queue.fallAsleep() ? 1 : 0; }

    @Actor
    public void producer(II_Result r) { r.r2 = queue.add(new Task(1)); }
  }

  @JCStressTest
  @Outcome(id = {"1, 0, 3", "0, 1, 3"}, expect = ACCEPTABLE, desc = "one of them wakes the loop")
  @Outcome(expect = FORBIDDEN, desc = "nobody wakes it, both do, or a task is lost")
  @State
  public static class TwoProducersFindItAsleep {
    final TaskQueue queue = new TaskQueue();

    public TwoProducersFindItAsleep() { queue.fallAsleep(); }

    @Actor
    public void one(III_Result r) { r.r1 = queue.add(new Task(1)); }

    @Actor
    public void other(III_Result r) { r.r2 = queue.add(new Task(2)); }

    @Arbiter
    public void loop(III_Result r) {
      queue.awake();
      r.r3 = count(queue.takeAll());
    }
  }

  @JCStressTest
  @Outcome(id = {"0, 7, 7", "1, 7, 7", "3, 7, 7", "7, 7, 7"}, expect = ACCEPTABLE, desc = "all of them, in their order")
  @Outcome(expect = FORBIDDEN, desc = "lost, doubled or out of order")
  @State
  public static class TakeWhileTheyCome {
    final TaskQueue queue = new TaskQueue();
    TaskQueue.Node first;

    @Actor
    public void loop(III_Result r) {
      first = queue.takeAll();
      r.r1 = count(first);
    }

    @Actor
    public void producer() {
      queue.add(new Task(1));
      queue.add(new Task(2));
      queue.add(new Task(4));
    }

    @Arbiter
    public void rest(III_Result r) {
      TaskQueue.Node last = queue.takeAll();
      r.r2 = count(first) + count(last);
      int order = 0, expected = 1;
      for (TaskQueue.Node part : new TaskQueue.Node[] {first, last})
        for (TaskQueue.Node n = part; n != null; n = n.next()) {
          if (((Task) n.task()).number == expected) order += expected;
          expected *= 2;
        }
      r.r3 = order;
    }
  }

  @JCStressTest
  @Outcome(id = {"0, 1", "1, 0"}, expect = ACCEPTABLE, desc = "taken, or to be taken in the next turn")
  @Outcome(expect = FORBIDDEN, desc = "the task is lost")
  @State
  public static class AwakeBySomethingElse {
    final TaskQueue queue = new TaskQueue();

    public AwakeBySomethingElse() { queue.fallAsleep(); }

    @Actor
    public void loop(II_Result r) {
      queue.awake();
      r.r1 = count(queue.takeAll());
    }

    @Actor
    public void producer() { queue.add(new Task(1)); }

    @Arbiter
    public void nextTurn(II_Result r) { r.r2 = count(queue.takeAll()); }
  }

  @JCStressTest
  @Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "too late: refused")
  @Outcome(id = {"0, 1", "1, 1"}, expect = ACCEPTABLE, desc = "in time: among the last tasks")
  @Outcome(expect = FORBIDDEN, desc = "taken and never run, or run though refused")
  @State
  public static class Close {
    final TaskQueue queue = new TaskQueue();

    @Actor
    public void loop(II_Result r) { r.r2 = count(queue.close()); }

    @Actor
    public void producer(II_Result r) { r.r1 = queue.add(new Task(1)); }
  }

  @JCStressTest
  @Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "too late: refused")
  @Outcome(id = {"0, 1", "1, 1"}, expect = ACCEPTABLE, desc = "in time: among the last tasks")
  @Outcome(expect = FORBIDDEN, desc = "taken and never run, or run though refused")
  @State
  public static class CloseWhileAsleep {
    final TaskQueue queue = new TaskQueue();

    public CloseWhileAsleep() { queue.fallAsleep(); }

    @Actor
    public void loop(II_Result r) {
      queue.awake();
      int taken = count(queue.takeAll());
      r.r2 = taken + count(queue.close());
    }

    @Actor
    public void producer(II_Result r) { r.r1 = queue.add(new Task(1)); }
  }
}
