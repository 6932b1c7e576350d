package needletail.async

import java.util.concurrent.{CountDownLatch, RejectedExecutionException, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.duration._

/** Threads are started when there are tasks, end when there are none, and leave none behind. */
class OnDemandThreadsSuite extends ThreadLoopSuite {
  private def threads(most: Int, queue: Int = 1024, idle: FiniteDuration = 20.seconds) =
    new OnDemandThreads("on-demand", most, queue, idle)

  /** Occupies a thread until it is given up. */
  private final class Busy(threads: OnDemandThreads) {
    private val begun = new CountDownLatch(1)
    private val gate  = new CountDownLatch(1)
    threads.execute { () => begun.countDown(); gate.await(60, TimeUnit.SECONDS); () }
    arrives(begun)

    def end(): Unit = gate.countDown()
  }

  test("a task is not left in the queue where an idle thread ends just then and the others are busy") {
    val two =
      threads(most = 2, idle = 1.nano) // each thread ends after its task, unless there is another by then
    val busy = new Busy(two)
    try
      for (i <- 1 to 100) {
        val done = new AtomicBoolean
        two.execute(() => done.set(true))
        // not parked: the next task has to come while the thread ends
        val until = System.nanoTime + bound.toNanos
        while (!done.get) if (System.nanoTime - until > 0) fail(s"task $i waits")
      }
    finally busy.end()
    eventually(two.size == 0)
  }

  test("as many threads as allowed, then tasks wait, then they are refused") {
    val pool = threads(most = 2, queue = 1)
    val busy = Seq.fill(2)(new Busy(pool))
    val done = new CountDownLatch(1)
    pool.execute(() => done.countDown())
    intercept[RejectedExecutionException](pool.execute(() => fail("refused, but run")))
    assertEquals(pool.size, 2)
    assertEquals(done.getCount, 1L)
    busy.head.end()
    arrives(done)
    busy.last.end()
  }

  test("a task that waits can be removed") {
    val one            = threads(most = 1, queue = 1)
    val busy           = new Busy(one)
    val gone           = new AtomicBoolean
    val task: Runnable = () => gone.set(true)
    one.execute(task)
    assert(one.remove(task) && !one.remove(task))
    val done = new CountDownLatch(1)
    one.execute(() => done.countDown()) // takes its place
    busy.end()
    arrives(done)
    assert(!gone.get)
  }

  test("a task is not run later for which the system gave no thread") {
    val isPoor = new AtomicBoolean(true)
    val pool   = new OnDemandThreads(
      "on-demand",
      1,
      1024,
      20.seconds,
      (task, name) =>
        new Thread(task, name) {
          override def start(): Unit =
            if (isPoor.get) throw new OutOfMemoryError("unable to create native thread: limits reached")
            else super.start()
        }
    )
    val gone   = new AtomicBoolean
    val thrown = // munit takes it for fatal
      try { pool.execute(() => gone.set(true)); null }
      catch { case e: OutOfMemoryError => e }
    assert(thrown ne null)
    isPoor.set(false)
    val done = new CountDownLatch(1)
    pool.execute(() => done.countDown())
    arrives(done)
    assert(!gone.get)
  }
}
