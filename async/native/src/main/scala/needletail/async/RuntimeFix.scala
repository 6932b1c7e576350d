package needletail.async

import scala.scalanative.unsafe._

/**
 * Platform contract: code that every program runs calls `need`. The reference keeps the linker from leaving out
 * `needletail_traits.c`, which corrects class data of Scala Native's runtime before `main`.
 */
private[async] object RuntimeFix {
  def need(): Unit = {
    val _ = classes
  }

  /** The number of classes without traits that were corrected; 0 if they were not found. */
  def classes: Int = Traits.needletail_traits_classes()

  @extern
  private object Traits {
    def needletail_traits_classes(): CInt = extern
  }
}
