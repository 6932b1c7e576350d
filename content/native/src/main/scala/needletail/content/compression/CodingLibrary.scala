package needletail.content.compression

import scala.scalanative.unsafe._

/** Codings by libraries that are loaded on demand: libbrotlienc for `br`, libzstd for `zstd`. */
private[compression] object CodingLibrary {

  /** Why it cannot be used; null if it can. */
  def problem(coding: String): String = {
    val text = CodingFunctions.load(kind(coding))
    if (text == null) null else fromCString(text)
  }

  private def kind(coding: String): Int = if (coding == "br") LibraryEncoder.Brotli else LibraryEncoder.Zstd

  def encoder(coding: String, level: Int, size: Int): Encoder = LibraryEncoder.take(kind(coding), level, size)

  /** The same for decompressing, which has a library of its own for `br`, libbrotlidec. */
  def decoderProblem(coding: String): String = {
    val text = DecodingFunctions.load(kind(coding))
    if (text == null) null else fromCString(text)
  }

  def decoder(coding: String): Decoder = new LibraryDecoder(kind(coding))
}

/** The functions of needletail_coding.c, where they are documented. */
@extern
@define("__SCALANATIVE_NEEDLETAIL_CODING")
private[compression] object CodingFunctions {
  @name("needletail_coding_load") def load(kind: CInt): CString = extern
  @name("needletail_coding_open") def open(kind: CInt, level: CInt, window: CInt, size: Long): Ptr[Byte] =
    extern
  @name("needletail_coding_reset") def reset(encoder: Ptr[Byte], size: Long): CInt = extern
  @name("needletail_coding_encode")
  def encode(
      encoder: Ptr[Byte],
      from: Ptr[Byte],
      count: CInt,
      used: Ptr[CInt],
      to: Ptr[Byte],
      room: CInt,
      how: CInt
  ): CInt = extern
  @name("needletail_coding_finished") def finished(encoder: Ptr[Byte]): CInt = extern
  @name("needletail_coding_close") def close(encoder: Ptr[Byte]): Unit       = extern
}

/** The functions of needletail_decoding.c, where they are documented. */
@extern
@define("__SCALANATIVE_NEEDLETAIL_DECODING")
private[compression] object DecodingFunctions {
  @name("needletail_decoding_load") def load(kind: CInt): CString                 = extern
  @name("needletail_decoding_open") def open(kind: CInt, window: CInt): Ptr[Byte] = extern
  @name("needletail_decoding_decode")
  def decode(
      decoder: Ptr[Byte],
      from: Ptr[Byte],
      count: CInt,
      used: Ptr[CInt],
      to: Ptr[Byte],
      room: CInt
  ): CInt = extern
  @name("needletail_decoding_may_end") def mayEnd(decoder: Ptr[Byte]): CInt = extern
  @name("needletail_decoding_close") def close(decoder: Ptr[Byte]): Unit    = extern
}
