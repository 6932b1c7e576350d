package needletail.io.platform

import scala.scalanative.posix.sys.resource.{getrlimit, rlimit, setrlimit, RLIMIT_NOFILE}
import scala.scalanative.unsafe.*
import scala.scalanative.unsigned.*

import needletail.io.DescriptorShortage
import needletail.testing.Suite

class DescriptorSuite extends Suite {

  test("out of descriptors: accepting stops, serving goes on, and accepting begins again when some return") {
    val before = limit(80)
    try DescriptorShortage.run()
    finally { limit(before); () }
  }

  /** Sets the soft limit; answers the one before. */
  private def limit(count: Long): Long = {
    val limits = stackalloc[rlimit]()
    assertEquals(getrlimit(RLIMIT_NOFILE, limits), 0)
    val before = limits._1.toLong
    limits._1 = count.toCSize
    assertEquals(setrlimit(RLIMIT_NOFILE, limits), 0)
    before
  }
}
