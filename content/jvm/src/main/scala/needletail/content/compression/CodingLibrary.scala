package needletail.content.compression

/**
 * Codings by libraries that a program need not have: brotli4j for `br`, zstd-jni for `zstd`. Only what `problem` has
 * found to be there is loaded.
 */
private[compression] object CodingLibrary {

  /** Why it cannot be used; null if it can. */
  def problem(coding: String): String =
    try {
      if (coding == "br") BrotliEncoder.load() else ZstdEncoder.load()
      null
    } catch {
      case _: NoClassDefFoundError => s"the coding $coding needs ${needed(coding)} on the class path"
      case e: LinkageError         =>
        s"the coding $coding cannot be used: ${needed(coding)} found no native library: $e"
    }

  private def needed(coding: String): String =
    if (coding == "br") "brotli4j (com.aayushatharva.brotli4j, with its native library for this system)"
    else "zstd-jni (com.github.luben)"

  def encoder(coding: String, level: Int, size: Int): Encoder =
    if (coding == "br") new BrotliEncoder(level, size) else ZstdEncoder.take(level, size)

  /** The same for decompressing. */
  def decoderProblem(coding: String): String = problem(coding)

  def decoder(coding: String): Decoder = if (coding == "br") new BrotliDecoder else new ZstdDecoder
}
