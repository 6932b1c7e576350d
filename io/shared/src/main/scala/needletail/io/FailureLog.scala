package needletail.io

import needletail.async.Survivable

/** Writes failures to standard error, each in one piece. */
private[needletail] object FailureLog {
  val toStandardError: (String, Throwable) => Unit =
    (text, cause) => System.err.println(safely(render(text, cause))(text))

  private def render(text: String, cause: Throwable): String = {
    val out = new java.lang.StringBuilder("needletail: ").append(text)
    // Bounded, since an exception can be its own cause by a detour.
    var e     = cause
    var depth = 0
    while ((e ne null) && depth < 8) {
      val shown = e
      out.append(if (depth == 0) ": " else "\ncaused by: ")
        .append(safely(shown.toString)(s"${shown.getClass.getName}, which cannot say what it is"))
      shown.getStackTrace.foreach(frame => out.append("\n    at ").append(frame))
      e = safely(shown.getCause)(null)
      depth += 1
    }
    out.toString
  }

  /** What an exception says of itself is a user's code, and may throw. */
  private def safely[A](said: => A)(otherwise: => A): A =
    try said
    catch { case Survivable(_) => otherwise }
}
