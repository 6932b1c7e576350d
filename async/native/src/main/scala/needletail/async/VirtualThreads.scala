package needletail.async

import java.util.concurrent.ThreadFactory

/** Platform contract: `factory(name)` returns a factory of virtual threads, or null if the platform has none. */
private[async] object VirtualThreads {
  def factory(name: String): ThreadFactory = {
    val _ = name
    null
  }
}
