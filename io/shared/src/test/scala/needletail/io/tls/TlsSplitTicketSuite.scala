package needletail.io.tls

import scala.concurrent.duration.*

import needletail.io.Tls

/** What a client writes while only a part of a message has come that follows the handshake. */
class TlsSplitTicketSuite extends TlsPair {

  /** It is so long that a ticket with it takes several records. */
  private lazy val long = {
    val issued = authority.issue((1 to 700).map(i => s"DNS:n$i.client.needletail.example").mkString(","))
    Tls.client(TlsClientConfig(TlsTrust.File(authority.file), Some(TlsCertificate(issued.chain, issued.key))))
  }

  private def splitting(paused: Boolean): Unit =
    serving(config.copy(clients = Some(TlsClientAuth(authority.file)))) { served =>
      val relay = new TicketRelay(served.port)
      try {
        val (c, kept) = open(served.loop, relay.port, long)
        assert(relay.awaitFull(patience.toSeconds), "the ticket comes in one record")
        for (_ <- 1 to 3) on(served.loop)(()) // turns, in which it is read
        if (paused) on(served.loop)(c.pauseReading())
        on(served.loop)(c.write("hello".getBytes, 0, 5))
        untilAsleep(served.loop)
        untilStill(served.loop.nowNanos, 100.millis) // a loop that turns moves its clock on
        assert(kept.events.isEmpty, kept.events)
        relay.release()
        val handler = served.nextHandler()
        eventually(handler.bytes.length == 5, s"it was not written: ${kept.events}")
        if (paused) {
          assertEquals(kept.bytes.length, 0)
          on(served.loop)(c.resumeReading())
        }
        eventually(kept.bytes.length == 5, s"nothing came back: ${kept.events}")
        assertEquals(on(served.loop)(c.pendingBytes), 0)
        roundTripFurther(served, c, kept)
      } finally relay.close()
    }

  private def roundTripFurther(served: Served, c: needletail.io.Connection, kept: Kept): Unit = {
    val content = Array.fill(300000)('x'.toByte)
    on(served.loop)(c.write(content, 0, content.length))
    eventually(kept.bytes.length == 5 + content.length, s"${kept.bytes.length} bytes came back")
  }

  tlsTest("what is written between the records of a ticket is sent when the ticket is complete")(
    splitting(false)
  )

  tlsTest("the same of a connection whose handler reads nothing at that time")(splitting(true))

  tlsTest("if the rest of the ticket never comes, the connection ends with an error") {
    serving(config.copy(clients = Some(TlsClientAuth(authority.file)))) { served =>
      val relay = new TicketRelay(served.port)
      try {
        val (c, kept) = open(served.loop, relay.port, long)
        assert(relay.awaitFull(patience.toSeconds), "the ticket comes in one record")
        for (_ <- 1 to 3) on(served.loop)(())
        on(served.loop)(c.pauseReading())
        on(served.loop)(c.write("hello".getBytes, 0, 5))
        relay.cut()
        on(served.loop)(c.resumeReading())
        assertEquals(
          kept.next(),
          "closed by the connection ended without closing its TLS stream: data may be missing"
        )
      } finally relay.close()
    }
  }
}
