package needletail.async

import scala.scalanative.unsafe._

/**
 * Platform contract: who is in every program calls `need`. Here it asks for what mends the runtime's classes before
 * `main` (`needletail_traits.c`): what nobody asks for a linker leaves out.
 */
private[async] object Mended {
  def need(): Unit = {
    val _ = classes
  }

  /** Classes that extend no trait; none where the mend does not find them. */
  def classes: Int = Traits.needletail_traits_classes()

  @extern
  private object Traits {
    def needletail_traits_classes(): CInt = extern
  }
}
