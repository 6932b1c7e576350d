package needletail.async

import java.util.concurrent.ThreadFactory

/** Platform contract: `factory(name)` makes virtual threads, or is `null` where the platform has none. */
private[async] object VirtualThreads {
  def factory(name: String): ThreadFactory = {
    val _ = name
    null
  }
}
