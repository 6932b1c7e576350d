package needletail.websocket.deflate

import needletail.websocket.frame.MessageCodec

/** Scala Native's Inflater may keep output back once it has used its input, so it cannot decompress message by message. */
private[deflate] object DeflatePlatform {
  final val isKnown = false

  def codec(
      level: Int,
      minSize: Int,
      takeover: Boolean,
      takeoverOfPeer: Boolean,
      windowBits: Int
  ): MessageCodec = {
    val _ = (level, minSize, takeover, takeoverOfPeer, windowBits)
    throw new UnsupportedOperationException("permessage-deflate is supported on the JVM only")
  }
}
