package needletail.io

import java.nio.file.Files
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import needletail.io.system.tls.JdkClientContext
import needletail.testing.{Suite, TemporaryDirectories}

/** What a client reads before its first connection. */
class TlsPreparedSuite extends Suite with TemporaryDirectories {
  test("lists of revoked certificates are read once, when the client is made") {
    val authority = newAuthority()
    authority.revoke()
    val tls = Tls.client(TlsClientConfig(TlsTrust.System, revoked = Some(authority.revoked)))
    Files.delete(authority.revoked)
    val _ = tls.prepare()
    assert(tls.isPrepared)
  }

  test("what cannot be read is tried once for all who connect meanwhile, and not again on their loop") {
    val attempts = new AtomicInteger
    val begun    = new CountDownLatch(1)
    val goesOn   = new CountDownLatch(1)
    val context  = JdkClientContext.of { () =>
      attempts.incrementAndGet()
      begun.countDown()
      goesOn.await()
      throw new java.io.IOException("no trust store")
    }
    def preparing(): Thread = {
      val thread = new Thread(() => { val _ = context.prepare() })
      thread.start()
      thread
    }
    val first = preparing()
    begun.await()
    val others = Seq.fill(3)(preparing())
    try eventually(others.forall(!_.isAlive), "they wait for the first")
    finally goesOn.countDown()
    first.join()
    val socket = new StubSocket
    val why    = intercept[java.io.IOException](context.over(socket, "localhost", 443))
    assertEquals(why.getMessage, "no trust store")
    assertEquals(attempts.get, 1)
  }
}
