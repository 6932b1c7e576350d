package needletail.io;

import needletail.io.loop.TaskQueue;
import needletail.io.system.NioPoller;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;

/** A loop that waits without a timeout, in the poller itself, is woken by a task. */
public class WakeUpStress {
  @JCStressTest(Mode.Termination)
  @Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE, desc = "the task was taken")
  @Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "the loop sleeps, and its task waits")
  @State
  public static class WaitForATask {
    final TaskQueue queue = new TaskQueue();
    final NioPoller poller = new NioPoller(null);

    @Actor
    public void loop() {
      TaskQueue.Node node = null;
      while (node == null) {
        poller.poll(queue.fallAsleep() ? -1 : 0);
        queue.awake();
        node = queue.takeAll();
      }
      poller.close();
    }

    @Signal
    public void producer() {
      if (queue.add(() -> {}) == TaskQueue.MustWake()) poller.wakeUp();
    }
  }
}
