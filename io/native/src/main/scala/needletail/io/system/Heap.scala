package needletail.io.system

import scala.scalanative.unsafe.*

import java.io.{FileInputStream, IOException}

/**
 * See Platform.scala. The garbage collector knows the machine's memory and its own setting, but no container's limit.
 */
private[needletail] object Heap {
  def limit: Long = {
    val collectors = Collector.maxHeapSize().toLong
    val own        = if (collectors > 0) collectors else Long.MaxValue // does not fit a Long: no limit
    Seq("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
      .flatMap(number)
      .foldLeft(own)(math.min(_, _))
  }

  /** The number in that file; None if there is no such file, or it contains `max`. */
  private def number(path: String): Option[Long] =
    try {
      val in = new FileInputStream(path)
      try {
        val bytes = new Array[Byte](32)
        val n     = in.read(bytes)
        if (n <= 0) None else new String(bytes, 0, n, "US-ASCII").trim.toLongOption
      } finally in.close()
    } catch { case _: IOException => None }

  @extern
  private object Collector {
    @name("scalanative_GC_get_max_heapsize") def maxHeapSize(): CSize = extern
  }
}
