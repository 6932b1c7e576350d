package needletail.simulation.tls

import scala.scalanative.unsafe._

/** By OpenSSL alone, over memory; see needletail_simulation_tls.c. */
private final class OpenSslEngine(private var side: Ptr[Byte]) extends TlsEngine {
  private val scratch = new Array[Byte](20000)
  private var subject = ""

  var isEnded = false

  proceed()

  def peer: String = subject

  def receive(bytes: Array[Byte], count: Int): Unit = if (failure == null && side != null) {
    if (count > 0) OpenSslSide.receive(side, bytes.at(0), count)
    proceed()
  }

  /** Does all that can be done without further input. */
  private def proceed(): Unit = if (side != null) {
    var n = 1
    while (n > 0 && failure == null) {
      n = OpenSslSide.read(side, scratch.at(0), scratch.length)
      if (n > 0) hasDecrypted(scratch, n)
      else done(n)
    }
    if (!isSecured && OpenSslSide.isSecured(side) != 0) isSecured = true
    if (isSecured && subject.isEmpty) {
      val length = OpenSslSide.peer(side, scratch.at(0), scratch.length)
      subject = new String(scratch, 0, length, "UTF-8")
    }
    collect()
  }

  /** Notes what a call has returned. */
  private def done(result: Int): Unit = result match {
    case OpenSslEngine.Ended  => isEnded = true
    case OpenSslEngine.Failed => failure = fromCString(OpenSslSide.reason())
    case _                    => ()
  }

  private def collect(): Unit = {
    var n = OpenSslSide.output(side, scratch.at(0), scratch.length)
    while (n > 0) {
      hasEncrypted(scratch, n)
      n = OpenSslSide.output(side, scratch.at(0), scratch.length)
    }
  }

  private def guarded(action: => Int): Unit = if (failure == null && side != null) {
    val result = action
    if (result < 0) done(result)
    collect()
  }

  def send(bytes: Array[Byte], from: Int, count: Int): Unit =
    if (count > 0) guarded(OpenSslSide.write(side, bytes.at(from), count))

  def end(): Unit       = guarded(OpenSslSide.end(side))
  def beginAnew(): Unit = guarded(OpenSslSide.beginAnew(side))

  def close(): Unit = if (side != null) {
    OpenSslSide.close(side)
    side = null
  }
}

private object OpenSslEngine {
  final val Ended  = -1
  final val Failed = -2
}

/** The functions of needletail_simulation_tls.c, where they are documented. */
@extern
@define("__SCALANATIVE_NEEDLETAIL_SIMULATION_TLS")
private[tls] object OpenSslSide {
  @name("needletail_simulation_tls_load") def load(): CString             = extern
  @name("needletail_simulation_tls_seed") def seed(seed: CLongLong): Unit = extern
  @name("needletail_simulation_tls_unseed") def unseed(): Unit            = extern
  @name("needletail_simulation_tls_context")
  def context(isServer: CInt, isOld: CInt, certificate: CString, key: CString): Ptr[Byte]        = extern
  @name("needletail_simulation_tls_release") def release(context: Ptr[Byte]): Unit               = extern
  @name("needletail_simulation_tls_open") def open(context: Ptr[Byte], name: CString): Ptr[Byte] = extern
  @name("needletail_simulation_tls_receive") def receive(side: Ptr[Byte], from: Ptr[Byte], n: CInt): Unit =
    extern
  @name("needletail_simulation_tls_output") def output(side: Ptr[Byte], to: Ptr[Byte], n: CInt): CInt = extern
  @name("needletail_simulation_tls_is_secured") def isSecured(side: Ptr[Byte]): CInt                  = extern
  @name("needletail_simulation_tls_peer") def peer(side: Ptr[Byte], to: Ptr[Byte], n: CInt): CInt     = extern
  @name("needletail_simulation_tls_read") def read(side: Ptr[Byte], to: Ptr[Byte], n: CInt): CInt     = extern
  @name("needletail_simulation_tls_write") def write(side: Ptr[Byte], from: Ptr[Byte], n: CInt): CInt = extern
  @name("needletail_simulation_tls_end") def end(side: Ptr[Byte]): CInt                               = extern
  @name("needletail_simulation_tls_begin_anew") def beginAnew(side: Ptr[Byte]): CInt                  = extern
  @name("needletail_simulation_tls_reason") def reason(): CString                                     = extern
  @name("needletail_simulation_tls_close") def close(side: Ptr[Byte]): Unit                           = extern
}
