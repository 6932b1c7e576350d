package needletail.io.platform

import java.nio.ByteBuffer

/**
 * The buffers of one poller: the usual direct one, one for much at once, and one for what TLS decrypts, which are created
 * when first needed.
 */
private[io] final class TransferBuffers(val usual: ByteBuffer) {
  import TransferBuffers.*

  def this() = this(ByteBuffer.allocateDirect(TransferBuffers.Usual))

  private var wide: ByteBuffer = null

  /** One that is best for `count` bytes; it may have room for fewer. */
  def forBytes(count: Int): ByteBuffer =
    if (count <= Usual) usual
    else {
      if (wide eq null) wide = ByteBuffer.allocateDirect(Wide)
      wide
    }

  private var decrypted: ByteBuffer = null

  /** With room for at least `count` bytes, until the next call. */
  def scratch(count: Int): ByteBuffer = {
    if ((decrypted eq null) || decrypted.capacity < count) decrypted = ByteBuffer.allocate(count)
    decrypted.clear()
    decrypted
  }
}

private[io] object TransferBuffers {

  /** Bytes of the usual one. */
  final val Usual = 64 * 1024

  private final val Wide = 256 * 1024
}
