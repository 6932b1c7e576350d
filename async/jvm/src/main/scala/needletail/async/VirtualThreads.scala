package needletail.async

import java.util.concurrent.ThreadFactory

import scala.util.control.NonFatal

/** Platform contract: `factory(name)` makes virtual threads, or is `null` where the platform has none. */
private[async] object VirtualThreads {

  /** `Thread.ofVirtual().name(name, 0).factory()`, looked up by name because we compile for Java 17. */
  def factory(name: String): ThreadFactory =
    try {
      val builder = Class.forName("java.lang.Thread$Builder")
      val virtual = classOf[Thread].getMethod("ofVirtual").invoke(null)
      val named   = builder
        .getMethod("name", classOf[String], classOf[Long])
        .invoke(virtual, name, java.lang.Long.valueOf(0))
      builder.getMethod("factory").invoke(named).asInstanceOf[ThreadFactory]
    } catch {
      // before Java 21: not there, or there as a preview that refuses to work
      case NonFatal(_) | _: LinkageError => null
    }
}
