package needletail.io.platform

import java.nio.ByteBuffer

/** The direct buffers of one poller: the usual one, and one for much at once, which is created when first needed. */
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
}

private[io] object TransferBuffers {

  /** Bytes of the usual one. */
  final val Usual = 64 * 1024

  private final val Wide = 256 * 1024
}
