package needletail.io

import java.security.KeyStore
import java.security.cert.Certificate
import javax.net.ssl.{KeyManagerFactory, SSLContext}

import needletail.io.system.tls.{Pem, PrivateKeys}
import needletail.io.tls.{TlsCertificate, TlsPair}
import needletail.testing.Authority

/** Peers with keys that are too weak, which the JDK itself would accept. */
class TlsWeakKeySuite extends TlsPair {
  private def context(algorithm: String): SSLContext = context(authority.issue("DNS:localhost", algorithm))

  private def context(issued: Authority#Issued): SSLContext = {
    val chain = Pem.certificates(issued.chain)
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

  test("a server whose RSA key is below 2048 bits is refused") {
    withLoop { loop =>
      val weak = new Served(loop, Tls.server(context("rsa:1024")))
      val why  = refusal(weak)
      assert(why.contains("the certificate of localhost is too weak"), why)
      val strong = new Served(loop, Tls.server(context("rsa")))
      assertEquals(hello(strong, open(loop, strong.port)).version, "TLSv1.3")
    }
  }

  test("also if its certificate itself is trusted") {
    withLoop { loop =>
      val issued = authority.issue("DNS:localhost", "rsa:1024")
      val weak   = new Served(loop, Tls.server(context(issued)))
      val why    = refusal(weak, Tls.trusting(issued.chain))
      assert(why.contains("the certificate of localhost is too weak: RSA key of 1024 bits"), why)
    }
  }
}
