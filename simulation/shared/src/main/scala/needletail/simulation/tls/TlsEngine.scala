package needletail.simulation.tls

import java.io.ByteArrayOutputStream

import needletail.io.{TlsIdentity, TlsServerConfig}

/**
 * One side of a TLS connection, without a network: encrypted bytes go in by `receive` and come out by `output`, plain ones
 * by `send` and `take`. It is the platform's own engine, driven by nothing of the library.
 */
abstract class TlsEngine {
  private val encrypted = new ByteArrayOutputStream
  private val plain     = new ByteArrayOutputStream
  private var taken     = 0 // of `plain`

  /** Whether the handshake is complete. */
  var isSecured: Boolean = false

  /** What has gone wrong; null for nothing. */
  var failure: String = null

  def receive(bytes: Array[Byte], count: Int): Unit

  /** Whether the peer has said that its stream ends. */
  def isEnded: Boolean

  /** The subject of the peer's certificate; empty without one. */
  def peer: String

  /** Encrypts those bytes: in one record, if that is possible. */
  def send(bytes: Array[Byte], from: Int, count: Int): Unit

  /** Says that the stream ends. */
  def end(): Unit

  /** With TLS 1.3 changes its keys, and asks the peer to do the same; before, begins another handshake. */
  def beginAnew(): Unit

  /** Releases what the garbage collector does not. */
  def close(): Unit

  /** What is to be sent now; each byte is returned once. */
  final def output(): Array[Byte] = {
    val bytes = encrypted.toByteArray
    encrypted.reset()
    bytes
  }

  final def hasPlain: Boolean = taken < plain.size

  /** Decrypted bytes. */
  final def take(bytes: Array[Byte], from: Int, count: Int): Int = {
    val n = math.min(count, plain.size - taken)
    System.arraycopy(plain.toByteArray, taken, bytes, from, n)
    taken += n
    if (!hasPlain) {
      plain.reset()
      taken = 0
    }
    n
  }

  /** The engine has encrypted these bytes. */
  protected final def hasEncrypted(bytes: Array[Byte], count: Int): Unit = encrypted.write(bytes, 0, count)

  /** The engine has decrypted these bytes. */
  protected final def hasDecrypted(bytes: Array[Byte], count: Int): Unit = plain.write(bytes, 0, count)
}

/** Makes both sides of TLS connections for the clients of one simulation. Sessions are kept in it. */
trait TlsEngines {

  /**
   * A client's side.
   *
   * @param name    of the server that it asks for
   * @param isOld   whether it speaks TLS 1.2 only
   * @param showing its own certificate in PEM; null for none
   */
  def client(name: String, isOld: Boolean, showing: String): TlsEngine

  /** A server's side, with the certificate for localhost. */
  def server(): TlsEngine

  /**
   * The identity of the library's server.
   *
   * @param isInline whether its handshakes take turns on the loop, as those of an engine do that may compute while it reads
   */
  def identity(config: TlsServerConfig, isInline: Boolean): TlsIdentity

  /**
   * From now on, until this is closed, random numbers of TLS on this thread follow from that number, those of the library
   * too, if the length of anything depends on them.
   */
  def seed(number: Long): Unit

  /** Releases what the garbage collector does not. */
  def close(): Unit
}
