package needletail.testing

import scala.language.experimental.macros
import scala.reflect.macros.blackbox

/** The place of an assertion in the sources. Helpers that assert take one implicitly, to report their caller. */
final class Location(val file: String, val line: Int) {
  override def toString: String = s"$file:$line"
}

object Location {
  implicit def here: Location = macro locate

  def locate(c: blackbox.Context): c.Tree = {
    import c.universe._
    q"new _root_.needletail.testing.Location(${c.enclosingPosition.source.file.name}, ${c.enclosingPosition.line})"
  }
}
