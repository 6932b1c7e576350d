package needletail.io.loop

/** The arrays that the connections of one loop read into. They are the loop's, and the next read overwrites them. */
private[io] final class ReadArrays {
  import ReadArrays.*

  private var usual = new Array[Byte](Usual)
  private var much  = none

  /** One of at least `size` bytes. */
  def ofSize(size: Int): Array[Byte] = {
    if (usual.length < size) usual = new Array[Byte](math.max(size, Usual))
    usual
  }

  /** One of `Wide` bytes, created when first needed. */
  def wide: Array[Byte] = {
    if (much.length == 0) much = new Array[Byte](Wide)
    much
  }

  /** Gives `bytes` to the caller, if `ofSize` or `wide` returned it last. Then the next read gets another. */
  def giveAway(bytes: Array[Byte]): Unit =
    if (bytes eq usual) usual = none else if (bytes eq much) much = none
}

private[io] object ReadArrays {
  private final val Usual = 64 * 1024

  /** The most that one read returns for a handler that uses all of it at once; see `Connection.expectInput`. */
  final val Wide = 256 * 1024

  private val none = new Array[Byte](0)
}
