package needletail.io.system.tls

import java.nio.file.Files
import java.security.KeyStore
import java.security.cert.{Certificate, CertificateException, X509Certificate}
import javax.net.ssl.{KeyManagerFactory, SSLContext}

import needletail.io.Tls
import needletail.io.tls.{TlsCertificate, TlsPair}
import needletail.testing.Authority

/** Keys of authorities that are too weak, as the JDK reports them. */
class PathStrengthSuite extends TlsPair {
  private lazy val weak = newAuthority("Weak", algorithm = "rsa:1024")

  private def read(issued: Authority#Issued, more: Authority*): Array[X509Certificate] =
    (Pem.certificates(issued.chain) ++ more.flatMap(a => Pem.certificates(a.file))).toArray

  /** A server that has been told nothing of the strength of keys. */
  private def context(issued: Authority#Issued, between: Authority*): SSLContext = {
    val chain = read(issued, between*)
    val key   = PrivateKeys.read(TlsCertificate(issued.chain, issued.key), chain.head)
    val store = KeyStore.getInstance("PKCS12")
    store.load(null, null)
    store.setKeyEntry("own", key, "secret".toCharArray, chain.toArray[Certificate])
    val keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    keys.init(store, "secret".toCharArray)
    val made = SSLContext.getInstance("TLS")
    made.init(keys.getKeyManagers, null, null)
    made
  }

  private def assertWeak(why: String): Unit = {
    val weak = "that of its authority CN=Weak, by its RSA key of 1024 bits; the minimum is 2048"
    assert(why.endsWith(s": the certificate of localhost is too weak: $weak"), why)
  }

  test("the error names the authority, and why its key is too weak") {
    withLoop { loop =>
      val served = new Served(loop, Tls.server(context(weak.issue("DNS:localhost"))))
      assertWeak(refusal(served, Tls.trusting(weak.file)))
    }
  }

  test("also of one that has issued for another one, or was issued by another one") {
    withLoop { loop =>
      val above  = newAuthority("Above", by = Some(weak))
      val served = new Served(loop, Tls.server(context(above.issue("DNS:localhost"), above)))
      assertWeak(refusal(served, Tls.trusting(weak.file)))
      val below  = newAuthority("Weak", by = Some(authority), algorithm = "rsa:1024")
      val second = new Served(loop, Tls.server(context(below.issue("DNS:localhost"), below)))
      assertWeak(refusal(second))
    }
  }

  test("a weak one of the same name that has issued nothing does no harm") {
    withLoop { loop =>
      val strong = newAuthority("Weak")
      val both   = Files.createTempFile(temporaryDirectory(), "both", ".pem")
      Files.write(both, Files.readAllBytes(weak.file) ++ Files.readAllBytes(strong.file))
      val served = new Served(loop, Tls.server(context(strong.issue("DNS:localhost"))))
      hello(served, open(loop, served.port, Tls.trusting(both)))
    }
  }

  test("the trust store's are judged in the same way") {
    val trusted = Pem.certificates(weak.file) ++ Pem.certificates(authority.file)
    val check   = new PathStrength(trusted.toArray).check(_, Purpose.Server)
    val thrown  = intercept[CertificateException](check(read(weak.issue("DNS:localhost"))))
    assert(thrown.getMessage.contains("that of its authority CN=Weak, by its RSA key of 1024 bits"), thrown)
    check(read(authority.issue("DNS:localhost")))
    check(read(authority.issue("DNS:localhost"), weak))
    val below = newAuthority("Below", by = Some(authority), algorithm = "rsa:1024")
    intercept[CertificateException](check(read(below.issue("DNS:localhost"), below)))
    intercept[CertificateException](check(read(newAuthority("Unknown").issue("DNS:localhost"), weak)))
  }
}
