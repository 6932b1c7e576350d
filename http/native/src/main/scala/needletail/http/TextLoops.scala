package needletail.http

import scala.scalanative.unsafe.*

/** The functions of needletail_text.c, which says what they promise. */
@extern
@define("__SCALANATIVE_NEEDLETAIL_TEXT")
private[http] object TextLoops {
  @name("needletail_text_widen")
  def widen(octets: Ptr[Byte], characters: Ptr[Char], count: CInt): Unit = extern

  @name("needletail_text_narrow")
  def narrow(characters: Ptr[Char], octets: Ptr[Byte], count: CInt): CInt = extern

  @name("needletail_text_bits")
  def bits(octets: Ptr[Byte], count: CInt): CInt = extern
}
