package needletail.content.compression

/** What contents can be compressed with, by the names of their codings. */
private[compression] object Encoders {
  val all: List[String] = List("gzip", "deflate", "br", "zstd")

  /** Why a coding of `all` cannot be used; null if it can. Loads the library that it needs. */
  def problem(coding: String): String =
    if (coding == "br" || coding == "zstd") CodingLibrary.problem(coding) else null

  /** @param size of the content in bytes; -1 if it is not known */
  def of(coding: String, level: Int, size: Int): Encoder =
    if (coding == "br" || coding == "zstd") CodingLibrary.encoder(coding, level, size)
    else new DeflateEncoder(coding == "gzip", level)
}
