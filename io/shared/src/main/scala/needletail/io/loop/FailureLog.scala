package needletail.io.loop

import needletail.async.Survivable

/** Takes failures that no server's log takes: passes them to the program's hook, by default standard error. */
private[needletail] object FailureLog {

  /** Writes a text and its cause, with stack traces, in one piece. Throws nothing. */
  val toStandardError: (String, Throwable) => Unit =
    (text, cause) => System.err.println(safely(render(text, cause))(text))

  /** `EventLoop.onFailure`. */
  @volatile var hook: (String, Throwable) => Unit = toStandardError

  /** Calls the hook. Throws nothing. */
  def report(text: String, cause: Throwable): Unit = { val _ = tell(text, cause) }

  /** Calls the hook. Throws nothing: returns the fatal error that the hook throws, else null. */
  def tell(text: String, cause: Throwable): Throwable =
    try { hook(text, cause); null }
    catch {
      case e: Throwable =>
        toStandardError(s"the failure hook itself failed on: $text", e)
        fatalOrNull(e)
    }

  /** Calls `log`; the hook if it is null or throws. Throws nothing: returns a fatal error of either, else null. */
  def tellTo(log: (String, Throwable) => Unit, text: String, cause: Throwable): Throwable =
    if (log eq null) tell(text, cause)
    else
      try { log(text, cause); null }
      catch {
        case e: Throwable =>
          val ofHook = tell(text, cause)
          val again  = tell("the failure log failed", e)
          if (!Survivable(e)) e else if (ofHook ne null) ofHook else again
      }

  private def fatalOrNull(e: Throwable): Throwable = if (Survivable(e)) null else e

  private def render(text: String, cause: Throwable): String = {
    val out = new java.lang.StringBuilder("needletail: ").append(text)
    // Bounded, since an exception can be its own indirect cause.
    var e     = cause
    var depth = 0
    while ((e ne null) && depth < 8) {
      val shown = e
      out.append(if (depth == 0) ": " else "\ncaused by: ")
        .append(inLines(described(shown)))
      val frames = shown.getStackTrace
      frames.take(MaxFrames).foreach(frame => out.append("\n    at ").append(frame))
      if (frames.length > MaxFrames) out.append(s"\n    and ${frames.length - MaxFrames} more")
      e = safely(shown.getCause)(null)
      depth += 1
    }
    out.toString
  }

  /** Recursion without an end leaves a thousand, for each request that it happens in. */
  private final val MaxFrames = 200

  /** The exception's text, which may be made by user code that throws. */
  private[needletail] def described(e: Throwable): String =
    String.valueOf(safely(e.toString)(s"${e.getClass.getName}, whose toString throws"))

  /** The exception's message, likewise; "null" if it has none. */
  private[needletail] def messageOf(e: Throwable): String =
    String.valueOf(safely(e.getMessage)(s"${e.getClass.getName}, whose getMessage throws"))

  /**
   * The text of an exception may be a client's, in part: its further lines are indented, so that none looks like an entry
   * of its own, and control characters, which a terminal would obey, are replaced.
   */
  private def inLines(text: String): String = {
    val out = new java.lang.StringBuilder(text.length)
    var i   = 0
    while (i < text.length) {
      val c = text.charAt(i)
      if (c == '\n') out.append("\n    ")
      else if (c == '\t') out.append(c)
      else if (c == '\r' && i + 1 < text.length && text.charAt(i + 1) == '\n')
        () // the line ends with the next
      else out.append(if (c < ' ' || c >= 127 && c < 160) '?' else c)
      i += 1
    }
    out.toString
  }

  /** Methods of an exception may be user code, and may throw. */
  private[needletail] def safely[A](said: => A)(otherwise: => A): A =
    try said
    catch { case Survivable(_) => otherwise }
}
