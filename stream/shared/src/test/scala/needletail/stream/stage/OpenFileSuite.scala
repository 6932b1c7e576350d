package needletail.stream.stage

import java.io.{Closeable, IOException}
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import scala.util.Failure

import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** A file is closed once, and never while a thread uses it. */
class OpenFileSuite extends Suite {
  private final class File extends Closeable {
    val closed        = new AtomicInteger
    def close(): Unit = { closed.incrementAndGet(); () }
  }

  test("one that is in use is closed after that, by the thread that uses it") {
    val loop     = new ManualLoop
    val file     = new File
    val open     = new OpenFile[File](() => file)
    val begun    = new CountDownLatch(1)
    val released = new CountDownLatch(1)
    val work     = loop.within(open.use { f =>
      begun.countDown()
      released.await()
      f.closed.get
    })
    begun.await()
    loop.within { open.close(); open.close() }
    assertEquals(file.closed.get, 0)
    released.countDown()
    assertEquals(loop.run(work).get, 0)
    eventually(file.closed.get == 1)
    loop.within(open.close())
    assert(loop.run(open.use(_ => ())).failed.get.isInstanceOf[IOException])
    assertEquals(file.closed.get, 1)
  }

  test("one that fails is closed at once, one that is idle when it is told to") {
    val loop   = new ManualLoop
    val broken = new IOException("broken")
    val failed = new File
    assertEquals(loop.run(new OpenFile[File](() => failed).use(_ => throw broken)), Failure(broken))
    assertEquals(failed.closed.get, 1)
    val idle = new File
    val open = new OpenFile[File](() => idle)
    assertEquals(loop.run(open.use(_ => 7)).get, 7)
    assertEquals(idle.closed.get, 0)
    loop.within(open.close())
    eventually(idle.closed.get == 1)
  }

  test("one that was never used is not opened to be closed") {
    val open = new OpenFile[File](() => fail("opened"))
    open.close()
  }
}
