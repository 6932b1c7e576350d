package needletail.io

import java.io.IOException
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

/** Sizes of output that hardly occur. */
class ConnectionOutputSuite extends LoopSuite {

  /** What is pending after a write of both, of which the kernel takes `taken` bytes. */
  private def pendingAfter(taken: Int, firstCount: Int, count: Int): Int = withLoop { loop =>
    on(loop) {
      val socket = new StubSocket {
        override def writeBoth(
            first: Array[Byte],
            firstCount: Int,
            bytes: Array[Byte],
            from: Int,
            count: Int
        ) =
          taken
      }
      val output = new ConnectionOutput(new Connection(loop, socket, ConnectionOptions()))
      try {
        output.writeBoth(new Array[Byte](100), firstCount, new Array[Byte](100), 0, count, mayKeep = true)
        output.pendingBytes
      } finally output.close()
    }
  }

  test("what is left of two arrays is pending, also where their sizes add up to more than an Int can hold") {
    assertEquals(pendingAfter(5, 10, 90), 95)
    assertEquals(pendingAfter(10, 10, 90), 90)
    assertEquals(pendingAfter(100, 10, 90), 0)
    assertEquals(pendingAfter(20, 10, Int.MaxValue), Int.MaxValue - 10)
    assertEquals(pendingAfter(10, 10, Int.MaxValue), Int.MaxValue)
    // more cannot be pending: that fails, and is not left out
    intercept[ArithmeticException](pendingAfter(9, 10, Int.MaxValue))
  }

  /** The cause that a connection ends with whose writes fail, and whose reads fail with `said` if it is not null. */
  private def causeOf(secure: Boolean, said: IOException): String = {
    val ended = new LinkedBlockingQueue[Throwable]
    withLoop { loop =>
      on(loop) {
        val socket = new StubSocket {
          override def isSecure: Boolean                                    = secure
          override def read(bytes: Array[Byte], from: Int, count: Int): Int =
            if (said == null) -1 else throw said
          override def write(bytes: Array[Byte], from: Int, count: Int): Int = throw new IOException("reset")
        }
        val connection = new Connection(loop, socket, ConnectionOptions())
        connection.handler = new ConnectionHandler {
          def onData(bytes: Array[Byte], from: Int, until: Int): Int = until
          def onEnd(): Unit                                          = ()
          def onDrained(): Unit                                      = ()
          def onDeadline(): Unit                                     = ()
          def onClosed(cause: Throwable): Unit                       = { ended.add(cause); () }
        }
        connection.write(new Array[Byte](10), 0, 10)
      }
      ended.poll(20, TimeUnit.SECONDS).getMessage
    }
  }

  test("a peer that has sent an alert of TLS and reset the connection: the alert is why") {
    val alert = new IOException("Received fatal alert: certificate_required")
    assertEquals(causeOf(secure = true, alert), alert.getMessage)
    assertEquals(causeOf(secure = true, null), "reset")
    assertEquals(causeOf(secure = true, new IOException("data may be missing")), "reset")
    assertEquals(causeOf(secure = false, alert), "reset")
  }
}
