package needletail.testing

/**
 * Detects an asynchronous value as the result of a test: its assertions would run after the test was counted, or
 * never.
 */
private[testing] object Unawaited {

  /** By class name, since this module depends on none of those that it tests. */
  def is(value: Any): Boolean = value != null && value.getClass.getName.startsWith("needletail.async.")

  def failure(value: Any): Exception =
    new IllegalStateException(
      s"the test returns a ${value.getClass.getName}, which is not awaited; turn it into a Future"
    )
}
