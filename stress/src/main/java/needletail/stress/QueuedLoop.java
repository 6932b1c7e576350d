package needletail.stress;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import needletail.async.Loop;
import needletail.async.Timer;

/** A loop that runs on the thread that calls `runAll`: tasks come from any thread, timers never fire by themselves. */
public final class QueuedLoop implements Loop {
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private volatile boolean ended = false;

  /** The last that was scheduled, for tests in which its time comes. */
  public Runnable timer = null;

  /** Only while it runs: what other threads complete has to come through `execute`. */
  public boolean inLoop() { return needletail.async.Loop$.MODULE$.currentOrNull() == this; }

  public void execute(Runnable task) {
    if (ended) throw new RejectedExecutionException("the loop has ended");
    tasks.add(task);
  }

  public Timer schedule(long delayNanos, Runnable task) {
    timer = task;
    return () -> {};
  }

  public long nowNanos() { return 0; }

  public void end() { ended = true; }

  /** All tasks, also those that come meanwhile, on the calling thread. */
  public void runAll() {
    needletail.async.Loop$.MODULE$.enter(this);
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) task.run();
    needletail.async.Loop$.MODULE$.leave();
  }

  /** The same for something else than a task. */
  public void on(Runnable body) {
    needletail.async.Loop$.MODULE$.enter(this);
    body.run();
    needletail.async.Loop$.MODULE$.leave();
  }
}
