package needletail.load.engine.compiled

import java.util.regex.{Matcher, Pattern}

/**
 * A text for one search of a pattern that the user gave. Java's patterns backtrack: with nested repetition, such as
 * `^(x+x+)+y$`, a search can take longer than the universe exists, and nothing can interrupt it. So this ends it after
 * `left` characters have been looked at, by a [[PatternTooCostly]].
 */
private final class BoundedText(text: String, pattern: Pattern, private var left: Int) extends CharSequence {
  def charAt(i: Int): Char = {
    left -= 1
    if (left < 0) throw new PatternTooCostly(pattern)
    text.charAt(i)
  }
  def length: Int                                      = text.length
  def subSequence(from: Int, until: Int): CharSequence = text.substring(from, until)
  override def toString: String                        = text
}

private[engine] object BoundedText {

  /** A fraction of a second of a processor: twenty for each character of the longest text that is searched. */
  final val Most = 20 * AnswerRules.MaxBody

  /** A matcher of `pattern` in `text`, whose search looks at `Most` characters at most. */
  def matcher(pattern: Pattern, text: String): Matcher = pattern.matcher(new BoundedText(text, pattern, Most))
}

/** The end of a search that looked at too many characters. */
private[engine] final class PatternTooCostly(pattern: Pattern)
    extends RuntimeException(
      s"the pattern '${pattern.pattern.take(80)}' was given up after looking at ${BoundedText.Most} characters of one " +
        "response; avoid repetition within repetition, such as (x+)+",
      null,
      false,
      false
    )
