package needletail.io

/** Writes failures to standard error, each in one piece. */
private[needletail] object FailureLog {
  val toStandardError: (String, Throwable) => Unit = (text, cause) => System.err.println(render(text, cause))

  private def render(text: String, cause: Throwable): String = {
    val out = new java.lang.StringBuilder("needletail: ").append(text)
    // Bounded, since an exception can be its own cause by a detour.
    var e     = cause
    var depth = 0
    while ((e ne null) && depth < 8) {
      out.append(if (depth == 0) ": " else "\ncaused by: ").append(e)
      e.getStackTrace.foreach(frame => out.append("\n    at ").append(frame))
      e = e.getCause
      depth += 1
    }
    out.toString
  }
}
