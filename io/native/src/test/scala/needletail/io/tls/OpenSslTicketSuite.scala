package needletail.io.tls

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path}
import java.util.Base64

/** What session tickets tell to those who see them on the way, and change them. */
class OpenSslTicketSuite extends TlsPair {
  private val begin = "-----BEGIN SSL SESSION PARAMETERS-----"
  private val end   = "-----END SSL SESSION PARAMETERS-----"

  /** A session as `openssl` has written it, in DER. */
  private def der(session: Path): Array[Byte] = {
    val text = new String(Files.readAllBytes(session), ISO_8859_1)
    Base64.getMimeDecoder.decode(text.substring(text.indexOf(begin) + begin.length, text.indexOf(end)))
  }

  /** Where in that its ticket is: [10], an octet string of more than 127 bytes. */
  private def ticketIn(der: Array[Byte]): (Int, Int) = {
    var at                  = 4 // behind the header of the whole
    def length(i: Int): Int = der(i) & 0xff
    def content: (Int, Int) = length(at + 1) match {
      case 0x81  => (at + 3, length(at + 2))
      case 0x82  => (at + 4, length(at + 2) << 8 | length(at + 3))
      case short => (at + 2, short)
    }
    while (der(at) != 0xaa.toByte) {
      val (from, count) = content
      at = from + count
    }
    at = content._1
    content
  }

  private def ticket(session: Path): Array[Byte] = {
    val all           = der(session)
    val (from, count) = ticketIn(all)
    all.slice(from, from + count)
  }

  private def changed(session: Path, byte: Int): Path = {
    val all = der(session)
    val at  = ticketIn(all)._1 + byte
    all(at) = (all(at) ^ 1).toByte
    val text = Base64.getMimeEncoder(64, Array('\n'.toByte)).encodeToString(all)
    Files.write(authority.file("changed"), s"$begin\n$text\n$end\n".getBytes(ISO_8859_1))
  }

  private val theirs = 8 until 16 // of the key's name: the end of the session

  tlsTest("tickets of sessions that follow from one handshake have nothing in common but the key's name") {
    answering(config) { port =>
      val sessions = (0 to 3).map(i => authority.file(s"chain$i"))
      openSslClient(port, Seq("-tls1_3", "-sess_out", sessions.head.toString))
      for ((from, to) <- sessions.zip(sessions.tail))
        assert(openSslClient(port, Seq("-tls1_3", "-sess_in", from.toString, "-sess_out", to.toString)))
      val tickets = sessions.map(ticket(_).toSeq)
      assertEquals(tickets.map(_.take(8)).distinct.size, 1)
      assertEquals(tickets.map(_.slice(theirs.head, theirs.last + 1)).distinct.size, tickets.size)
    }
  }

  for (version <- Seq("-tls1_2", "-tls1_3"))
    tlsTest(s"a ticket whose end was changed means a full handshake, $version") {
      answering(config) { port =>
        val session = authority.file(s"own$version")
        openSslClient(port, Seq(version, "-sess_out", session.toString))
        for (byte <- theirs)
          assert(!openSslClient(port, Seq(version, "-sess_in", changed(session, byte).toString)), byte)
        assert(openSslClient(port, Seq(version, "-sess_in", session.toString)))
      }
    }
}
