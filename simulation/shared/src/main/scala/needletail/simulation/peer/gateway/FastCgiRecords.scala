package needletail.simulation.peer.gateway

import java.io.ByteArrayOutputStream

import needletail.simulation.service.Service
import needletail.simulation.world.SeededRandom

/** Records as web servers write them (FastCGI 1.0), independent of the library's writer. */
object FastCgiRecords {
  def record(kind: Int, id: Int, content: Array[Byte], padding: Int = 0): Array[Byte] = {
    val head = Array(1, kind, id >> 8, id, content.length >> 8, content.length, padding, 0).map(_.toByte)
    head ++ content ++ new Array[Byte](padding)
  }

  def begin(id: Int, role: Int, keeps: Boolean): Array[Byte] =
    record(1, id, Array[Byte](0, role.toByte, if (keeps) 1 else 0, 0, 0, 0, 0, 0))

  def pairs(all: Seq[(String, String)]): Array[Byte] = {
    val out                  = new ByteArrayOutputStream
    def length(n: Int): Unit =
      if (n < 128) out.write(n)
      else out.write(Array((n >> 24) | 0x80, n >> 16, n >> 8, n).map(_.toByte), 0, 4)
    all.foreach { case (name, value) =>
      length(name.length)
      length(value.length)
      out.write(Service.ascii(name), 0, name.length)
      out.write(Service.ascii(value), 0, value.length)
    }
    out.toByteArray
  }

  /** A stream's content in records of random sizes, without its end. */
  def stream(random: SeededRandom, kind: Int, id: Int, content: Array[Byte]): Seq[Array[Byte]] = {
    val most  = random.pick(Seq(1 + content.length / 50, math.max(100, content.length / 20), 8192, 65535))
    val parts = Seq.newBuilder[Array[Byte]]
    var at    = 0
    while (at < content.length) {
      val n = math.min(math.min(random.skewed(most), 65535), content.length - at)
      parts += record(
        kind,
        id,
        java.util.Arrays.copyOfRange(content, at, at + n),
        if (random.percent(50)) 0 else random.below(256)
      )
      at += n
    }
    parts.result()
  }

  def end(kind: Int, id: Int): Array[Byte] = record(kind, id, Array.emptyByteArray)
}
