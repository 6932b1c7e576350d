package needletail.io.tls

import java.io.IOException
import java.net.InetAddress

import scala.concurrent.{Await, Promise}

import needletail.async.Loop
import needletail.io.{Address, Connection, Connector, DelegatingPlatform, EventLoops, Tls}

/** Names with several addresses, connected to over TLS. */
class TlsRoutesSuite extends TlsPair {
  tlsTest("that TLS was refused is told, and not that another address of the name does not answer") {
    val found    = Array("127.0.0.1", "127.0.0.2").map(InetAddress.getByName)
    val platform = new DelegatingPlatform {
      override def resolve(
          host: String,
          loop: Loop
      )(f: Either[IOException, Array[InetAddress]] => Unit): Runnable = {
        f(Right(found))
        () => ()
      }
    }
    val loops = new EventLoops(1, "test", daemon = true, platform = platform)
    try {
      val served = new Served(loops(0), Tls.server(TlsServerConfig(Seq(local))))
      val peer   = Tls.trusting(newAuthority("Others").file).to("here.test")
      val result = Promise[Connection]()
      loops(0).execute { () =>
        Connector.connect(Address.Tcp("here.test", served.port), loops(0), tls = peer)(
          new Kept(_, isServer = false)
        ).onComplete(t => { result.complete(t); () })
      }
      val why = intercept[IOException](Await.result(result.future, patience)).getMessage
      assert(why.contains("is not trusted: its issuer is unknown"), why)
    } finally {
      loops.stop()
      Await.result(loops.stopped, patience): Unit
    }
  }
}
