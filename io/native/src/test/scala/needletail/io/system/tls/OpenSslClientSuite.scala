package needletail.io.system.tls

import java.nio.file.{Files, StandardOpenOption}
import java.util.Base64

import needletail.io.tls.{TlsClientConfig, TlsTrust}
import needletail.testing.{Suite, TemporaryDirectories}

/** Contexts of OpenSSL of a program that makes a client for each call: they are in no heap, and nobody closes a client. */
class OpenSslClientSuite extends Suite with TemporaryDirectories {
  private lazy val authority = newAuthority()

  private def pinned(i: Int): TlsClientConfig = {
    val pin = Array.fill[Byte](32)(i.toByte)
    TlsClientConfig(TlsTrust.File(authority.file), pins = Set(Base64.getEncoder.encodeToString(pin)))
  }

  private def context(config: TlsClientConfig): Long = new OpenSslClient(config).here(_.toLong)

  test("clients with the same settings and files share a context, whatever server they are for") {
    val first = context(pinned(200))
    for (_ <- 1 to 100) assertEquals(context(pinned(200)), first)
    assertEquals(context(pinned(200).copy(serverName = Some("a.example"))), first)
    assert(context(pinned(200).copy(resume = false)) != first)
    // the same file with another content
    Files.write(authority.file, "\n".getBytes, StandardOpenOption.APPEND)
    assert(context(pinned(200)) != first)
  }

  test("of others the contexts that were used last are kept") {
    val before = OpenSslFunctions.contextsAlive()
    val all    = (0 until 200).map(i => context(pinned(i)))
    val made   = OpenSslFunctions.contextsAlive() - before
    assert(made <= OpenSslClient.Most, made)
    assertEquals(context(pinned(199)), all.last)
    // one that is in use stays until its user has gone
    val early  = new OpenSslClient(pinned(1))
    val during = early.here { _ =>
      (0 until 200).foreach(i => context(pinned(i)))
      OpenSslFunctions.contextsAlive()
    }
    assertEquals(OpenSslFunctions.contextsAlive(), during - 1)
  }
}
