package needletail.testing

/** DER (X.690), as far as tests change what others have encoded. */
private[testing] object Der {

  /** The elements that follow one another, each with its tag and its length. */
  def elements(bytes: Seq[Byte]): Seq[Seq[Byte]] =
    if (bytes.isEmpty) Nil
    else {
      val size = header(bytes) + length(bytes)
      bytes.take(size) +: elements(bytes.drop(size))
    }

  def content(element: Seq[Byte]): Seq[Byte] = element.drop(header(element))

  def element(tag: Int, content: Seq[Byte]): Seq[Byte] = {
    val n    = content.length
    val head = if (n < 128) Seq(tag, n) else if (n < 256) Seq(tag, 0x81, n) else Seq(tag, 0x82, n >> 8, n)
    head.map(_.toByte) ++ content
  }

  private def more(bytes: Seq[Byte]): Int   = if (bytes(1) >= 0) 0 else bytes(1) & 0x7f
  private def header(bytes: Seq[Byte]): Int = 2 + more(bytes)
  private def length(bytes: Seq[Byte]): Int =
    if (bytes(1) >= 0) bytes(1).toInt
    else bytes.slice(2, header(bytes)).foldLeft(0)((n, b) => n << 8 | (b & 0xff))
}
