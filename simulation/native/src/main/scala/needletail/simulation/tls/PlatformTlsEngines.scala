package needletail.simulation.tls

import java.io.IOException

import scala.scalanative.unsafe._

import needletail.io.{Tls, TlsIdentity, TlsServerConfig}

/** By OpenSSL. */
final class PlatformTlsEngines extends TlsEngines {
  private val contexts = scala.collection.mutable.Map.empty[(String, Boolean, String), Ptr[Byte]]

  def client(name: String, isOld: Boolean, showing: String): TlsEngine =
    engine(isServer = false, name, isOld, showing)

  def server(): TlsEngine = engine(isServer = true, null, isOld = false, TestKeys.one)

  /** OpenSSL computes each handshake while it reads. */
  def identity(config: TlsServerConfig, isInline: Boolean): TlsIdentity = Tls.server(config)

  def seed(number: Long): Unit = OpenSslSide.seed(number)

  def close(): Unit = {
    contexts.values.foreach(OpenSslSide.release)
    contexts.clear()
    OpenSslSide.unseed()
  }

  private def engine(isServer: Boolean, name: String, isOld: Boolean, showing: String): TlsEngine =
    Zone.acquire {
      implicit zone =>
        // one for each name, as it keeps a session
        val context = contexts.getOrElseUpdate(
          (name, isOld, showing),
          OpenSslSide.context(
            if (isServer) 1 else 0,
            if (isOld) 1 else 0,
            if (showing == null) null else toCString(showing),
            toCString(TestKeys.key)
          )
        )
        val side =
          if (context == null) null
          else OpenSslSide.open(context, if (name == null) null else toCString(name))
        if (side == null) throw new IOException(fromCString(OpenSslSide.reason()))
        new OpenSslEngine(side)
    }
}

object PlatformTlsEngines {

  /** Why there is no TLS here; null if there is. */
  lazy val missing: String = {
    val reason = OpenSslSide.load()
    if (reason == null) null else fromCString(reason)
  }
}
