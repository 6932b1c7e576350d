package needletail.simulation.world

/** What a peer without a loop sees of its end of a connection: the bytes themselves, or those within TLS. */
trait PeerConnection {

  /** Called when something has changed that the peer may react to. */
  var onChange: () => Unit

  /** Whether there is something to `take`. */
  def hasInput: Boolean

  /** Whether the other side has ended its output, and all of it has been taken. */
  def hasEnd: Boolean

  /** Whether the connection has broken; with TLS, also whether it has ended without saying so. */
  def isReset: Boolean

  def canWrite: Boolean

  /** Reads up to `count` bytes that have arrived. */
  def take(bytes: Array[Byte], from: Int, count: Int): Int

  /** Sends as many of the bytes as there is room for. */
  def put(bytes: Array[Byte], from: Int, count: Int): Int

  /** The number of bytes that the other side has read. */
  def takenByPeer: Long

  def endOutput(): Unit
  def close(): Unit
  def abort(): Unit

  /** Nothing arrives any more, at neither side, without notice. */
  def silence(): Unit
}
