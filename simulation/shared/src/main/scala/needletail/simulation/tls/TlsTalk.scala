package needletail.simulation.tls

/**
 * One side of a TLS connection, without a network: encrypted bytes go in by `receive` and come out by `output`, plain ones
 * by `send` and `take`. It is the platform's own engine, driven by nothing of the library.
 */
trait TlsTalk {
  def receive(bytes: Array[Byte], count: Int): Unit

  /** What is to be sent now; each byte is returned once. */
  def output(): Array[Byte]

  /** Whether the handshake is complete. */
  def isSecured: Boolean

  /** Whether the peer has said that its stream ends. */
  def isEnded: Boolean

  /** What has gone wrong; null for nothing. */
  def failure: String

  /** The subject of the peer's certificate; empty without one. */
  def peer: String

  def hasPlain: Boolean
  def take(bytes: Array[Byte], from: Int, count: Int): Int

  /** Encrypts those bytes: in one record, if that is possible. */
  def send(bytes: Array[Byte], from: Int, count: Int): Unit

  /** Says that the stream ends. */
  def end(): Unit

  /** With TLS 1.3 changes its keys, and asks the peer to do the same; before, begins another handshake. */
  def beginAnew(): Unit

  /** Releases what the garbage collector does not. */
  def close(): Unit
}

/**
 * Makes both sides of TLS connections for the visitors of one simulation. Sessions are kept in it.
 */
trait TlsTalks {

  /**
   * A client's side.
   *
   * @param name    of the server that it asks for
   * @param isOld   whether it speaks TLS 1.2 only
   * @param showing its own certificate in PEM; null for none
   */
  def client(name: String, isOld: Boolean, showing: String): TlsTalk

  /** A server's side, with the certificate for localhost. */
  def server(): TlsTalk
}
