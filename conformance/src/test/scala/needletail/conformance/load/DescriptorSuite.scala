package needletail.conformance.load

import scala.collection.mutable.ArrayBuffer

import needletail.conformance.client.Wire
import needletail.conformance.harness.Message.get
import needletail.conformance.harness.Program
import needletail.testing.Suite

/** Programs that may open few descriptors, and clients who keep all of them. */
class DescriptorSuite extends Suite {
  private val Few = 64

  /** Asks once; the milliseconds until the answer was whole, if it came by the deadline. */
  private def asked(wire: Wire, millis: Long): Option[Long] = {
    val began    = System.nanoTime()
    val deadline = Wire.in(millis)
    wire.send(get())
    val bytes = new Array[Byte](4096)
    var got   = ""
    var n     = 1
    while (n > 0 && !got.endsWith("Hello, World!")) {
      n = wire.read(bytes, 0, bytes.length, deadline)
      if (n > 0) got += Wire.latin1(java.util.Arrays.copyOf(bytes, n))
    }
    if (got.endsWith("Hello, World!")) Some((System.nanoTime() - began) / 1000000) else None
  }

  for (name <- Seq("reference", "reference-native"); (what, speaks) <- Seq("idle" -> true, "silent" -> false))
    test(
      s"fault 7: $name with $Few descriptors and as many $what connections serves a new client soon"
    ) {
      val program = Program.runWithDescriptors(
        Few,
        name,
        Seq("--host", "127.0.0.1", "--port", "0", "--workers", "2", "--idle-timeout", "60s"): _*
      )
      val crowd = ArrayBuffer.empty[Wire]
      val times = ArrayBuffer.empty[Long]
      try {
        assert(program.output.exists(_.contains(s"may open $Few descriptors")), program.output.mkString("\n"))
        for (_ <- 1 to 5) {
          for (_ <- 1 to Few) {
            val wire = program.connect()
            crowd += wire
            if (speaks) asked(wire, 5)
          }
          val client = program.connect()
          val took   = asked(client, 20000) // far less than until those that idle go by themselves
          assert(took.nonEmpty, s"no answer, ${program.output.take(20).mkString("\n")}")
          times += took.get
          client.close()
        }
        println(s"$name, $what: ${times.mkString(" ")} ms, ${program.descriptors} descriptors")
        program.terminate()
        assertEquals(program.exitStatus(20000), Some(0), program.output.takeRight(20).mkString("\n"))
        assertEquals(program.stackTraces.take(10).toList, Nil)
      } finally {
        crowd.foreach(_.close())
        program.kill()
      }
    }
}
