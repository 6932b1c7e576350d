package needletail.io.system.tls

import javax.net.ssl.SSLContext

import needletail.testing.{Suite, TemporaryDirectories}

/** Until when a client uses an `SSLContext`, and so the sessions that it knows. */
class ClientSessionsSuite extends Suite with TemporaryDirectories {
  private lazy val authority    = newAuthority()
  private lazy val issuer       = Pem.certificates(authority.file).head
  private def issued(days: Int) = Pem.certificates(authority.issue("DNS:localhost", days = days).chain).head

  private def make(): SSLContext = SSLContext.getInstance("TLS")

  private val begin = System.currentTimeMillis
  private var now   = begin

  private def sessions(change: Option[Long] = None) =
    new ClientSessions(() => make(), Seq(issuer), change, () => now)

  test("a context is replaced when the first certificate expires that one of its sessions relies on") {
    now = begin
    val all  = sessions()
    val one  = all.next()
    val soon = issued(days = 1)
    val end  = soon.getNotAfter.getTime
    one.relyOn(Seq(issued(days = 2), issuer))
    one.relyOn(Seq(soon, issuer))
    one.relyOn(Seq(issued(days = 2)))
    now = end - 1
    assert(all.next() eq one)
    now = end
    val other = all.next()
    assert(other.context ne one.context)
    assert(all.next() eq other)
    other.relyOn(Seq(soon)) // which has expired, so that it was not verified
    assert(all.next() eq other)
    now = issuer.getNotAfter.getTime // though it is in no chain: servers need not send it
    val last = all.next()
    assert(last ne other)
    assert(all.next() eq last)
  }

  test("from when another list of revoked certificates counts, each connection has a context of its own") {
    now = begin
    val all = sessions(Some(begin + 1000))
    val one = all.next()
    now = begin + 999
    assert(all.next() eq one)
    now = begin + 1000
    val other = all.next()
    assert(other ne one)
    assert(all.next() ne other)
  }
}
