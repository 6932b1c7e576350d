package needletail.simulation

import java.io.IOException
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

import needletail.io.platform.{Socket, TlsServerContext}
import needletail.io.tls.{AuthorityExpiry, CertificateInfo, ListExpiry, TlsCounts}
import needletail.io.{Address, TlsIdentity, TlsLimits}
import needletail.routing._
import needletail.server._
import needletail.simulation.world.{FaultRates, World}
import needletail.testing.Suite

/** What the log says of a list of revoked certificates, and of a certificate, that nobody renews. */
class ExpiringListSuite extends Suite {
  private final class Lines extends Log {
    private val all                                    = new ConcurrentLinkedQueue[String]
    def warn(message: String): Unit                    = { all.add(message.replaceFirst(".*?: ", "")); () }
    def error(message: String, cause: Throwable): Unit = { all.add(s"$message $cause"); () }

    def taken(): List[String] = {
      val taken = all.asScala.toList
      all.clear()
      taken
    }
  }

  private final class Context(
      expiry: () => Long,
      revocationExpiry: Option[Long] = None,
      begin: Long = 0,
      override val authorities: Seq[AuthorityExpiry] = Nil,
      override val notices: Seq[String] = Nil
  ) extends TlsServerContext {
    def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket =
      throw new IOException("no TLS")
    override def lists: Seq[ListExpiry]    = revocationExpiry.toSeq.map(ListExpiry(1, "list", _))
    def certificates: Seq[CertificateInfo] =
      Seq(CertificateInfo("CN=a", Nil, "CN=b", "1", begin, expiry(), ""))
  }

  private def serving(identity: TlsIdentity)(body: (World, Lines, () => Unit) => Unit): Unit = {
    val world = new World(1)
    world.faults = FaultRates.none
    val lines  = new Lines
    val config = ServerConfig(
      address = Address.Tcp("127.0.0.1", 0),
      loops = 1,
      blockedLoop = Duration.Zero,
      log = lines,
      tls = Some(identity)
    )
    val server = Server(Routes(GET / "x" to "x".ok), config).startOn(world.platform)
    body(world, lines, () => server.reload())
    assertEquals(world.findings.toList, Nil)
  }

  /** When simulations begin, in milliseconds since 1970. */
  private val start = 784112777000L

  private def minutes(world: World, count: Int): Unit =
    (1 to count).foreach(_ => world.pass(1.minute.toNanos))

  test("it expires in an hour, and has expired: one line each, although no file is read again") {
    val context  = new Context(() => start + 130 * 60000 + 30000, Some(start + 90 * 60000 + 30000))
    val identity = new TlsIdentity(TlsLimits(), () => context, Nil)
    serving(identity) { (world, lines, _) =>
      assertEquals(
        lines.taken(),
        List(
          "the certificate of CN=a expires at 1994-11-06T11:16Z",
          "list expires at 1994-11-06T10:36Z; then its issuer's clients are rejected"
        )
      )
      // each within the minute
      def andThen(quiet: Int, line: String): Unit = {
        minutes(world, quiet)
        assertEquals(lines.taken(), Nil, line)
        minutes(world, 1)
        assertEquals(lines.taken(), List(line))
      }
      andThen(30, "list expires at 1994-11-06T10:36Z; then its issuer's clients are rejected")
      andThen(39, "the certificate of CN=a expires at 1994-11-06T11:16Z")
      andThen(19, "list has expired: its issuer's clients are rejected")
      andThen(39, "the certificate of CN=a has expired")
      minutes(world, 60)
      assertEquals(lines.taken(), Nil)
    }
  }

  test("so of an authority of clients") {
    def ends(at: Long) = Seq(AuthorityExpiry("kind", "the trusted certificate of CN=c in ca.pem", at))
    var known          = ends(start + 90 * 60000 + 30000)
    val identity       =
      new TlsIdentity(TlsLimits(), () => new Context(() => start * 2, authorities = known), Nil)
    serving(identity) { (world, lines, reload) =>
      val soon =
        "the trusted certificate of CN=c in ca.pem expires at 1994-11-06T10:36Z; then its clients are rejected"
      assertEquals(lines.taken(), List(soon))
      minutes(world, 60)
      assertEquals(lines.taken(), List(soon))
      minutes(world, 60)
      assertEquals(
        lines.taken(),
        List("the trusted certificate of CN=c in ca.pem has expired: its clients are rejected")
      )
      known = ends(start * 2) // its successor beside it
      reload()
      minutes(world, 60)
      assertEquals(lines.taken(), Nil)
    }
  }

  test("what else is to be said of the files is said whenever they are read, as that a list is missing") {
    val identity =
      new TlsIdentity(TlsLimits(), () => new Context(() => start * 2, notices = Seq("no list of CN=b")), Nil)
    serving(identity) { (world, lines, reload) =>
      assertEquals(lines.taken(), List("no list of CN=b"))
      minutes(world, 30)
      assertEquals(lines.taken(), Nil)
      reload()
      assertEquals(lines.taken(), List("no list of CN=b"))
    }
  }

