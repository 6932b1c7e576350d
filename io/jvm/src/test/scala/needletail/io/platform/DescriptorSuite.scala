package needletail.io.platform

import scala.concurrent.duration._

import needletail.io.{ChildProcess, DescriptorShortage}
import needletail.testing.Suite

class DescriptorSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes // of a JVM that is started

  test("out of descriptors: accepting stops, serving goes on, and accepting begins again when some return") {
    val child =
      ChildProcess.start(
        "ulimit -n 80; " + ChildProcess.command("needletail.io.platform.DescriptorShortageMain")
      )
    assertEquals(ChildProcess.result(child), Some(("as it should be\n", 0)))
  }
}

object DescriptorShortageMain {
  def main(args: Array[String]): Unit = {
    DescriptorShortage.run()
    println("as it should be")
  }
}
