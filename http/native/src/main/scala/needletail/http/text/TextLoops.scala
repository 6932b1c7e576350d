package needletail.http.text

import scala.scalanative.unsafe.*

/** The functions of needletail_text.c, where they are documented. */
@extern
@define("__SCALANATIVE_NEEDLETAIL_TEXT")
private[http] object TextLoops {
  @name("needletail_text_widen")
  def widen(bytes: Ptr[Byte], characters: Ptr[Char], count: CInt): Unit = extern

  @name("needletail_text_narrow")
  def narrow(characters: Ptr[Char], bytes: Ptr[Byte], count: CInt): CInt = extern

  @name("needletail_text_bits")
  def bits(bytes: Ptr[Byte], count: CInt): CInt = extern

  @name("needletail_text_mask")
  def mask(source: Ptr[Byte], target: Ptr[Byte], count: CInt, key: CInt): Unit = extern
}
