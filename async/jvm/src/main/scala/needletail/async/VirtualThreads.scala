package needletail.async

import java.util.concurrent.ThreadFactory

import scala.util.control.NonFatal

/** Platform contract: `factory(name)` returns a factory of virtual threads, or null if the platform has none. */
private[async] object VirtualThreads {

  /** `Thread.ofVirtual().name(name, 0).factory()`, by reflection because this is compiled for Java 17. */
  def factory(name: String): ThreadFactory =
    try {
      val builder = Class.forName("java.lang.Thread$Builder")
      val virtual = classOf[Thread].getMethod("ofVirtual").invoke(null)
      val named   = builder
        .getMethod("name", classOf[String], classOf[Long])
        .invoke(virtual, name, java.lang.Long.valueOf(0))
      builder.getMethod("factory").invoke(named).asInstanceOf[ThreadFactory]
    } catch {
      // before Java 21: missing, or a preview feature that is disabled
      case NonFatal(_) | _: LinkageError => null
    }
}
