package needletail.testing

import java.util.Locale

/** The language of the machine, which must change nothing. */
object Language {

  /** Runs `body` as on a machine with that language, such as tr-TR. Other threads see it too. */
  def of[A](tag: String)(body: => A): A = {
    val before = Locale.getDefault
    Locale.setDefault(Locale.forLanguageTag(tag))
    try body
    finally Locale.setDefault(before)
  }
}
