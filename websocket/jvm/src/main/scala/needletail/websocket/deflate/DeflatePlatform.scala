package needletail.websocket.deflate

import needletail.websocket.frame.MessageCodec

private[deflate] object DeflatePlatform {
  final val isKnown = true

  def codec(
      level: Int,
      minSize: Int,
      takeover: Boolean,
      takeoverOfPeer: Boolean,
      windowBits: Int
  ): MessageCodec =
    new DeflateCodec(level, minSize, takeover, takeoverOfPeer, windowBits)
}
