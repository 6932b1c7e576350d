package needletail.io.tls

import java.nio.file.{Files, Path}

import scala.concurrent.duration.*

import needletail.io.Tls
import needletail.testing.Authority

/** Lists of revoked certificates of two authorities that have one name and different keys. */
class SameNameListsSuite extends TlsPair {
  override def munitTimeout: Duration = 2.minutes // some hundred runs of openssl and handshakes

  private lazy val (one, other) = (newAuthority("Same"), newAuthority("Same"))

  private def leaf(of: Authority): of.Issued =
    of.issue("DNS:localhost", more = "authorityKeyIdentifier = keyid")

  private lazy val (good, bad) = {
    val both = (leaf(one), leaf(one))
    one.revoke(both._2)
    both
  }

  private def together(files: Path*): Path =
    Files.write(
      Files.createTempFile(temporaryDirectory(), "all", ".pem"),
      files.flatMap(Files.readAllBytes(_)).toArray
    )

  private def list(of: Authority, from: String, extension: String, at: String = "20990101000000Z"): Path = {
    of.listWith(extension, at, from)
    together(of.revoked)
  }

  private val extensions =
    Seq(
      "2.5.29.20 = DER:02:01:01",
      "authorityKeyIdentifier = keyid",
      "authorityKeyIdentifier = keyid,issuer:always"
    )

  private def met(issued: Authority#Issued, trusted: Path, lists: Path): String =
    serving(TlsServerConfig(issued.chain, issued.key)) { served =>
      try {
        hello(served, open(served.loop, served.port, checking(trusted, lists)))
        "accepted"
      } catch {
        case e: java.io.IOException => e.getMessage.replaceFirst(".*the certificate of localhost ", "")
      }
    }

  private def checking(trusted: Path, lists: Path): Tls =
    Tls.client(TlsClientConfig(TlsTrust.File(trusted), revoked = Some(lists), resume = false))

  private def invalid: String = RevocationLists.unchecked(RevocationLists.invalid("CN=Same"))

  tlsTest("each is asked about its own certificates, whichever is newer, and whether they name their keys") {
    val leaves = Seq(good, bad) // the list of the first has the second one of them
    other.revoke()
    val (before, later) = ("20200101000000Z", "20210101000000Z")
    for {
      (oneFrom, otherFrom) <- Seq(before -> later, later -> before, before -> before)
      oneNames             <- extensions
      otherNames           <- extensions
    } {
      val lists = Seq(list(one, oneFrom, oneNames), list(other, otherFrom, otherNames))
      val all   = if (oneNames < otherNames) lists else lists.reverse
      for (issued <- leaves) {
        val expected = if (issued eq good) "accepted" else "was revoked"
        for (
          trusted <- Seq(
            Seq(one.file, other.file),
            Seq(other.file, one.file),
            Seq(issued.chain),
            Seq(issued.chain, other.file, one.file)
          )
        )
          assertEquals(
            met(issued, together(trusted*), together(all*)),
            expected,
            (oneFrom, otherFrom, oneNames, otherNames, trusted)
          )
      }
    }
  }

  tlsTest("the other's list does not stand in for one that is missing, or has expired") {
    other.revoke()
    for (names <- extensions) {
      val (its, others) = (list(one, "20200101000000Z", names), list(other, "20210101000000Z", names))
      val over          = list(one, "20200102000000Z", names, at = "20200103000000Z")
      for (trusted <- Seq(Seq(one.file, other.file), Seq(good.chain, one.file, other.file))) {
        val all = together(trusted*)
        assertEquals(met(good, all, others), invalid, names)
        assertEquals(met(good, all, together(others, over)), RevocationLists.unchecked(expired), names)
        assertEquals(met(good, all, together(others, its, over)), RevocationLists.unchecked(expired), names)
      }
      // nor for that of an issuer who is not known, if it is known to be another's
      val trusted = together(good.chain, other.file)
      assertEquals(met(good, trusted, others), invalid, names)
      assertEquals(met(good, trusted, together(others, its)), "accepted", names)
    }
  }

  tlsTest("a server asks them about its clients, whichever of its certificates these want") {
    val leaves = Seq(good, bad)
    other.revoke()
    val lists   = together(list(one, "20200101000000Z", extensions.head), other.revoked)
    val clients = TlsClientAuth(together(one.file, other.file), revoked = Some(lists))
    val further = authority.issue("DNS:further.test")
    val server  =
      TlsServerConfig(Seq(local, TlsCertificate(further.chain, further.key)), clients = Some(clients))
    for (name <- Seq("localhost", "further.test"); issued <- leaves) withLoop { loop =>
      val identity = Tls.server(server)
      val served   = new Served(loop, identity)
      val own      = Some(TlsCertificate(issued.chain, issued.key))
      val tls      = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), own))
      try open(loop, served.port, tls, name)
      catch { case _: java.io.IOException => () } // with TLS 1.3 it may hear later
      eventually(identity.counts.full + identity.counts.failed == 1L, "the handshake goes on")
      assertEquals(identity.counts.full, if (issued eq good) 1L else 0L, name)
    }
  }

  private def expired: String = RevocationLists.expired("CN=Same")

  tlsTest("when each expires is known if both are trusted") {
    val (sooner, later) = ("20980101000000Z", "20990101000000Z")
    for (names <- extensions) {
      val lists = together(
        list(one, "20200101000000Z", names, at = sooner),
        list(other, "20210101000000Z", names, at = later)
      )
      val trusted  = together(one.file, other.file)
      val identity = Tls.server(config.copy(clients = Some(TlsClientAuth(trusted, revoked = Some(lists)))))
      assertEquals(identity.lists.map(_.until).sorted, Seq(4039372800000L, 4070908800000L), names)
    }
  }
}
