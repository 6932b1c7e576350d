package needletail.testing

/** What user code may throw without ending an event loop; each call makes a new one. */
object UserErrors {
  val survivable: Seq[() => Throwable] = Seq(
    () => new RuntimeException("ordinary"),
    () => new StackOverflowError("deep"),
    () => new NoClassDefFoundError("gone"),
    () => new ExceptionInInitializerError("broken"),
    () => new scala.util.control.ControlThrowable {},
    () => new InterruptedException("now"),
    () => new AssertionError("wrong")
  )
}
