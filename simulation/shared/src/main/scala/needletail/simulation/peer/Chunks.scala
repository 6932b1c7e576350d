package needletail.simulation.peer

import needletail.simulation.service.Service
import needletail.simulation.world.SeededRandom

/** The chunked coding (RFC 9112 §7.1), independent of the library's writer. */
object Chunks {

  /** A whole body, in chunks of random sizes. */
  def apply(random: SeededRandom, body: Array[Byte]): Array[Byte] = {
    val out = new java.io.ByteArrayOutputStream
    var at  = 0
    while (at < body.length) {
      val n = math.min(random.skewed(5000), body.length - at)
      out.write(Service.ascii(f"$n%x\r\n"))
      out.write(body, at, n)
      out.write(Service.ascii("\r\n"))
      at += n
    }
    out.write(Service.ascii("0\r\n\r\n"))
    out.toByteArray
  }
}
