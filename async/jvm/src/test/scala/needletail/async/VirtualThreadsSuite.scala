package needletail.async

import java.util.concurrent.CountDownLatch

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.testing.{NewerJava, Suite}

/** Virtual threads are used where the JVM has them, and only there. */
class VirtualThreadsSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes // of a JVM that is started

  private val hasThem = Runtime.version.feature >= 21

  test("the JVM's version decides, and the setting") {
    assertEquals((new Blocking).usesVirtualThreads, hasThem)
    assert(!new Blocking(BlockingConfig(virtual = false)).usesVirtualThreads)
  }

  test("many pieces of work block at once; one more than allowed is rejected; cancelling interrupts") {
    assume(hasThem, "no virtual threads before Java 21")
    val blocking = new Blocking(BlockingConfig(virtualThreads = 2000))
    val loop     = new ThreadLoop
    try {
      val gate     = new CountDownLatch(1)
      val all      = Async.run(loop)(Async.all(List.fill(2000)(blocking { gate.await(); 1 })).map(_.sum))
      val rejected = Async.run(loop)(blocking(1)) // asked for after those
      assert(Await.ready(rejected, 20.seconds).value.get.failed.get.isInstanceOf[Rejected])
      gate.countDown()
      assertEquals(Await.result(all, 20.seconds), 2000)
      val timed = Async.run(loop)(blocking(new CountDownLatch(1).await()).timeout(20.millis))
      assert(Await.ready(timed, 20.seconds).value.get.failed.get.isInstanceOf[TimedOut])
      assertEquals(Await.result(Async.run(loop)(blocking(2)), 20.seconds), 2)
    } finally loop.close()
  }

  test("the same on a newer Java, beside one that has none") {
    assume(!hasThem, "this Java has virtual threads itself")
    NewerJava.find(21) match {
      case None =>
        println("SKIPPED: no Java from 21 on is installed, so blocking on virtual threads was not tested")
      case Some(java) =>
        val (status, said) = NewerJava.run(java, classOf[VirtualThreadsSuite])
        assert(status == 0 && said.contains("OK ("), said)
    }
  }
}