  test("that it expires in a day is said within the minute, too") {
    val context  = new Context(() => start + 24 * 3600000L + 12 * 60000 + 30000)
    val identity = new TlsIdentity(TlsLimits(), () => context, Nil)
    serving(identity) { (world, lines, _) =>
      minutes(world, 12)
      assertEquals(lines.taken(), Nil)
      minutes(world, 1)
      assertEquals(lines.taken(), List("the certificate of CN=a expires at 1994-11-07T09:18Z"))
    }
  }

  test("that it has expired is said within the minute, also of what was read meanwhile") {
    var expiry   = start + 13 * 60000L
    val identity = new TlsIdentity(TlsLimits(), () => new Context(() => start * 2, Some(expiry)), Nil)
    serving(identity) { (world, lines, reload) =>
      assertEquals(lines.taken().size, 1)
      minutes(world, 12)
      assertEquals(lines.taken(), Nil)
      minutes(world, 2)
      assertEquals(lines.taken(), List("list has expired: its issuer's clients are rejected"))
      reload() // in vain, and that is said each time
      assertEquals(lines.taken(), List("list has expired: its issuer's clients are rejected"))
      expiry = start + 17 * 60000L
      reload()
      assertEquals(lines.taken().size, 1)
      minutes(world, 4)
      assertEquals(lines.taken(), List("list has expired: its issuer's clients are rejected"))
    }
  }

  test("what is good for some hours and is renewed in time is no news") {
    var expiry   = start + 12 * 3600000L + 30000
    val identity = new TlsIdentity(TlsLimits(), () => new Context(() => expiry), Nil)
    serving(identity) { (world, lines, reload) =>
      assertEquals(lines.taken(), List("the certificate of CN=a expires at 1994-11-06T21:06Z"))
      for (_ <- 1 to 3) {
        minutes(world, 60)
        expiry += 3600000L
        reload()
        assertEquals(lines.taken(), Nil)
      }
      expiry = start + 190 * 60000 + 30000 // in ten minutes
      reload()
      assertEquals(lines.taken(), List("the certificate of CN=a expires at 1994-11-06T12:16Z"))
    }
  }

  test("what is replaced by something that ends much sooner is news") {
    var expiry   = start + 80 * 24 * 3600000L
    val identity = new TlsIdentity(TlsLimits(), () => new Context(() => expiry), Nil)
    serving(identity) { (_, lines, reload) =>
      assertEquals(lines.taken(), Nil)
      expiry = start + 12 * 3600000L + 30000
      reload()
      assertEquals(lines.taken(), List("the certificate of CN=a expires at 1994-11-06T21:06Z"))
    }
  }

  test("what is good for an hour, or less, and is renewed in time is no news either") {
    var expiry   = start + 3600000L - 30000
    val identity = new TlsIdentity(TlsLimits(), () => new Context(() => start * 2, Some(expiry)), Nil)
    serving(identity) { (world, lines, reload) =>
      assertEquals(
        lines.taken(),
        List("list expires at 1994-11-06T10:05Z; then its issuer's clients are rejected")
      )
      for (n <- 1 to 4) {
        minutes(world, 45)
        expiry = start + n * 45 * 60000 + 3600000L - 40000
        reload()
        assertEquals(lines.taken(), Nil)
      }
      expiry += 5 * 60000 // so it is good for five minutes after the next 45, and not for an hour
      minutes(world, 45)
      reload()
      assertEquals(
        lines.taken(),
        List("list expires at 1994-11-06T13:10Z; then its issuer's clients are rejected")
      )
      minutes(world, 60)
      assertEquals(lines.taken(), List("list has expired: its issuer's clients are rejected"))
      expiry += 4 * 3600000L // not in time
      reload()
      assertEquals(lines.taken().size, 1)
    }
  }

  test("what others have read is warned of once if it is not valid yet") {
    val hours    = 3600000L
    var (b, end) = (0L, start + 100 * hours)
    val identity = new TlsIdentity(TlsLimits(), () => { val at = end; new Context(() => at, begin = b) }, Nil)
    serving(identity) { (world, lines, _) =>
      assertEquals(lines.taken(), Nil)
      b = start + 50 * hours
      end = start + 200 * hours
      identity.reload()
      minutes(world, 60)
      assertEquals(lines.taken(), List("the certificate of CN=a is not valid yet"))
    }
  }

  test("what the program has read, or another server with the same identity, is warned of as well") {
    var expiry   = start + 12 * 3600000L + 30000
    val identity = new TlsIdentity(TlsLimits(), () => new Context(() => expiry), Nil)
    serving(identity) { (world, lines, _) =>
      assertEquals(lines.taken(), List("the certificate of CN=a expires at 1994-11-06T21:06Z"))
      for (_ <- 1 to 2) {
        minutes(world, 60)
        expiry += 3600000L
        identity.reload()
        minutes(world, 20)
        assertEquals(lines.taken(), Nil)
      }
      minutes(world, 11 * 60)
      assertEquals(lines.taken().size, 1) // in an hour
      minutes(world, 60)
      assertEquals(lines.taken(), List("the certificate of CN=a has expired"))
    }
  }
}
