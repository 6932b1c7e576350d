package needletail.load.engine

import needletail.http.PercentCoding

/** Text with places for a session's values: `text(0)` value `holes(0)` `text(1)` value `holes(1)` … */
private[engine] final class Template(texts: Array[String], holes: Array[Int]) {

  /** Is it always the same? */
  def isFixed: Boolean = holes.isEmpty

  def render(values: Array[String], coding: String => String): String =
    if (isFixed) texts(0)
    else {
      val out = new StringBuilder(texts(0))
      var i   = 0
      while (i < holes.length) {
        val value = values(holes(i))
        out.append(coding(if (value == null) "" else value)).append(texts(i + 1))
        i += 1
      }
      out.toString
    }
}

private[engine] object Template {
  private val Hole = """\$\{([^}]*)\}""".r

  /** The names that stand as `${name}` in a text. */
  def names(text: String): Vector[String] = Hole.findAllMatchIn(text).map(_.group(1)).toVector

  /** A template, or the first name that `index` does not know. */
  def of(text: String, index: Map[String, Int]): Either[String, Template] = {
    val found = names(text)
    found.find(!index.contains(_)) match {
      case Some(unknown) => Left(unknown)
      case None => Right(new Template(Hole.split(text + "\u0000").map(strip), found.map(index).toArray))
    }
  }

  // A mark at the end, which keeps `split` from dropping an empty text there.
  private def strip(text: String): String = text.stripSuffix("\u0000")

  /** Every place filled with a letter, to see whether the rest is well formed. */
  def sample(text: String): String = Hole.replaceAllIn(text, "x")

  val plain: String => String = identity

  /** A value in a path or a query. A slash is kept, so that a path that was drawn from an answer can be asked for. */
  val inTarget: String => String = value => value.split("/", -1).map(PercentCoding.encode).mkString("/")

  val inForm: String => String = PercentCoding.encode

  /** A field value never breaks out of its line. */
  val inHeader: String => String = value => value.map(c => if (c < ' ' && c != '\t' || c == 127) ' ' else c)
}
