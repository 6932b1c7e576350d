package needletail.client

import java.util.concurrent.CountDownLatch

import scala.concurrent.duration._

import needletail.testing.Suite

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
}
