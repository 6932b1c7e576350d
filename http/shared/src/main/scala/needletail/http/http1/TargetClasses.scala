package needletail.http.http1

import needletail.http.text.Grammar

/** The classes of bytes of a request target, for the parser. */
private[http] object TargetClasses {
  final val Plain    = 0
  final val Dot      = 1 // may be part of a dot segment
  final val Percent  = 2
  final val Question = 3
  final val Space    = 4
  final val Relaxed  = 5 // forbidden by RFC 3986, sent by browsers
  final val Wrong    = 6

  private def classes(plain: Int): Array[Byte] = {
    val t = new Array[Byte](256)
    (0 to 255).foreach(c => t(c) = (if ((Grammar.table(c) & plain) != 0) Plain else Wrong).toByte)
    "|{}^`[]\"<>\\".foreach(c => t(c.toInt) = Relaxed)
    t(' ') = Space
    t('%') = Percent
    t
  }

  val path: Array[Byte] = {
    val t = classes(Grammar.Path)
    t('.') = Dot
    t('?') = Question
    t
  }
  val rest: Array[Byte] = classes(Grammar.Query)
}
