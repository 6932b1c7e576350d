package needletail.client

import java.util.concurrent.CountDownLatch

import scala.concurrent.duration._

import needletail.testing.{Pause, Suite}

/** User code that blocks a loop of the client. */
class BlockedLoopSuite extends Suite with Serving {

  test("closing a client returns though user code blocks its loop") {
    val entered, release = new CountDownLatch(1)
    val client           = Client(clientConfig)
    client.run {
      val call = client.get("http://127.0.0.1:1/").response // makes the loop one of the client's
      entered.countDown()
      release.await()
      call
    }
    try {
      entered.await()
      val begun = System.nanoTime()
      client.close()
      assert(System.nanoTime() - begun < 20.seconds.toNanos)
    } finally release.countDown()
  }

  test("closing waits for user code that ends soon") {
    val entered         = new CountDownLatch(1)
    val client          = Client(clientConfig)
    @volatile var ended = false
    client.run {
      val call = client.get("http://127.0.0.1:1/").response
      entered.countDown()
      Pause(300.millis)
      ended = true
      call
    }
    entered.await()
    client.close()
    assert(ended)
  }
}
