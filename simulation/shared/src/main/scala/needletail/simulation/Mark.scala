package needletail.simulation

/** What a request carries and its answer must carry, and no other: its name, and content made of nothing but that. */
object Mark {
  private val pattern = "m\\d+-\\d+;".r

  def apply(peer: Int, request: Int): String = s"m$peer-$request;"

  /** So many bytes of `mark`, over and over. */
  def content(mark: String, size: Int): Array[Byte] = {
    val bytes = new Array[Byte](size)
    var i     = 0
    while (i < size) {
      bytes(i) = mark.charAt(i % mark.length).toByte
      i += 1
    }
    bytes
  }

  /** Marks in a text that are not this one. */
  def others(mark: String, text: String): Seq[String] =
    pattern.findAllIn(text).toSeq.filter(_ != mark).distinct
}
