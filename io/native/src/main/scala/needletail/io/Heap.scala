package needletail.io

import scala.scalanative.unsafe.*

import java.io.{FileInputStream, IOException}

/** See Platform.scala. The collector knows of the machine's memory and of its own setting, not of a container's. */
private[needletail] object Heap {
  def limit: Long = {
    val collectors = Collector.maxHeapSize().toLong
    val own        = if (collectors > 0) collectors else Long.MaxValue // more than a Long can say is no limit
    Seq("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
      .flatMap(number)
      .foldLeft(own)(math.min(_, _))
  }

  /** The number in that file; None where there is no such file, or `max` in it. */
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
