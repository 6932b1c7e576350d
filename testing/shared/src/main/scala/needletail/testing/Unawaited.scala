package needletail.testing

/** A value of ours that comes later: its assertions would run after the test was counted, or never. */
private[testing] object Unawaited {

  /** By name, since the module that tests the tests knows none of those that they test. */
  def is(value: Any): Boolean = value != null && value.getClass.getName.startsWith("needletail.async.")

  def failure(value: Any): Exception =
    new IllegalStateException(
      s"the test returns a ${value.getClass.getName}, which nobody awaits; turn it into a Future"
    )
}
