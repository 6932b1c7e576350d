package needletail.io.platform

/** Level-triggered readiness. Used by one thread, except for `wakeUp`. */
private[needletail] abstract class Poller {

  /** The system interface that it uses: `epoll`, `io_uring`, `nio`. */
  def name: String

  /** Begins to watch `d`. If it is watched already, replaces its source and interest. */
  def register(d: Descriptor, source: Pollable, interest: Int): Unit

  /**
   * Changes what `d` is watched for: at most one system call, none if nothing changes. 0 watches nothing; where the
   * system tells it, the source is nevertheless told, once or twice, by `Interest.Failure`, of an error or that neither
   * side sends any more. java.nio does not tell it.
   */
  def setInterest(d: Descriptor, interest: Int): Unit

  /** To be called before `d` is closed, watched or not; events of this turn may still arrive. */
  def forget(d: Descriptor): Unit

  /** Watches `d` no more, which stays open and may be watched again, also as another `Descriptor`. */
  def release(d: Descriptor): Unit = forget(d)

  /**
   * Waits for events for at most `timeoutMillis` (0: does not wait, -1: without limit), then calls `dispatch` of its
   * loop for each source that is ready. Errors and hang-ups make a source ready for everything it waits for, so that
   * the next read or write throws the error.
   */
  def poll(timeoutMillis: Int): Unit

  /** Makes the current or the next `poll` return at once. From any thread. */
  def wakeUp(): Unit

  /** Calls `f` for the source of each watched descriptor. */
  def foreach(f: Pollable => Unit): Unit

  /** Releases the poller's own resources, not the descriptors it watches. */
  def close(): Unit
}
