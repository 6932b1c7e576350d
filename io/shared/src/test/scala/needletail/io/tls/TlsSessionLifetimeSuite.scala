package needletail.io.tls

import java.nio.file.Files
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.duration.*

import needletail.io.Tls
import needletail.testing.{Authority, Pause}

/** When sessions end, and what is looked at again when they are resumed. */
class TlsSessionLifetimeSuite extends TlsPair {
  for (version <- Seq("-tls1_2", "-tls1_3"))
    tlsTest(s"a session is not resumed after its lifetime, $version") {
      answering(config.copy(sessionLifetime = 1.second)) { port =>
        val session = authority.file(s"session$version")
        openSslClient(port, Seq(version, "-sess_out", session.toString))
        Pause(1100.millis)
        assert(!openSslClient(port, Seq(version, "-sess_in", session.toString)))
      }
    }

  tlsTest("an error in the check of a resumed session's certificate rejects the client, and says why") {
    val isBroken = new AtomicBoolean
    val clients  = TlsClientAuth(
      authority.file,
      check = _ => if (isBroken.get) throw new NotImplementedError("not yet") else true
    )
    serving(config.copy(clients = Some(clients))) { s =>
      val tls = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), Some(local)))
      def theirs(): Option[TlsSession] = {
        val opened  = open(s.loop, s.port, tls)
        val handler = s.nextHandler()
        roundTrip(s, opened, "hello".getBytes)
        val session = on(s.loop)(s.connections.poll().tlsSession)
        on(s.loop)(opened._1.close())
        handler.next()
        session
      }
      eventually(theirs().exists(_.isResumed), "no session is resumed")
      isBroken.set(true)
      try open(s.loop, s.port, tls)
      catch { case _: java.io.IOException => () } // with TLS 1.3 it may hear later
      val why = s.nextHandler().next()
      assert(why.endsWith("own check, which threw scala.NotImplementedError: not yet"), why)
    }
  }

  /**
   * Connects until a session is resumed, and then until none is: what the last attempt ended with.
   *
   * @param isOver whether that is the end, as a session may end a little earlier than the list
   */
  private def untilNotResumed(issued: Authority#Issued)(isOver: String => Boolean): String = {
    val clients = TlsClientAuth(authority.file, revoked = Some(authority.revoked))
    serving(config.copy(clients = Some(clients))) { s =>
      val own = TlsCertificate(issued.chain, issued.key)
      val tls = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), Some(own)))

      def connect(): String =
        try {
          val (c, kept) = open(s.loop, s.port, tls)
          on(s.loop)(c.write("hello".getBytes, 0, 5))
          eventually(kept.bytes.length == 5 || !kept.events.isEmpty, "nothing happened")
          val isAnswered = kept.bytes.length == 5
          val isResumed  = isAnswered && on(s.loop)(c.tlsSession).get.isResumed
          on(s.loop)(c.close())
          val end = s.nextHandler().next()
          if (isResumed) "resumed" else if (isAnswered) "let in" else end
        } catch { case _: java.io.IOException => s.nextHandler().next() }

      assertEquals(connect(), "let in")
      eventually(connect() == "resumed", "no session is resumed")
      var last = ""
      eventually({ last = connect(); last != "resumed" && isOver(last) }, s"it is still $last")
      last
    }
  }

  tlsTest("no session is resumed of a client whose list of revoked certificates has expired meanwhile") {
    val issued = authority.issue("DNS:ann")
    authority.expireList(inSeconds(6))
    val last = untilNotResumed(issued)(_ != "let in")
    assert(last.endsWith(RevocationLists.expired("CN=Needletail")), last)
  }

  tlsTest("nor of one that the next list revokes, from when that one may count") {
    val issued = authority.issue("DNS:ann")
    authority.expireList(inSeconds(7200))
    val present = Files.readAllBytes(authority.revoked)
    authority.revoke(issued)
    authority.expireList(inSeconds(9000), from = inSeconds(RevocationLists.ClockSkew.toInt / 1000 + 6))
    Files.write(authority.revoked, present ++ Files.readAllBytes(authority.revoked))
    val last = untilNotResumed(issued)(_ => true)
    assert(last == "let in" || last.contains("revoked"), last) // OpenSSL uses the present list until then
  }
}
