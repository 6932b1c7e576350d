package needletail.simulation.reader

/** A mark in a request that its response must have, and no other response: its name, and content that repeats it. */
object Mark {
  private val pattern = "m\\d+-\\d+;".r

  def apply(peer: Int, request: Int): String = s"m$peer-$request;"

  /** `mark` repeated to that many bytes. */
  def content(mark: String, size: Int): Array[Byte] = {
    val bytes = new Array[Byte](size)
    var i     = 0
    while (i < size) {
      bytes(i) = mark.charAt(i % mark.length).toByte
      i += 1
    }
    bytes
  }

  /** The same as a string of JSON, with two more bytes. */
  def json(mark: String, size: Int): Array[Byte] = '"'.toByte +: content(mark, size) :+ '"'.toByte

  /** Marks in a text other than this one. */
  def others(mark: String, text: String): Seq[String] =
    pattern.findAllIn(text).toSeq.filter(_ != mark).distinct
}
