package needletail

package object async {

  /**
   * Creates `Async` values. Not the companion of that class, since it needs promises, timers and threads,
   * which the class does not know.
   */
  val Async: AsyncFactories.type = AsyncFactories
}
